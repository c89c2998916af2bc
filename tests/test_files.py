"""Files that are written whole and read with care, and locks of directories."""

import errno
import fcntl
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Literal, NamedTuple, TypedDict

import pytest

import reproduction
from reproduction import artifacts, locks, shapes
from reproduction.errors import InputError
from reproduction.strict_json import parse_json

ROOT = artifacts.ROOT
BAD_TEXTS = {
    "empty": "", "half": '{"a": [1,', "NaN": '{"a": NaN}', "infinity": "[-Infinity]", "too large": "[1e999]",
    "a name twice": '{"a": 1, "a": 2}', "5,000 digits": "9" * 5000, "20 digits": "-" + "1" * 20,
    "deep": "[" * 100_000, "deep and closed": "[" * 80 + "]" * 80, "deep objects": '{"a":' * 80 + "1" + "}" * 80,
    "half a character": '["\\ud800"]', "two values": "1 2", "single quotes": "{'a': 1}",
}  # fmt: skip


@pytest.mark.parametrize("text", BAD_TEXTS.values(), ids=BAD_TEXTS)
def test_what_is_not_json_is_refused_with_the_file(tmp_path, text):
    path = tmp_path / "file.json"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        artifacts.read_json(path)
    assert str(caught.value).startswith(str(path)) and "\n" not in str(caught.value)
    with pytest.raises(InputError, match=r"^file, line 7[:,]"):
        parse_json(text, "file", 7)


def test_sixty_lists_in_each_other_are_read():
    text = "[" * 60 + "]" * 60
    assert str(parse_json(text, "file")) == text


class Inner(NamedTuple):
    word: Literal["yes", "no"]
    number: float = 1.5


class Outer(TypedDict):
    inner: Inner
    values: list[int | float | str]
    names: dict[int, bool]


SOUND = {"inner": {"word": "no"}, "values": [1, 0.5, "a"], "names": {"7": True}, "more": None}


def test_a_value_gets_its_shape():
    found = shapes.shaped(Outer, SOUND, "file")
    assert found == {**SOUND, "inner": Inner("no", 1.5), "names": {7: True}}
    assert [type(value) for value in found["values"]] == [int, float, str]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"inner": {}}, "inner.word is missing"),
        ({"inner": {"word": "maybe"}}, "inner.word is 'maybe', not one of yes, no"),
        ({"inner": {"word": ["yes"]}}, "inner.word is .*, not one of yes, no"),
        ({"inner": {"word": "no", "number": True}}, "inner.number is 'True', not a number"),
        ({"values": [1, None]}, "values.1 is 'None', not a text"),
        ({"values": {}}, "values is '{}', not a list"),
        ({"names": {"07": True}}, "names.07 is not named by a whole number"),
        ({"names": {"9" * 5000: True}}, "names.99.* is not named by a whole number"),
        ({"names": {"7": 1}}, "names.7 is '1', not true or false"),
    ],
)
def test_what_has_another_shape_is_refused_with_the_field(change, said):
    with pytest.raises(InputError, match=f"^file: {said}"):
        shapes.shaped(Outer, {**SOUND, **change}, "file")


def test_a_sealed_file_is_read_and_every_change_is_seen(tmp_path):
    path = tmp_path / "file.json"
    artifacts.write_sealed(path, SOUND, indent=None)
    assert artifacts.read_json(path) == SOUND
    assert shapes.read(dict, path, sealed=True)["values"] == [1, 0.5, "a"]
    content = path.read_bytes()
    for place in range(len(content)):
        path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        with pytest.raises(InputError):
            shapes.read(dict, path, sealed=True)
    artifacts.write_json(path, SOUND)
    with pytest.raises(InputError, match="seal is missing"):
        shapes.read(Outer, path, sealed=True)


@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_file_may_be_read_by_whom_the_umask_allows(tmp_path, mask, mode):
    before = os.umask(mask)
    try:
        artifacts.write_text(tmp_path / "file", "text")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == mode


def test_what_is_no_number_is_not_written(tmp_path):
    with pytest.raises(ValueError, match="JSON compliant"):
        artifacts.write_json(tmp_path / "file.json", {"a": float("nan")})
    assert list(tmp_path.iterdir()) == []


def test_leftovers_of_dead_writers_are_removed_and_those_of_living_ones_are_not(tmp_path):
    dead, alive, other = (tmp_path / name for name in (".a.json.1.part", ".a.json.2.part", ".b.json.1.part"))
    for path in (dead, alive, other):
        path.write_text("half")
    with alive.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        artifacts.write_text(tmp_path / "a.json", "whole")
        assert {path.name for path in tmp_path.iterdir()} == {"a.json", alive.name, other.name}
    with locks.owned(tmp_path):
        pass
    assert {path.name for path in tmp_path.iterdir()} == {"a.json"}


def test_a_full_disk_is_named_and_nothing_is_left(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(artifacts.os, "fsync", full)
    with pytest.raises(OSError, match=r"No space left on device: '.*a\.json'"):
        artifacts.write_text(tmp_path / "a.json", "text")
    assert list(tmp_path.iterdir()) == []


def forked(action) -> int:
    child = os.fork()
    if not child:
        try:
            action()
        finally:
            os._exit(0)
    return child


def holding(context, ready: Path):
    def hold():
        with context():
            ready.touch()
            time.sleep(60)

    child = forked(hold)
    while not ready.exists():
        time.sleep(0.01)
    return child


def test_a_directory_has_one_owner_and_a_dead_one_is_none(tmp_path, capfd):
    place, ready = tmp_path / "place", tmp_path / "ready"
    child = holding(lambda: locks.owned(place), ready)
    waiting = forked(lambda: locks.owned(place).__enter__())
    time.sleep(0.2)
    assert os.waitpid(waiting, os.WNOHANG) == (0, 0)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert os.waitpid(waiting, 0)[1] == 0
    assert "another process writes there; waiting" in capfd.readouterr().err
    with locks.owned(place):
        assert (place / locks.LOCK).is_file()
    assert not place.exists()


def test_what_a_dead_process_needed_for_itself_is_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(artifacts, "CACHE", tmp_path)
    child = holding(lambda: locks.scratch("try"), tmp_path / "ready")
    with locks.scratch("try") as own:
        assert own.is_dir() and len(list((tmp_path / "scratch").glob("try-*"))) == 2
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with locks.scratch("try") as own:
        assert list((tmp_path / "scratch").iterdir()) == [own]
    assert list((tmp_path / "scratch").iterdir()) == []


def test_the_version_is_that_of_the_project():
    assert f'version = "{reproduction.VERSION}"' in (ROOT / "pyproject.toml").read_text()


def test_a_name_that_is_none_is_refused(capsys):
    from reproduction.__main__ import main

    with pytest.raises(SystemExit) as caught:
        main(["report", "--out", ""])
    assert caught.value.code == 2 and "an empty name is no place" in capsys.readouterr().err


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="there is no directory that nobody can write")
def test_a_place_that_cannot_be_written_is_named_before_the_work(capsys):
    from reproduction.__main__ import main

    assert main(["report", "--out", "/proc/figures"]) == 1
    assert capsys.readouterr().err.startswith("error: /proc/figures: ")


def special(directory: Path, kind: str) -> Path:
    """What is there and is no file: a device, or a pipe that nobody writes to."""
    path = directory / kind
    try:
        os.mkfifo(path) if kind == "pipe" else os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("devices are made by root only")
    return path


@pytest.mark.parametrize("kind", ["device", "pipe"])
def test_what_is_no_file_is_neither_written_over_nor_read(tmp_path, kind):
    path = special(tmp_path, kind)
    with pytest.raises(InputError, match=f"^{path}: this is a device or a pipe"):
        artifacts.write_text(path, "text")
    with pytest.raises(InputError, match=f"^{path}: this is a {kind}"):
        artifacts.read_bytes(path)
    assert not path.is_file() and [each.name for each in tmp_path.iterdir()] == [kind]


def test_a_link_stays_a_link_and_its_file_is_written(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    link, file = tmp_path / "link.json", tmp_path / "elsewhere" / "file.json"
    link.symlink_to(file)
    for text in ("first", "second"):
        artifacts.write_text(link, text)
        assert link.is_symlink() and file.read_text() == text
    assert [each.name for each in file.parent.iterdir()] == ["file.json"]


def test_a_pipe_is_read_where_one_may_be_given_and_to_a_bound(tmp_path, monkeypatch):
    read, write = os.pipe()
    os.write(write, b"x = x\n")
    os.close(write)
    assert artifacts.read_text(Path(f"/dev/fd/{read}"), pipes=True) == "x = x\n"
    os.close(read)
    monkeypatch.setattr(artifacts, "MOST_BYTES", 4)
    (tmp_path / "long").write_text("x = x")
    with pytest.raises(InputError, match=r"long: more than 4 bytes"):
        artifacts.read_text(tmp_path / "long")
    with pytest.raises(InputError, match=r"device: this is a device"):
        artifacts.read_bytes(special(tmp_path, "device"), pipes=True)


@pytest.fixture
def loop(tmp_path):
    path = tmp_path / "loop"
    path.symlink_to(path)
    return path


@pytest.mark.parametrize(
    "words",
    [
        ["generate", "--workspace", "LOOP"],
        ["check", "x = x", "--workspace", "LOOP"],
        ["train", "--model", "rnn", "--data", "LOOP"],
        ["study", "experiments", "--data", "LOOP"],
        ["report", "--runs", "LOOP"],
    ],
)
def test_a_link_in_a_circle_is_a_sentence(loop, words, capsys):
    from reproduction.__main__ import main

    assert main([word.replace("LOOP", str(loop)) for word in words]) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: ") and str(loop) in said and said.count("\n") == 1


def test_a_workspace_in_a_circle_is_a_sentence_from_the_first_import_on(loop):
    command = [sys.executable, "-m", "reproduction", "check", "x = x"]
    environment = {**os.environ, artifacts.WORKSPACE: str(loop)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1) and str(loop) in done.stderr


@pytest.mark.parametrize("words", [["verify", "x = x", "--run"], ["train", "--out"], ["check", "x = x", "--workspace"]])
def test_names_that_are_not_utf_8_are_refused(words, tmp_path):
    command = [sys.executable, "-m", "reproduction", *words, os.fsdecode(os.fsencode(tmp_path) + b"/\xff")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "UTF-8" in done.stderr and "Traceback" not in done.stderr
