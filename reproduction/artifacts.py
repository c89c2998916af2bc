"""Places of files, and how they are written and read: whole or not at all, one writer at a time, strict JSON.

A file that a command writes for another command is sealed: it contains a digest of its own content. A file that a
person writes is not.
"""

import contextlib
import fcntl
import gzip
import hashlib
import io
import json
import math
import os
import secrets
import sys
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from .errors import InputError

_CHECKOUT, _PACKAGE_DATA = Path(__file__).resolve().parent.parent, Path(__file__).resolve().parent / "project"
IS_INSTALLED = not (_CHECKOUT / "run_all.sh").is_file()  # by pip, with the parts of a checkout that using it needs
ROOT = _PACKAGE_DATA if IS_INSTALLED else _CHECKOUT
PROJECT_AXIOMS = ROOT / "axioms.txt"
WORKSPACE = "REPRODUCTION_WORKSPACE"  # the variable that names the directory of data, runs and figures
BENCHMARK = "REPRODUCTION_BENCHMARK"  # the variable that names a second benchmark, a directory inside runs and figures
SCALE = "REPRODUCTION_SCALE"  # the variable that is "smoke" where everything is done small
IS_SMOKE = os.environ.get(SCALE) == "smoke"
SEAL = "seal"  # the last field of a sealed file
PART = ".part"  # how the name of a file ends that is not whole yet
LOCK = ".lock"  # in a directory that somebody writes
MOST_DIGITS = 18  # of a whole number in JSON


def resolved(path: Path | str) -> Path:
    """The path without symbolic links."""
    return Path(os.path.realpath(path))


def written_place(path: Path) -> Path:
    """The path that is written for this name, without links; a directory, a pipe or a device there is refused."""
    place = resolved(path)
    if place.exists() and not place.is_file():
        raise InputError(f"{path}: there is something else; the name of a file is wanted")
    return place


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A temporary name to write to, whose file gets its name when it is wholly on disk.

    Its writer holds a lock on it; one without a lock is of a killed writer, and the next writer removes it.
    """
    path = written_place(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    remove_leftovers(path.parent, f".{path.name}.")
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}{PART}")
    try:
        with temporary.open("xb", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield temporary
            os.fsync(file.fileno())
            os.replace(temporary, path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        temporary.unlink(missing_ok=True)


def remove_leftovers(directory: Path, start: str = ".") -> None:
    """Removes temporary files of killed writers whose names start like this."""
    for path in directory.iterdir():
        if path.name.startswith(start) and path.name.endswith(PART):
            with contextlib.suppress(OSError), path.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # an error if its writer lives
                path.unlink()


@contextlib.contextmanager
def owned(directory: Path) -> Iterator[None]:
    """Makes this process the only writer of the directory, which is made if need be; waits while there is another.

    Files of killed writers are removed at the beginning and at the end, and directories that stay empty at the end.
    """
    directory = Path(directory)
    made = [each for each in directory.parents if not each.exists()]  # the deepest first
    try:
        with _taken(directory / LOCK):
            remove_leftovers(directory)
            yield
            remove_leftovers(directory)
    finally:
        with contextlib.suppress(OSError):
            for each in (directory, *made):
                each.rmdir()  # if nothing came into it


@contextlib.contextmanager
def _taken(path: Path) -> Iterator[None]:
    """Holds the lock of this name, which the kernel frees when its owner dies; its file exists while it is held."""
    while True:
        path.parent.mkdir(parents=True, exist_ok=True)  # who had the lock may have removed it
        with path.open("ab") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                sys.stderr.write(f"{path.parent}: another process writes there; waiting until it is done\n")
                fcntl.flock(file, fcntl.LOCK_EX)
            if os.fstat(file.fileno()).st_nlink == 0:  # who had it has removed the file: it is no longer the lock
                continue
            try:
                yield
            finally:
                path.unlink(missing_ok=True)
            return


AXIOMS: Path
RECIPE: Path | None
RUNS: Path
FIGURES: Path
DATA: Path
CACHE: Path


def enter(workspace: Path | str) -> None:
    """Makes this directory the workspace: defaults are places in it from here on."""
    global AXIOMS, RECIPE, RUNS, FIGURES, DATA, CACHE
    place, benchmark = Path(os.path.realpath(workspace)), os.environ.get(BENCHMARK, "")
    AXIOMS = place / "axioms.txt" if os.path.isfile(place / "axioms.txt") else PROJECT_AXIOMS
    RECIPE = place / "recipe.json" if os.path.isfile(place / "recipe.json") else None
    RUNS, FIGURES = place / "runs" / benchmark, place / "figures" / benchmark
    DATA, CACHE = RUNS / "data", RUNS / "cache"


enter(os.environ.get(WORKSPACE) or (Path.home() / ".cache" / "reproduction" if IS_INSTALLED else ROOT))


def write_bytes(path: Path, content: bytes) -> None:
    """The file with this content."""
    with whole_file(path) as temporary:
        temporary.write_bytes(content)


def write_text(path: Path, text: str) -> None:
    write_bytes(path, text.encode("utf-8"))


def write_json(path: Path, value, indent: int | None = 1) -> None:
    write_text(path, _json(value, indent))


def _json(value, indent: int | None = None) -> str:
    return json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False) + "\n"


# ------------------------------------------------------------------------------------------------ JSON


def _integer(text: str) -> int:
    if len(text) > MOST_DIGITS:
        raise ValueError(f"the number {text[:12]}… has more than {MOST_DIGITS} digits")
    return int(text)


def _float(text: str) -> float:
    if not math.isfinite(value := float(text)):
        raise ValueError(f"{text[:40]} is no number")
    return value


def _object(pairs: list[tuple]) -> dict:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ValueError(f"a name of {', '.join(value)[:80]} stands there twice")
    return value


_DECODER = json.JSONDecoder(parse_int=_integer, parse_float=_float, parse_constant=_float, object_pairs_hook=_object)


def parse_json(text: str, where, number: int | None = None):
    """The value of a JSON text, or of line `number` of a file with a value a line.

    Values that Python alone would accept are refused: NaN, a name twice, endless digits, half characters.
    """
    place = f"{where}" if number is None else f"{where}, line {number}"
    try:
        value = _DECODER.decode(text)
        if "\\ud" in text.lower():
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except json.JSONDecodeError as error:
        place = f"{where}, line {number or error.lineno}, column {error.colno}"
        raise InputError(f"{place}: not JSON ({error.msg})") from None
    except RecursionError:
        raise InputError(f"{place}: nested too deep") from None
    except UnicodeEncodeError:
        raise InputError(f"{place}: half a character (\\ud800 to \\udfff alone)") from None
    except ValueError as error:
        raise InputError(f"{place}: {error}") from None
    return value


def write_sealed(path: Path, value: dict, indent: int | None = 1) -> None:
    """A JSON object with a digest of its content, which `read_json` compares."""
    write_json(path, {**value, SEAL: seal_of(value)}, indent)


def seal_of(value: dict) -> str:
    """A digest of a JSON object, without its own seal."""
    content = {name: each for name, each in value.items() if name != SEAL}
    return fingerprint(json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8"))


def read_json(path: Path):
    """The value of a JSON file, without its seal; a seal that is not that of the content is refused."""
    return unsealed(parse_json(read_text(path), path), path)


def unsealed(value, path: Path):
    """A JSON value without its seal, if it has one."""
    if not isinstance(value, dict) or SEAL not in value:
        return value
    if value[SEAL] != seal_of(value):
        raise InputError(f"{path}: damaged, its content does not have the digest that is its {SEAL}")
    return {name: each for name, each in value.items() if name != SEAL}


def is_there(path: Path) -> bool:
    """Whether there is a file of this name; something else of this name is refused."""
    if os.path.lexists(path) and not os.path.isfile(path):
        raise InputError(f"{path}: this is no regular file; mend or remove it")
    return os.path.isfile(path)


def entries(directory: Path) -> list[Path]:
    """The paths in a directory, in the order of names; none if there is no directory."""
    return sorted(Path(directory).iterdir()) if os.path.isdir(directory) else []


def read_bytes(path: Path, pipes: bool = False) -> bytes:
    """The content of a file; of a pipe or a terminal only where `pipes` allows it, as it can be read only once."""
    path = Path(path)
    if path.exists() and not (pipes or path.is_file()):
        raise InputError(f"{path}: this is a pipe, a device or a directory, not a file")
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file") from None
    except (OSError, ValueError) as error:  # the second of a name that no file can have
        raise InputError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or error})") from None


def decoded(content: bytes, name: Path | str) -> str:
    """The UTF-8 text of these bytes, which came from a file or a pipe of this name."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode("utf-8").removeprefix("\ufeff")
        line, column = before.count("\n") + 1, len(before.rpartition("\n")[2]) + 1
        raise InputError(f"{name}, line {line}, column {column}: not UTF-8 text; save the file as UTF-8") from None


def read_text(path: Path, pipes: bool = False) -> str:
    """The text of a file, or of a pipe or a terminal where `pipes` allows it."""
    return decoded(read_bytes(path, pipes), path)


def write_lines(path: Path, rows: Iterable[dict]) -> None:
    """One JSON object a line."""
    write_text(path, "".join(map(_json, rows)))


def write_lines_gz(path: Path, rows: Iterable[dict]) -> None:
    """One JSON object a line, compressed; the same rows give the same bytes (no time stamp, no file name)."""
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=buffer, mtime=0, compresslevel=9) as file:
        for row in rows:
            file.write(_json(row).encode("utf-8"))
    write_bytes(path, buffer.getvalue())


def unpacked(content: bytes, path: Path) -> bytes:
    """The content of a compressed file, unpacked."""
    with contextlib.suppress(EOFError, gzip.BadGzipFile, zlib.error):
        if content:
            return gzip.decompress(content)
    raise InputError(f"{path}: damaged, not a complete gzip file")


def lines_of_gz(content: bytes, path: Path) -> Iterator[dict]:
    """The objects of the content of a compressed JSON-lines file."""
    return lines_of(unpacked(content, path), path)


def lines_of(content: bytes, path: Path) -> Iterator[dict]:
    """The objects of the content of a JSON-lines file; each line ends with a line break."""
    *lines, rest = decoded(content, path).split("\n")
    if rest:
        raise InputError(f"{path}, line {len(lines) + 1}: cut off, the line has no end")
    return iter([parse_json(line, path, number) for number, line in enumerate(lines, 1)])


def checksum(content: bytes) -> str:
    """The SHA-256 of some bytes."""
    return hashlib.sha256(content).hexdigest()


def fingerprint(*contents: bytes) -> str:
    """A short name for these bytes: the start of their SHA-256."""
    return fingerprint_of_checksums(map(checksum, contents))


def fingerprint_of_checksums(checksums: Iterable[str]) -> str:
    """The fingerprint of contents with these SHA-256."""
    return checksum(b"".join(map(bytes.fromhex, checksums)))[:16]
