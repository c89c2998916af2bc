"""Files that are written whole and read with care, and locks of directories."""

import errno
import fcntl
import os
import signal
import time
from pathlib import Path
from typing import Literal, NamedTuple, TypedDict

import pytest

from reproduction import artifacts, shapes
from reproduction.__main__ import main
from reproduction.artifacts import owned, parse_json
from reproduction.errors import InputError

BAD_TEXTS = {
    "empty": "", "half": '{"a": [1,', "NaN": '{"a": NaN}', "infinity": "[-Infinity]", "too large": "[1e999]",
    "a name twice": '{"a": 1, "a": 2}', "5,000 digits": "9" * 5000, "20 digits": "-" + "1" * 20,
    "deep": "[" * 100_000, "half a character": '["\\ud800"]', "two values": "1 2", "single quotes": "{'a': 1}",
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
        ({"inner": {"word": "no", "number": True}}, "inner.number is 'True', not a number"),
        ({"values": [1, None]}, "values.1 is 'None', not a text"),
        ({"values": {}}, "values is '{}', not a list"),
        ({"names": {"07": True}}, "names.07 is not named by a whole number"),
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


def test_leftovers_of_dead_writers_are_removed_and_those_of_living_ones_are_not(tmp_path):
    dead, alive, other = (tmp_path / name for name in (".a.json.1.part", ".a.json.2.part", ".b.json.1.part"))
    for path in (dead, alive, other):
        path.write_text("half")
    with alive.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        artifacts.write_text(tmp_path / "a.json", "whole")
        assert {path.name for path in tmp_path.iterdir()} == {"a.json", alive.name, other.name}
    with owned(tmp_path):
        pass
    assert {path.name for path in tmp_path.iterdir()} == {"a.json"}


def test_what_cannot_be_written_leaves_nothing(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="JSON compliant"):
        artifacts.write_json(tmp_path / "file.json", {"a": float("nan")})

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


def test_a_directory_has_one_owner_and_a_dead_one_is_none(tmp_path, capfd):
    place, ready = tmp_path / "place", tmp_path / "ready"

    def hold():
        with owned(place):
            ready.touch()
            time.sleep(60)

    def wait():
        with owned(place):
            (tmp_path / "entered").touch()

    child = forked(hold)
    while not ready.exists():
        time.sleep(0.01)
    waiting = forked(wait)
    time.sleep(0.2)
    assert not (tmp_path / "entered").exists()
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert os.waitpid(waiting, 0)[1] == 0 and (tmp_path / "entered").exists()
    assert "another process writes there; waiting" in capfd.readouterr().err
    assert not place.exists()  # nothing came into it


def test_many_that_wait_for_a_lock_have_it_one_after_another(tmp_path):
    """A lock file that its owner removed is no lock: whoever waited for it looks again."""

    def count():
        for _ in range(20):
            with owned(tmp_path):
                number = int((tmp_path / "count").read_text() if (tmp_path / "count").exists() else 0)
                (tmp_path / "count").write_text(str(number + 1))

    for child in [forked(count) for _ in range(3)]:
        assert os.waitpid(child, 0)[1] == 0
    assert (tmp_path / "count").read_text() == "60" and len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(("words", "code"), [(["report", "--out", "/proc/figures"], 1), (["report", "--out", ""], 2)])
def test_a_place_that_cannot_be_written_is_named_before_the_work(capsys, words, code):
    try:
        found = main(words)
    except SystemExit as ending:
        found = ending.code
    said = capsys.readouterr().err
    assert found == code and ("an empty name is no place" in said or said.startswith("error: /proc/figures: "))


def test_a_pipe_is_neither_written_over_nor_read_unless_one_may_be_given(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(InputError, match=f"^{path}: there is something else"):
        artifacts.write_text(path, "text")
    with pytest.raises(InputError, match=f"^{path}: this is a pipe"):
        artifacts.read_bytes(path)
    assert [each.name for each in tmp_path.iterdir()] == ["pipe"]
    read, write = os.pipe()
    os.write(write, b"x = x\n")
    os.close(write)
    assert artifacts.read_text(Path(f"/dev/fd/{read}"), pipes=True) == "x = x\n"
    os.close(read)


def test_a_link_stays_a_link_and_its_file_is_written(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    link, file = tmp_path / "link.json", tmp_path / "elsewhere" / "file.json"
    link.symlink_to(file)
    for text in ("first", "second"):
        artifacts.write_text(link, text)
        assert link.is_symlink() and file.read_text() == text
    assert [each.name for each in file.parent.iterdir()] == ["file.json"]
