"""Parsed sides that are kept beside a data set: the same trees, found again, and never believed when they are off."""

import io
import os
import zipfile

import numpy as np
import pytest
from support.small_data import write_small_dataset

from reproduction import artifacts
from reproduction.data import dataset, parsed
from reproduction.errors import InputError
from reproduction.language.parsing import parse_expression


@pytest.fixture
def data(tmp_path):
    write_small_dataset(tmp_path)
    return tmp_path


def load_anew(directory):
    """As another process would: nothing is remembered."""
    dataset._last_loaded.clear()
    return dataset.load(directory)


def test_the_last_data_set_is_remembered_by_what_is_in_it(data, tmp_path_factory):
    other = tmp_path_factory.mktemp("other")
    write_small_dataset(other)
    assert dataset.load(data) is dataset.load(data) is dataset.load(other)
    assert load_anew(data) is not load_anew(data)


def test_a_data_set_is_the_same_from_its_text_and_from_its_parsed_sides(data, monkeypatch):
    first = load_anew(data)
    assert (data / parsed.FILE).is_file()
    monkeypatch.setattr(dataset, "parse_expression", None)  # whoever parses now fails
    second = load_anew(data)
    assert first == second
    assert all(
        one.equation.left is other.equation.left for one, other in zip(first.symbolic, second.symbolic, strict=True)
    )


@pytest.mark.parametrize("spoil", ["cut", "flip", "empty", "foreign", "no such array"])
def test_what_is_damaged_or_foreign_is_parsed_again(data, spoil):
    whole, path = load_anew(data), data / parsed.FILE
    content = path.read_bytes()
    if spoil == "foreign":
        parsed.write_sides(data, "of another data set", {"x": parse_expression("y")})
    elif spoil == "no such array":
        with path.open("wb") as file:
            np.savez(file, names=np.zeros(1))
        path.write_bytes(parsed._head(whole.fingerprint, path.read_bytes()) + b"\n" + path.read_bytes())
    else:
        middle = len(content) // 2
        flipped = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
        path.write_bytes({"cut": content[:middle], "flip": flipped, "empty": b""}[spoil])
    assert load_anew(data) == whole
    assert load_anew(data) == whole
    assert path.read_bytes() == content


def _with_header(content: bytes, shape: bytes) -> bytes:
    """The file with another shape of `roots`, as nobody writes it, and the checksums that go with it."""
    _, _, body = content.partition(b"\n")
    arrays = dict(np.load(io.BytesIO(body)))
    changed = io.BytesIO()
    with zipfile.ZipFile(changed, "w") as archive:
        for name, array in arrays.items():
            member = io.BytesIO()
            np.save(member, array)
            true, stated = (text.ljust(24) for text in (f"({len(array)},), }}".encode(), shape + b", }"))
            assert name != "roots" or true in member.getvalue()
            stated = member.getvalue().replace(true, stated) if name == "roots" else member.getvalue()
            archive.writestr(f"{name}.npy", stated)
    return changed.getvalue()


@pytest.mark.parametrize("shape", [b"(99999999999999,)", b"(-1, 7, 0)", b"(1,)"])
def test_a_header_that_promises_more_than_is_there_is_not_believed(data, monkeypatch, shape):
    whole, path = load_anew(data), data / parsed.FILE
    content = path.read_bytes()
    crafted = _with_header(content, shape)
    monkeypatch.setattr(np, "load", None)  # which would make room for what the header promises
    path.write_bytes(parsed._head(whole.fingerprint, crafted) + b"\n" + crafted)
    assert parsed.read_sides(data, whole.fingerprint) == {}
    assert load_anew(data) == whole
    assert path.read_bytes() == content


def test_compressed_or_endless_sides_are_not_read(data, monkeypatch):
    whole, path = load_anew(data), data / parsed.FILE
    _, _, body = path.read_bytes().partition(b"\n")
    packed = io.BytesIO()
    np.savez_compressed(packed, **np.load(io.BytesIO(body)))
    path.write_bytes(parsed._head(whole.fingerprint, packed.getvalue()) + b"\n" + packed.getvalue())
    assert parsed.read_sides(data, whole.fingerprint) == {}
    load_anew(data)
    monkeypatch.setattr(artifacts, "MOST_BYTES", 100)
    assert parsed.read_sides(data, whole.fingerprint) == {}


def test_a_pipe_in_the_place_of_the_sides_is_refused(data):
    (data / parsed.FILE).unlink(missing_ok=True)
    os.mkfifo(data / parsed.FILE)
    with pytest.raises(InputError, match=r"parsed\.npz: this is no regular file"):
        load_anew(data)


def test_a_directory_that_cannot_be_written_is_read(data, monkeypatch):
    def refuse(*_):
        raise PermissionError

    (data / parsed.FILE).unlink()
    monkeypatch.setattr(parsed.artifacts, "write_bytes", refuse)
    assert load_anew(data).symbolic
    assert not (data / parsed.FILE).exists()
