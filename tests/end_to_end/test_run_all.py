"""run_all.sh: what it says, and how it keeps its environment. A stand-in interpreter builds nothing real."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("run_all.sh", "scripts", "requirements")
ALWAYS = ("data", "baselines", "experiments", "deep", "completion", "report")
INSTALLED = ["venv", "pip", "pip"]  # wheels first, then what is built from source
CHECKS = ["pip"]  # installed by the first command that checks something
ON_REQUEST = ("pretrained", "showcase", "remedies", "ablation", "search", "data-study", "ladder", "protocol", "release",
              "factors", "benchmark")  # fmt: skip

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
  [[ -e SLOW ]] && sleep 0.3
  :
elif [[ "$1 $2" == "-m reproduction."* ]]; then
  : # what is compiled at set-up
elif [[ "${@:1:4}" == "-m reproduction report --list" ]]; then
  printf "%s\\tfigure\\n" figure-1 table-3
elif [[ "$1 $2" == "-m reproduction" ]]; then
  echo "${@:3} [$REPRODUCTION_WORKSPACE $REPRODUCTION_BENCHMARK $REPRODUCTION_SCALE] [${PYTHONPATH-}]" >> NOTES
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
    for name in PARTS:
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, home / name)
    tools = tmp_path / "tools"
    inside = (
        INSIDE.replace("NOTES", str(tools / "notes"))
        .replace("TROUBLE", str(tools / "trouble"))
        .replace("SLOW", str(tools / "slow"))
    )
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
    own = ("PYTHON", "GPU", "CC", "REPRODUCTION_WORKSPACE", "REPRODUCTION_BENCHMARK")
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
    for name in ("bash", "cat", "cut", "dirname", "env", "flock", "mkdir", "paste", "rm", "sha256sum", "shasum", "tail",
                 "uname"):  # fmt: skip
        if found := shutil.which(name):
            (directory / name).symlink_to(found)
    return str(directory)


def test_help_lists_every_stage_and_command(project):
    shown = run(project, "help")
    assert shown.returncode == 0
    commands = ("setup", "setup-checks", "test", "test-report", "test-crash", "test-damage", "audit", "smoke")
    for name in (*ALWAYS, *ON_REQUEST, *commands, "PYTHON=", "GPU=1", "CHROMIUM="):
        assert name in shown.stdout
    assert not (project / ".venv").exists()


def test_one_table_or_figure_is_made_by_its_name(project):
    assert run(project, "table-3", "figure-1").returncode == 0
    assert asked(project) == ["report table-3", "report figure-1"]
    refused = run(project, "table-9")
    assert refused.returncode == 2 and refused.stderr.rstrip().endswith("figures: figure-1 table-3")


def asked(project):
    """What was asked of `python -m reproduction`, without where."""
    return [line.split(" [")[0] for line in notes(project) if not line.startswith(("venv", "pip"))]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("Tabels",), "no stage or command 'Tabels'; stages: data baselines experiments"),
        (("--seeds", "none"), "--seeds must be a whole number from 1 to 9999, not 'none'"),
        (("--seeds",), "--seeds must be"),
        (("data", "--workspace"), "--workspace needs a directory"),
        (("--workspace=", "data"), "--workspace needs a directory"),
        (("--recipe", "soft"), "--recipe must be paper or hard, not 'soft'"),
        (("data", "experiments", "--epochs", "3"), "'--epochs' can only be given to a single stage"),
        (("smoke", "3x!"), "commands: setup setup-checks test test-report test-crash test-damage"),
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
        ("sys.version_info = (3, 9, 18)", "is Python 3.9, and supported are 3.10, 3.11, 3.12, 3.13, 3.14"),
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
    assert notes(project) == INSTALLED


def test_no_python_at_all(project):
    path = programs_without_compiler(project)
    refused = run(project, "setup", PYTHON="", PATH=path, PYENV_ROOT="/nowhere")
    assert refused.returncode == 2
    assert "no supported Python (3.10, 3.11, 3.12, 3.13, 3.14) was found" in refused.stderr
    assert "pyenv install" in refused.stderr


def test_no_compiler(project):
    refused = run(project, "setup", PATH=programs_without_compiler(project))
    assert refused.returncode == 2
    assert "there is no C compiler" in refused.stderr
    assert not (project / ".venv").exists()


def test_everything_that_is_missing_is_said_at_once_with_one_line(project):
    change = 'import sysconfig; sysconfig.get_config_var("CC"); sys.modules["ensurepip"] = None; '
    change += 'sysconfig.get_paths = lambda: dict(include="/nowhere")'
    path = programs_without_compiler(project)
    refused = run(project, "setup", PYTHON=forged(project, change), PATH=path)
    assert refused.returncode == 2 and not (project / ".venv").exists()
    assert len(refused.stderr.splitlines()) == 1, refused.stderr
    said = refused.stderr.strip()
    for thing in ("has no venv module", "no C compiler", "no Python.h in /nowhere", "no C++ compiler"):
        assert thing in said
    assert said.endswith(": sudo apt install python3-venv python3-dev build-essential")
    assert said.partition("with: ")[2] in (ROOT / "README.md").read_text()


def test_a_compiler_without_the_headers(project):
    compiler = write_script(project.parent / "tools" / "cc", "#!/bin/sh\necho 'no Python.h' >&2; exit 1\n")
    refused = run(project, "setup", CC=str(compiler))
    assert refused.returncode == 2
    assert "cannot compile a file that includes Python.h" in refused.stderr
    assert "no Python.h" in refused.stderr


def test_the_environment_is_found_again_and_rebuilt_when_the_requirements_change(project):
    for _ in range(2):
        assert run(project, "setup").returncode == 0
        assert notes(project) == INSTALLED
    assert run(project, "setup", PYTHON="").returncode == 0
    assert notes(project) == INSTALLED
    (project / "requirements" / "run-hashes.txt").write_text("numpy==1.23.5\n")
    assert run(project, "setup").returncode == 0
    assert notes(project) == INSTALLED * 2


def test_a_failed_installation_is_shown_and_tried_again(project):
    trouble = project.parent / "tools" / "trouble"
    trouble.touch()
    failed = run(project, "setup")
    assert failed.returncode == 1
    assert "ERROR: no network" in failed.stderr
    trouble.unlink()
    assert run(project, "setup").returncode == 0
    assert notes(project) == ["venv", "pip", *INSTALLED]


@pytest.mark.parametrize("relative", [False, True])
def test_a_link_to_the_script_means_the_project_and_leaves_the_links_directory_alone(project, relative):
    elsewhere = project.parent / "elsewhere"
    kept = elsewhere / ".venv" / "kept"
    kept.mkdir(parents=True)
    script = Path("..") / project.name / "run_all.sh" if relative else project / "run_all.sh"
    (elsewhere / "first").symlink_to(script)
    (elsewhere / "run_all.sh").symlink_to("first")
    assert run(elsewhere, "setup").returncode == 0
    assert kept.is_dir() and (project / ".venv" / "stamp").is_file()
    assert sorted(path.name for path in elsewhere.iterdir()) == [".venv", "first", "run_all.sh"]


@pytest.mark.parametrize("kind", ["directory", "file", "link", "dangling link"])
def test_an_environment_of_somebody_else_is_left_alone(project, kind):
    theirs, place = project.parent / "theirs", project / ".venv"
    if kind == "directory":
        theirs = place
    elif "link" in kind:
        place.symlink_to(theirs)
    if kind == "file":
        place.write_text("mine")
    elif kind != "dangling link":
        theirs.mkdir()
        (theirs / "work").write_text("mine")
    refused = run(project, "setup")
    assert refused.returncode == 2
    (said,) = refused.stderr.splitlines()
    assert said.startswith(f"run_all.sh: {place} was not made by this script and is left alone")
    assert kind != "file" or place.read_text() == "mine"
    assert "link" not in kind or place.is_symlink()
    assert kind not in ("directory", "link") or [path.name for path in theirs.iterdir()] == ["work"]


def test_an_environment_of_an_earlier_version_or_an_interrupted_one_is_made_anew(project):
    for mark in ("stamp", "made-by-run_all"):
        shutil.rmtree(project / ".venv", ignore_errors=True)
        (project / ".venv" / "old").mkdir(parents=True)
        (project / ".venv" / mark).write_text("")
        assert run(project, "setup").returncode == 0
        assert not (project / ".venv" / "old").exists() and (project / ".venv" / "made-by-run_all").exists()


@pytest.mark.parametrize("words", [("tabels",), ("data", "setup"), ("smoke", "tabels")])
def test_a_name_that_is_no_stage_table_or_figure_is_refused_before_anything_runs(project, words):
    refused = run(project, *words)
    assert refused.returncode == 2 and f"no stage or command '{words[-1]}'" in refused.stderr
    assert asked(project) == []


@pytest.mark.skipif(not shutil.which("flock"), reason="no flock on this machine")
def test_two_at_once_install_once(project):
    (project.parent / "tools" / "slow").touch()
    command = [str(project / "run_all.sh"), "setup"]
    both = [subprocess.Popen(command, env=surroundings(project), stdout=subprocess.DEVNULL) for _ in range(2)]
    assert [process.wait(timeout=60) for process in both] == [0, 0]
    assert notes(project) == INSTALLED


def commands(project):
    """The commands that the stages called, without their options."""
    return [note.split()[0] for note in notes(project)[len(INSTALLED) :]]


def test_stages_run_in_order_with_their_options(project):
    assert run(project, "benchmark", "data", PYTHONPATH="/elsewhere").returncode == 0
    assert notes(project)[len(INSTALLED) :] == [
        f"generate --keep --split-seeds 5 [{project}  ] []",
        f"benchmark --json --figure [{project}  ] []",
    ]
    assert run(project, "data", "--seed", "1").returncode == 0
    assert run(project, "report", "--readme", "README.md").returncode == 0
    assert notes(project)[len(INSTALLED) + 2 :] == [
        f"generate --split-seeds 5 --seed 1 [{project}  ] []",
        f"report --readme README.md [{project}  ] []",
    ]


def test_seeds_reach_the_stages_that_have_them(project):
    assert run(project, "data", "experiments", "ablation", "--seeds", "7").returncode == 0
    assert asked(project) == [
        "generate --keep --split-seeds 7",
        "study experiments --seeds 7",
        "study ablation --seeds 7",
    ]
    assert run(project, "experiments").returncode == 0
    assert asked(project)[-1] == "study experiments"  # which has a number of its own


@pytest.mark.skipif(not shutil.which("flock"), reason="no flock on this machine")
@pytest.mark.parametrize("words", [(), ("smoke",)])
def test_all_stages_of_a_workspace_are_run_by_one_at_a_time(project, words):
    """Notes of two at once would be mixed, and the small twin would be removed under the first one's feet."""
    run(project, "setup")
    command = [str(project / "run_all.sh"), *words]
    both = [subprocess.Popen(command, env=surroundings(project), stdout=subprocess.DEVNULL) for _ in range(2)]
    assert [process.wait(timeout=60) for process in both] == [0, 0]
    alone = commands(project)
    assert alone[: len(alone) // 2] == alone[len(alone) // 2 :]


def test_a_workspace_that_cannot_be_written_is_said(project):
    run(project, "setup")
    (project / "runs").touch()
    refused = run(project)
    assert (refused.returncode, refused.stderr) == (1, f"run_all.sh: {project}/runs cannot be written\n")


def test_everything_leaves_out_what_is_only_run_by_name(project):
    assert run(project).returncode == 0
    everything = ["generate", "baselines", "study", "generate", "score", "score", "report"]
    assert commands(project) == everything
    assert run(project, *ON_REQUEST).returncode == 0
    assert commands(project)[len(everything) :] == ["keep-best", "showcase", *["study"] * 8, "benchmark"]


def test_smoke_runs_every_stage_small(project):
    assert run(project, "smoke", "--seeds", "2").returncode == 0
    assert commands(project) == ["generate", "baselines", "study", "keep-best", "showcase", "generate", "score",
                                 "score", *["study"] * 8, "benchmark", "report"]  # fmt: skip
    assert all(f"[{project}/runs/smoke  smoke]" in note for note in notes(project)[len(INSTALLED) :])


@pytest.mark.parametrize(
    "words", [("--workspace", "my own", "data", "report"), ("data", "report", "--workspace=my own")]
)
def test_a_workspace_stands_anywhere_on_the_line(project, words):
    assert run(project, *words).returncode == 0
    place = f"[{project}/my own  ] []"
    assert notes(project)[len(INSTALLED) :] == [f"generate --keep --split-seeds 5 {place}", f"report {place}"]


def test_the_variable_names_a_workspace_and_the_option_another(project):
    assert run(project, "report", REPRODUCTION_WORKSPACE="/theirs").returncode == 0
    assert run(project, "report", "--workspace", "/mine", REPRODUCTION_WORKSPACE="/theirs").returncode == 0
    assert notes(project)[len(INSTALLED) :] == ["report [/theirs  ] []", "report [/mine  ] []"]


def test_the_second_benchmark_is_inside_a_workspace(project):
    assert run(project, "data", "benchmark", "--recipe", "hard", "--workspace", "/mine").returncode == 0
    assert notes(project)[len(INSTALLED) :] == [
        "generate --recipe hard --keep --split-seeds 5 [/mine hard ] []",
        "benchmark --json --figure [/mine hard ] []",
    ]


def test_seeds_and_recipe_stand_anywhere(project):
    for words in (
        ("--recipe", "hard", "experiments"),
        ("experiments", "--recipe=hard"),
        ("experiments", "--recipe", "hard"),
    ):
        assert run(project, "--seeds", "2", *words, "--models", "rnn", "lstm").returncode == 0
    (said,) = set(notes(project)[len(INSTALLED) :])
    assert said.startswith("study experiments --models rnn lstm --seeds 2 [") and " hard ] []" in said


def test_the_small_twin_of_a_workspace_has_its_axioms(project):
    mine = project / "mine"
    (mine / "runs" / "smoke" / "runs").mkdir(parents=True)
    (mine / "axioms.txt").write_text("x = x")
    assert run(project, "smoke", "data", "--workspace", "mine").returncode == 0
    twin = mine / "runs" / "smoke"
    assert notes(project)[len(INSTALLED) :] == [f"generate --keep --split-seeds 5 [{twin}  smoke] []"]
    assert (twin / "axioms.txt").read_text() == "x = x" and (twin / "runs").is_dir()
    assert run(project, "smoke", "--workspace", "mine").returncode == 0
    assert not (twin / "runs").exists() and (mine / "axioms.txt").is_file()


def test_what_checks_the_project_is_installed_by_the_first_command_that_needs_it(project):
    for _ in range(2):
        assert run(project, "test-report", "-k", "prints").returncode == 0
    checked = "pytest tests/report/check_report_page.py tests/serving/check_page.py -k prints"
    assert notes(project) == [*INSTALLED, *CHECKS, checked, checked]


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


def pins(text):
    """Every `name==version` with its marker, spelled in one way."""
    lines = (line.partition("#")[0].partition("\\")[0].strip() for line in text.splitlines())
    marks = ((line, "full_" * ("full" in line)) for line in lines if "==" in line and not line.startswith("--"))
    plain = {
        line.replace(mark, "").replace('"', "'").replace(" ", "").replace("_", "-").lower() for line, mark in marks
    }
    return {pin.replace(".*'", "'").replace(";platform-python-implementation!='pypy'", "") for pin in plain}


def test_every_pinned_package_has_hashes():
    files = ROOT / "requirements"
    source = pins((files / "source.txt").read_text())
    for name in ("run", "check"):
        wanted = pins((files / f"{name}.txt").read_text())
        hashed = pins((files / f"{name}-hashes.txt").read_text())
        elsewhere = ("sys-platform=='win32'", "sys-platform=='darwin'", "implementation-name=='pypy'")
        assert all(pin.endswith(elsewhere) for pin in hashed - wanted)  # of no use on Linux, and harmless
        assert wanted - hashed == (source if name == "run" else set())
    for name in ("run-hashes", "check-hashes", "source", "cpu", "gpu", "audit"):
        text = (files / f"{name}.txt").read_text()
        packages = [block for block in text.replace("\\\n", "").splitlines() if "==" in block]
        assert packages and all("--hash=sha256:" in block for block in packages)


def test_nothing_is_installed_without_a_hash(project):
    assert run(project, "setup-checks").returncode == 0
    inside = project / ".venv" / "bin" / "python"
    makes = f'if [[ $2 == venv ]]; then mkdir -p "$3/bin"; cp "{project.parent}/tools/noting" "$3/bin/python"; exit; fi'
    inside.write_text(inside.read_text().replace("\n", f"\n{makes}\n", 1))
    write_script(project.parent / "tools" / "noting", '#!/bin/bash\necho "$*" >"${0%/*}/asked"\nexit 1\n')
    assert run(project, "audit").returncode == 1
    asked = (project / ".venv-audit" / "bin" / "asked").read_text()
    assert "--require-hashes" in asked and asked.endswith("-r requirements/audit.txt\n")
