"""run_all.sh: what it says, and how it keeps its environment. A stand-in interpreter builds nothing real."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("run_all.sh", "scripts", "requirements")
ALWAYS = ("data", "baselines", "experiments", "release", "deep", "completion", "report")
INSTALLED = ["venv", "pip", "pip"]  # wheels first, then what is built from source
CHECKS = ["pip"]  # installed by the first command that checks something
ON_REQUEST = ("pretrained", "showcase", "remedies", "ablation", "search", "data-study", "ladder", "protocol", "deeper",
              "factors", "beyond", "benchmark")  # fmt: skip

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
  echo pip >> TOOLS/notes
  [[ -e TOOLS/trouble ]] && echo "ERROR: no network" && exit 1
  [[ -e TOOLS/slow ]] && sleep 0.3
  :
elif [[ "$1 $2" == "-m reproduction."* ]]; then
  : # what is compiled at set-up
elif [[ "${@:1:4}" == "-m reproduction report --list" ]]; then
  printf "%s\\tfigure\\n" figure-1 table-3
elif [[ "$1 $2" == "-m reproduction" ]]; then
  echo "${@:3} [$REPRODUCTION_WORKSPACE $REPRODUCTION_BENCHMARK $REPRODUCTION_SCALE] [${PYTHONPATH-}]" >> TOOLS/notes
elif [[ "$1 $2" == "-m pytest" && ! -d tests ]]; then
  echo "${@:2}" >> TOOLS/notes
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
    write_script(tools / "python", STAND_IN)
    write_script(tools / "inside", INSIDE.replace("TOOLS", str(tools)).replace("REAL", sys.executable))
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
    path = project.parent / "tools" / "notes"
    return path.read_text().splitlines() if path.is_file() else []


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
    assert [note.split(" [")[0] for note in notes(project)[len(INSTALLED) :]] == ["report table-3", "report figure-1"]
    refused = run(project, "table-9")
    assert refused.returncode == 2 and refused.stderr.rstrip().endswith("figures: figure-1 table-3")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("Tabels",), "no stage or command 'Tabels'; stages: data baselines experiments"),
        (("--seeds", "none"), "--seeds must be a whole number from 1 to 9999, or two seeds as 5-9, not 'none'"),
        (("--seeds", "7-5"), "--seeds must be a whole number from 1 to 9999, or two seeds as 5-9, not '7-5'"),
        (("--workspace=", "data"), "--workspace needs a directory"),
        (("--recipe", "soft"), "--recipe must be paper or hard, not 'soft'"),
        (("data", "--seeds"), "--seeds must be a whole number from 1 to 9999, or two seeds as 5-9, not ''"),
        (("data", "experiments", "--epochs", "3"), "'--epochs' can only be given to a single stage"),
        (("smoke", "3x!"), "commands: setup setup-checks test test-report test-crash test-damage"),
        (("data", "setup"), "no stage or command 'setup'"),
        (("smoke", "tabels"), "no stage or command 'tabels'"),
    ],
)
def test_what_cannot_be_asked_for_is_refused_before_anything_runs(project, words, said):
    refused = run(project, *words)
    assert refused.returncode == 2 and said in refused.stderr
    assert commands(project) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("sys.version_info = (3, 9, 18)", "is Python 3.9, and supported are 3.10, 3.11, 3.12, 3.13, 3.14"),
        ('platform.machine = lambda: "arm64"', "arm64, and the packages exist for Linux x86_64"),
        ('sys.modules["ensurepip"] = None', "has no venv module"),
        ("sys.exit(127)", "does not run"),
        ("", "was found as PYTHON=python2.99"),
    ],
)
def test_a_python_that_will_not_do(project, change, said):
    refused = run(project, "setup", PYTHON=forged(project, change) if change else "python2.99")
    assert refused.returncode == 2 and said in refused.stderr and not (project / ".venv").exists()


def test_without_a_python_or_a_compiler_it_says_so(project):
    path = programs_without_compiler(project)
    for changes, said in (({"PYTHON": "", "PYENV_ROOT": "/nowhere"}, "pyenv install"), ({}, "there is no C compiler")):
        refused = run(project, "setup", PATH=path, **changes)
        assert refused.returncode == 2 and said in refused.stderr and not (project / ".venv").exists()


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


def test_the_environment_is_found_again_and_rebuilt_when_the_requirements_change(project):
    for _ in range(2):
        assert run(project, "setup").returncode == 0
        assert notes(project) == INSTALLED
    (project / "requirements" / "run-hashes.txt").write_text("numpy==1.23.5\n")
    assert run(project, "setup").returncode == 0
    assert notes(project) == INSTALLED * 2


def test_a_link_to_the_script_means_the_project_and_leaves_the_links_directory_alone(project):
    elsewhere = project.parent / "elsewhere"
    kept = elsewhere / ".venv" / "kept"
    kept.mkdir(parents=True)
    (elsewhere / "first").symlink_to(Path("..") / project.name / "run_all.sh")
    (elsewhere / "run_all.sh").symlink_to("first")
    assert run(elsewhere, "setup").returncode == 0
    assert kept.is_dir() and (project / ".venv" / "stamp").is_file()
    assert sorted(path.name for path in elsewhere.iterdir()) == [".venv", "first", "run_all.sh"]


@pytest.mark.parametrize(("kind", "file"), [("directory", "work"), ("link", "work"), ("link", "made-by-run_all")])
def test_an_environment_of_somebody_else_is_left_alone(project, kind, file):
    place = project / ".venv"
    theirs = place if kind == "directory" else project.parent / "theirs"
    theirs.mkdir()
    (theirs / file).write_text("mine")  # another checkout has marked its own
    if kind == "link":
        place.symlink_to(theirs)
    refused = run(project, "setup")
    assert refused.returncode == 2 and refused.stderr.count("\n") == 1
    assert refused.stderr.startswith(f"run_all.sh: {place} was not made by this script and is left alone")
    assert place.is_symlink() == (kind == "link") and [path.name for path in theirs.iterdir()] == [file]


def test_an_environment_of_an_earlier_version_or_an_interrupted_one_is_made_anew(project):
    for mark in ("stamp", "made-by-run_all"):
        shutil.rmtree(project / ".venv", ignore_errors=True)
        (project / ".venv" / "old").mkdir(parents=True)
        (project / ".venv" / mark).write_text("")
        assert run(project, "setup").returncode == 0
        assert not (project / ".venv" / "old").exists() and (project / ".venv" / "made-by-run_all").exists()


def commands(project):
    """The commands that the stages called, without their options."""
    return [note.split()[0] for note in notes(project)[len(INSTALLED) :]]


@pytest.mark.skipif(not shutil.which("flock"), reason="no flock on this machine")
@pytest.mark.parametrize("words", [(), ("smoke",)])
def test_all_stages_of_a_workspace_are_run_by_one_at_a_time(project, words):
    """Notes of two at once would be mixed, and the small twin would be removed under the first one's feet."""
    (project.parent / "tools" / "slow").touch()
    command = [str(project / "run_all.sh"), *words]
    both = [subprocess.Popen(command, env=surroundings(project), stdout=subprocess.DEVNULL) for _ in range(2)]
    assert [process.wait(timeout=60) for process in both] == [0, 0]
    assert notes(project)[: len(INSTALLED)] == INSTALLED and "pip" not in notes(project)[len(INSTALLED) :]
    alone = commands(project)
    assert alone[: len(alone) // 2] == alone[len(alone) // 2 :]


def test_everything_leaves_out_what_is_only_run_by_name_and_smoke_does_not(project):
    assert run(project).returncode == 0
    everything = ["generate", "baselines", "study", "study", "generate", "score", "score", "report"]
    assert commands(project) == everything
    assert run(project, *ON_REQUEST).returncode == 0
    assert commands(project)[len(everything) :] == ["keep-best", "showcase", *["study"] * 9, "benchmark"]
    (project.parent / "tools" / "notes").write_text("venv\npip\npip\n")
    assert run(project, "smoke", "--seeds", "2").returncode == 0
    assert commands(project) == ["generate", "baselines", "study", "study", "keep-best", "showcase", "generate",
                                 "score", "score", *["study"] * 9, "benchmark", "report"]  # fmt: skip
    assert all(f"[{project}/runs/smoke  smoke]" in note for note in notes(project)[len(INSTALLED) :])


@pytest.mark.parametrize(
    ("words", "variable", "expected"),
    [
        ("benchmark data", "", ["generate --keep --split-seeds 5 [{0}  ]", "benchmark --json --figure [{0}  ]"]),
        ("data --seed 1", "", ["generate --split-seeds 5 --seed 1 [{0}  ]"]),
        ("report --readme README.md", "", ["report --readme README.md [{0}  ]"]),
        ("data search --seeds 7", "", ["generate --keep --split-seeds 7 [{0}  ]", "study search --seeds 7 [{0}  ]"]),
        ("release --seeds=2-3", "", ["study release --seeds 2-3 [{0}  ]"]),
        ("data --seeds 5-9", "", ["generate --keep --split-seeds 10 [{0}  ]"]),
        ("experiments", "", ["study experiments [{0}  ]"]),  # which has a number of seeds of its own
        ("data report --workspace=mine", "", ["generate --keep --split-seeds 5 [{0}/mine  ]", "report [{0}/mine  ]"]),
        ("--workspace /mine report", "", ["report [/mine  ]"]),
        ("report", "/theirs", ["report [/theirs  ]"]),
        ("report --workspace /mine", "/theirs", ["report [/mine  ]"]),
        ("data --recipe hard", "", ["generate --recipe hard --keep --split-seeds 5 [{0} hard ]"]),
        ("--seeds 2 experiments --recipe=hard", "", ["study experiments --seeds 2 [{0} hard ]"]),
    ],
)  # fmt: skip
def test_stages_run_in_order_with_options_from_anywhere_on_the_line(project, words, variable, expected):
    assert run(project, *words.split(), REPRODUCTION_WORKSPACE=variable, PYTHONPATH="/elsewhere").returncode == 0
    assert notes(project)[len(INSTALLED) :] == [f"{line.format(project)} []" for line in expected]


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
