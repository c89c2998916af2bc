"""The sides of a data set's equations as they were parsed, kept in a file beside it: reading that is ten times faster.

Trees are stored as numbers, a distinct subtree once, children before parents. The file is a convenience: whatever is
missing, of another data set or damaged is parsed again.
"""

import contextlib
import io
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from .. import artifacts
from ..language.expression import Expression

FILE = "parsed.npz"
_TYPES = {"names": np.uint8, "texts": np.uint8, "nodes": np.int32, "roots": np.int32}
_UNUSABLE = (OSError, ValueError, TypeError, LookupError, EOFError, RuntimeError, zlib.error, zipfile.BadZipFile)


def distinct_nodes(roots: Iterable[Expression]) -> dict[Expression, int]:
    """Every distinct subtree with its number, children before parents."""
    numbers: dict[Expression, int] = {}

    def visit(node: Expression) -> None:
        if node not in numbers:
            for child in node.children:
                visit(child)
            numbers[node] = len(numbers)

    for root in roots:
        visit(root)
    return numbers


def read_sides(directory: Path, fingerprint: str) -> dict[str, Expression]:
    """The trees by their text, as far as they are stored for this very data set."""
    path = Path(directory) / FILE
    if not artifacts.is_there(path):
        return {}
    try:
        if path.stat().st_size > artifacts.MOST_BYTES:
            return {}
        head, _, content = path.read_bytes().partition(b"\n")
        if head != _head(fingerprint, content):
            return {}
        stored = _arrays(content)
        names, texts = (stored[name].tobytes().decode("utf-8").split("\n") for name in ("names", "texts"))
        nodes: list[Expression] = []
        for kind, symbol, *children in stored["nodes"].tolist():
            below = tuple(nodes[child] for child in children if child >= 0)
            nodes.append(Expression(names[kind], names[symbol], below))
        return dict(zip(texts, (nodes[root] for root in stored["roots"].tolist()), strict=True))
    except _UNUSABLE:
        return {}


def _arrays(content: bytes) -> dict[str, np.ndarray]:
    """The arrays by name; none is larger than the bytes that are there, whatever its header says."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.getinfo(f"{name}.npy") for name in _TYPES}
        if any(member.compress_type != zipfile.ZIP_STORED for member in members.values()):
            raise ValueError("compressed, as nobody here writes it")
        return {name: _array(archive.read(member), _TYPES[name]) for name, member in members.items()}


def _array(content: bytes, kind: type) -> np.ndarray:
    file = io.BytesIO(content)
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError("of another version of the format")
    shape, _, stated = np.lib.format.read_array_header_1_0(file)
    if stated != kind:
        raise ValueError("of another type")
    return np.frombuffer(content[file.tell() :], kind).reshape(shape)


def write_sides(directory: Path, fingerprint: str, sides: dict[str, Expression]) -> None:
    """Keeps these trees, if the directory can be written."""
    numbers = distinct_nodes(sides.values())
    names = {
        name: place
        for place, name in enumerate(sorted({each for node in numbers for each in (node.kind, node.symbol)}))
    }
    nodes = [
        (names[node.kind], names[node.symbol], *([*map(numbers.get, node.children), -1, -1][:2])) for node in numbers
    ]
    buffer = io.BytesIO()
    np.savez(
        buffer,
        names=np.frombuffer("\n".join(names).encode("utf-8"), dtype=np.uint8),
        texts=np.frombuffer("\n".join(sides).encode("utf-8"), dtype=np.uint8),
        nodes=np.array(nodes, dtype=np.int32),
        roots=np.array([numbers[root] for root in sides.values()], dtype=np.int32),
    )
    content = buffer.getvalue()
    with contextlib.suppress(OSError):
        artifacts.write_bytes(Path(directory) / FILE, _head(fingerprint, content) + b"\n" + content)


def _head(fingerprint: str, content: bytes) -> bytes:
    """The first line of the file: the data set that it is of, and the SHA-256 of the rest."""
    return f"{fingerprint} {artifacts.checksum(content)}".encode()
