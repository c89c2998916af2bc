"""run_all.sh: what it says, and how it keeps its environment. A stand-in interpreter builds nothing real."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = ("run_all.sh", "requirements.txt", "requirements-common.txt", "requirements-gpu.txt")
ALWAYS = ("data", "baselines", "experiments", "deep", "completion", "report", "benchmark")
ON_REQUEST = ("pretrained", "showcase", "remedies", "ablation", "search", "data-study", "ladder", "tables", "figures")

# An interpreter whose `-m venv` makes an environment that only takes notes of what it is asked to do.
STAND_IN = f"""#!/bin/bash
if [[ "$*" == "-m venv "* ]]; then
  mkdir -p "$3/bin"
  cp "$(dirname "$0")/inside" "$3/bin/python"
  echo venv >> "$(dirname "$0")/notes"
else
  exec "{sys.executable}" "$@"
fi
"""
INSIDE = """#!/bin/bash
if [[ "$1 $2" == "-m pip" ]]; then
  echo pip >> NOTES
  [[ -e TROUBLE ]] && echo "ERROR: no network" && exit 1
  sleep 0.3
elif [[ "$1 $2" == "-m reproduction."* ]]; then
  : # what is compiled at set-up
elif [[ "$1 $2" == "-m reproduction" ]]; then
  echo "${@:3} [$REPRODUCTION_RUNS] [${PYTHONPATH-}]" >> NOTES
elif [[ "$1 $2" == "-m pytest" && ! -d tests ]]; then
  echo "${@:2}" >> NOTES
else
  exec REAL "$@"
fi
"""


@pytest.fixture
def project(tmp_path):
    """A copy of the script in a directory of its own, and a stand-in interpreter beside it."""
    home = tmp_path / "a project"
    home.mkdir()
    for name in FILES:
        shutil.copy(ROOT / name, home / name)
    tools = tmp_path / "tools"
    inside = INSIDE.replace("NOTES", str(tools / "notes")).replace("TROUBLE", str(tools / "trouble"))
    write_script(tools / "python", STAND_IN)
    write_script(tools / "inside", inside.replace("REAL", sys.executable))
    return home


def write_script(path, text):
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def surroundings(project, **changes):
    """The variables of a run: nothing of the run_all.sh that may have started the tests."""
    own = ("PYTHON", "GPU", "CC", "REPRODUCTION_RUNS", "REPRODUCTION_FIGURES")
    kept = {name: value for name, value in os.environ.items() if name not in own}
    return {**kept, "PYTHON": str(project.parent / "tools" / "python"), **changes}


def run(project, *words, **changes):
    command = [str(project / "run_all.sh"), *words]
    environment = surroundings(project, **changes)
    return subprocess.run(command, env=environment, cwd="/", capture_output=True, text=True, timeout=60)


def notes(project):
    return (project.parent / "tools" / "notes").read_text().splitlines()


def forged(project, change):
    """An interpreter that claims to be another version or another platform."""
    text = f"""#!/bin/sh
exec "{sys.executable}" -c 'import platform, sys; {change}; exec(sys.argv.pop(1))' "$4" "$5"
"""
    return str(write_script(project.parent / "tools" / "forged", text))


def programs_without_compiler(project):
    """A PATH that has what the script needs, and no C compiler."""
    directory = project.parent / "bin"
    directory.mkdir()
    for name in (
        "bash",
        "cat",
        "cut",
        "dirname",
        "env",
        "flock",
        "mkdir",
        "rm",
        "sha256sum",
        "shasum",
        "tail",
        "uname",
    ):
        if found := shutil.which(name):
            (directory / name).symlink_to(found)
    return str(directory)


def test_help_lists_every_stage_and_command(project):
    shown = run(project, "help")
    assert shown.returncode == 0
    for name in (*ALWAYS, *ON_REQUEST, "setup", "test", "test-report", "smoke", "PYTHON=", "GPU=1", "CHROMIUM="):
        assert name in shown.stdout
    assert not (project / ".venv").exists()


def test_one_table_or_figure_is_made_by_its_name(project):
    (project / "figures").mkdir()
    for name in ("table-3.csv", "table-3.md", "figure-3a.csv", "figure-3a.png", "figure-1.png", "README.md"):
        (project / "figures" / name).touch()
    assert run(project, "table-3", "figure-3a", "figure-1").returncode == 0
    asked = [line.split(" [")[0] for line in notes(project) if not line.startswith(("venv", "pip"))]
    assert asked == ["tables table-3", "figures figure-3a", "figures figure-1"]
    refused = run(project, "table-9")
    assert refused.returncode == 2 and refused.stderr.rstrip().endswith("figures: figure-1 figure-3a table-3")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("tabels",), "no stage or command 'tabels'; stages: data baselines experiments"),
        (("data", "setup"), "no stage or command 'setup'"),
        (("--seeds", "none"), "--seeds must be a whole number from 1 to 9999, not 'none'"),
        (("--seeds",), "--seeds must be"),
        (("data", "experiments", "--epochs", "3"), "'--epochs' can only be given to a single stage"),
        (("smoke", "tabels"), "no stage or command 'tabels'"),
        (("tests-report",), "commands: setup, test, test-report, smoke, help"),
    ],
)
def test_what_cannot_be_asked_for_is_refused_with_a_sentence(project, words, said):
    refused = run(project, *words)
    assert refused.returncode == 2
    assert said in refused.stderr
    assert not (project / ".venv").exists()


def test_a_python_that_is_not_there(project):
    refused = run(project, "setup", PYTHON="python2.99")
    assert refused.returncode == 2
    assert "was found as PYTHON=python2.99" in refused.stderr


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("sys.version_info = (3, 9, 18)", "is Python 3.9, and supported are 3.10, 3.11, 3.12"),
        ("sys.version_info = (2, 7, 18)", "is Python 2.7"),
        (
            'platform.machine = lambda: "arm64"',
            "arm64, and the packages exist for Linux x86_64 (glibc) and macOS x86_64",
        ),
        ('sys.modules["ensurepip"] = None', "has no venv module"),
        ("sys.exit(127)", "does not run"),
    ],
)
def test_a_python_that_will_not_do(project, change, said):
    refused = run(project, "setup", PYTHON=forged(project, change))
    assert refused.returncode == 2
    assert said in refused.stderr
    assert not (project / ".venv").exists()


@pytest.mark.parametrize("asked", ["", "python3.11"])
def test_a_broken_shim_is_passed_over(project, asked):
    """The first python3.11 on the PATH does not run, as a pyenv shim may not; the one behind it is taken."""
    tools = project.parent / "tools"
    shim = write_script(project.parent / "shims" / "python3.11", "#!/bin/sh\nexit 127\n")
    (tools / "python3.11").symlink_to(tools / "python")
    made = run(project, "setup", PYTHON=asked, PATH=f"{shim.parent}:{tools}:{os.environ['PATH']}")
    assert made.returncode == 0
    assert notes(project) == ["venv", "pip"]


def test_no_python_at_all(project):
    path = programs_without_compiler(project)
    refused = run(project, "setup", PYTHON="", PATH=path, PYENV_ROOT="/nowhere")
    assert refused.returncode == 2
    assert "no supported Python (3.10, 3.11 or 3.12) was found" in refused.stderr
    assert "pyenv install" in refused.stderr


def test_no_compiler(project):
    refused = run(project, "setup", PATH=programs_without_compiler(project))
    assert refused.returncode == 2
    assert "there is no C compiler" in refused.stderr
    assert not (project / ".venv").exists()


def test_a_compiler_without_the_headers(project):
    compiler = write_script(project.parent / "tools" / "cc", "#!/bin/sh\necho 'no Python.h' >&2; exit 1\n")
    refused = run(project, "setup", CC=str(compiler))
    assert refused.returncode == 2
    assert "cannot compile a file that includes Python.h" in refused.stderr
    assert "no Python.h" in refused.stderr


def test_the_environment_is_found_again_and_rebuilt_when_the_requirements_change(project):
    for _ in range(2):
        assert run(project, "setup").returncode == 0
        assert notes(project) == ["venv", "pip"]
    assert run(project, "setup", PYTHON="").returncode == 0
    assert notes(project) == ["venv", "pip"]
    (project / "requirements-common.txt").write_text("numpy==1.23.5\n")
    assert run(project, "setup").returncode == 0
    assert notes(project) == ["venv", "pip"] * 2


def test_a_failed_installation_is_shown_and_tried_again(project):
    trouble = project.parent / "tools" / "trouble"
    trouble.touch()
    failed = run(project, "setup")
    assert failed.returncode == 1
    assert "ERROR: no network" in failed.stderr
    trouble.unlink()
    assert run(project, "setup").returncode == 0
    assert notes(project) == ["venv", "pip"] * 2


@pytest.mark.skipif(not shutil.which("flock"), reason="no flock on this machine")
def test_two_at_once_install_once(project):
    command = [str(project / "run_all.sh"), "setup"]
    both = [subprocess.Popen(command, env=surroundings(project), stdout=subprocess.DEVNULL) for _ in range(2)]
    assert [process.wait(timeout=60) for process in both] == [0, 0]
    assert notes(project) == ["venv", "pip"]


def commands(project):
    """The commands that the stages called, without their options."""
    return [note.split()[0] for note in notes(project)[2:]]


def test_stages_run_in_order_with_their_options(project):
    assert run(project, "benchmark", "data", PYTHONPATH="/elsewhere").returncode == 0
    runs = project / "runs"
    assert notes(project)[2:] == [
        f"generate --recipe paper --seed 1 --split-seeds 5 [{runs}] []",
        f"benchmark --json {runs}/benchmark.json --figure {project}/figures/benchmark [{runs}] []",
    ]
    assert run(project, "data", "--seed", "1").returncode == 0
    assert run(project, "tables", "--readme", "README.md").returncode == 0
    assert notes(project)[4:] == [
        f"generate --recipe paper --seed 1 --split-seeds 5 --seed 1 [{runs}] []",
        f"tables --readme README.md [{runs}] []",
    ]


def test_seeds_reach_the_stages_that_have_them(project):
    for seed in range(7):
        (project / "runs" / "experiments" / f"rnn-generalization-{seed}").mkdir(parents=True)
    assert run(project, "data", "experiments", "completion", "ablation", "--seeds", "7").returncode == 0
    runs = project / "runs"
    completed = " ".join(f"{runs}/experiments/rnn-generalization-{seed}" for seed in range(7))
    assert [note.partition(" [")[0] for note in notes(project)[2:]] == [
        "generate --recipe paper --seed 1 --split-seeds 7",
        "experiments --seeds 7",
        f"evaluate-completion {completed}",
        "ablate --seeds 7",
    ]


def test_everything_leaves_out_what_is_only_run_by_name(project):
    assert run(project).returncode == 0
    assert commands(project) == ["generate", "baselines", "experiments", "generate", "deep", "evaluate-completion",
                                 "benchmark", "report"]  # fmt: skip
    assert run(project, *ON_REQUEST).returncode == 0
    assert commands(project)[8:] == ["keep-best", "generate", "remedies", "ablate", "search", "search",
                                     "generate", "data-study", "ladder", "tables", "figures"]  # fmt: skip


def test_smoke_runs_every_stage_small(project):
    assert run(project, "smoke", "--seeds", "2").returncode == 0
    assert commands(project) == ["generate", "baselines", "experiments", "keep-best", "generate", "deep",
                                 "evaluate-completion", "generate", "remedies", "ablate", "search", "search",
                                 "generate", "data-study", "ladder", "benchmark", "tables", "figures",
                                 "report"]  # fmt: skip
    assert all(f"[{project}/runs/smoke]" in note for note in notes(project)[2:])
    assert notes(project)[4] == f"experiments --seeds 2 --epochs 2 --fractions 0.5 [{project}/runs/smoke] []"


def test_the_check_of_the_report_gets_its_options(project):
    assert run(project, "test-report", "-k", "prints").returncode == 0
    assert notes(project)[2:] == ["pytest tests/report/check_report_page.py -k prints"]


def test_the_check_of_the_report_says_what_to_install(project):
    shutil.copytree(ROOT / "tests" / "report", project / "tests" / "report")
    assert run(project, "setup").returncode == 0
    refused = run(project, "test-report", CHROMIUM="/nowhere/chromium")
    assert refused.returncode == 4
    (said,) = (refused.stdout + refused.stderr).strip().splitlines()
    assert said.startswith("ERROR: no Chromium was found as CHROMIUM=/nowhere/chromium; install it with: sudo apt")


def test_a_stage_that_fails_stops_the_run_with_its_exit_code(project):
    assert run(project, "setup").returncode == 0
    inside = project / ".venv" / "bin" / "python"
    inside.write_text(inside.read_text().replace('echo "${@:3}', 'exit 2; echo "${@:3}'))
    failed = run(project, "experiments", "benchmark")
    assert failed.returncode == 2
    assert "experiments: stopped with exit code 2" in failed.stderr
    assert "benchmark" not in failed.stdout


def test_a_version_behind_pyenvs_shims_is_found(project):
    versions = project.parent / "pyenv" / "versions" / "3.10.99"
    versions.mkdir(parents=True)
    shim = write_script(project.parent / "shims" / "python3.10", "#!/bin/sh\nexit 127\n")
    (versions / "bin").symlink_to(project.parent / "tools")
    (project.parent / "tools" / "python3.10").symlink_to("python")
    path = f"{shim.parent}:{programs_without_compiler(project)}"
    refused = run(project, "setup", PYTHON="python3.10", PATH=path, PYENV_ROOT=str(project.parent / "pyenv"))
    assert "there is no C compiler" in refused.stderr
