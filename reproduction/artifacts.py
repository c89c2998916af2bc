"""Where everything lies, files that appear whole or not at all, and files that are read with care.

What a command writes for another command to read is sealed: the file names a digest of its own content. What a person
writes is not; both are JSON without what Python alone would take.
"""

import contextlib
import errno
import fcntl
import gzip
import hashlib
import io
import json
import os
import secrets
import stat
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from .errors import InputError
from .strict_json import parse_json

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
MOST_BYTES = 2**30  # of a file that is read as a whole


def is_utf_8(name: str) -> bool:
    """Whether a name can be said in UTF-8; those of files may be any bytes, for which Python has signs of its own."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def resolved(path: Path | str) -> Path:
    """The place that a name means, without links."""
    try:
        place = Path(path).resolve()
        os.stat(place)
    except (RuntimeError, OSError) as error:  # for a loop: pathlib up to Python 3.12, the system after it
        if isinstance(error, RuntimeError) or error.errno == errno.ELOOP:
            raise InputError(f"{path}: this link leads in a circle, to no place") from None
    return place


def written_place(path: Path) -> Path:
    """Where a file of this name is written: where its links lead; what is there and is no file is refused."""
    place = resolved(path)
    if place.is_dir():
        raise InputError(f"{path}: this is a directory; the name of a file is wanted")
    if place.exists() and not place.is_file():
        raise InputError(f"{path}: this is a device or a pipe; only a regular file, or none, is written over")
    return place


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A name to write to that becomes the file in one step, on disk before it gets its name.

    Who writes holds a lock on it: what a killed writer left behind is nobody's, and the next one removes it.
    """
    path = written_place(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    remove_leftovers(path.parent, f".{path.name}.")
    file, temporary = _temporary(path)
    try:
        with file:
            yield temporary
            os.fsync(file.fileno())
            os.replace(temporary, path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from None
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _temporary(path: Path) -> tuple[io.FileIO, Path]:
    """A new file beside this one, locked; another process may take it for a leftover before it is."""
    while True:
        temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}{PART}")
        file = temporary.open("xb", buffering=0)
        _lock(file)
        if temporary.exists():
            return file, temporary
        file.close()


def _lock(file) -> bool:
    """Whether nobody else has the file locked; where files cannot be locked, nothing can be said."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def remove_leftovers(directory: Path, start: str = ".") -> None:
    """Removes what killed writers left in a directory, of files whose temporary names start like this."""
    with contextlib.suppress(OSError):
        for path in [Path(directory) / name for name in os.listdir(directory) if name.startswith(start)]:
            if path.name.endswith(PART):
                with contextlib.suppress(OSError), path.open("rb") as file:
                    if _lock(file):
                        path.unlink()


AXIOMS: Path
RECIPE: Path | None
RUNS: Path
FIGURES: Path
DATA: Path
CACHE: Path


def enter(workspace: Path | str) -> None:
    """From here on all defaults are places in this directory; one that cannot be used is refused by who uses it."""
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


def write_json_gz(path: Path, value) -> None:
    """One JSON value, compressed."""
    _write_gz(path, [_json(value)])


def _json(value, indent: int | None = None) -> str:
    return json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False) + "\n"


def write_sealed(path: Path, value: dict, indent: int | None = 1) -> None:
    """A JSON object with a digest of its content, which `read_json` compares."""
    write_json(path, {**value, SEAL: seal_of(value)}, indent)


def seal_of(value: dict) -> str:
    """A digest of a JSON object, without its own seal."""
    content = {name: each for name, each in value.items() if name != SEAL}
    return fingerprint(json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8"))


def read_json(path: Path):
    """What a JSON file says; a seal is left out, and one that is not that of the content is refused."""
    return unsealed(parse_json(read_text(path), path), path)


def unsealed(value, path: Path):
    """A JSON value without its seal, if it has one."""
    if not isinstance(value, dict) or SEAL not in value:
        return value
    if value[SEAL] != seal_of(value):
        raise InputError(f"{path}: damaged, its content does not have the digest that is its {SEAL}")
    return {name: each for name, each in value.items() if name != SEAL}


def is_there(path: Path, is_wanted: Callable[[int], bool] = stat.S_ISREG) -> bool:
    """Whether there is a file of this name, or a directory; a name that means something else does not count as none."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        nearest = next(place for place in (Path(path), *Path(path).absolute().parents) if os.path.lexists(place))
        if nearest.is_symlink() and not nearest.exists():
            raise InputError(f"{nearest}: this link leads nowhere; mend or remove it") from None
        return False
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    if not is_wanted(mode):
        wanted = "directory" if is_wanted is stat.S_ISDIR else "regular file"
        raise InputError(f"{path}: this is no {wanted}; mend or remove it")
    return True


def entries(directory: Path) -> list[Path]:
    """What is in a directory, in the order of names; nothing if there is none."""
    return sorted(Path(directory).iterdir()) if is_there(directory, stat.S_ISDIR) else []


def read_bytes(path: Path, pipes: bool = False) -> bytes:
    """The content of a file that a person may have named; of a pipe or a terminal only where it is read once."""
    try:
        _refuse_devices(path, os.stat(path).st_mode, pipes)
        with open(path, "rb") as file:
            return read_bounded(file, path)
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise InputError(f"{path}: this is a directory, not a file") from None
    except PermissionError:
        raise InputError(f"{path}: this file may not be read") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or error})") from None


def _refuse_devices(path: Path, mode: int, pipes: bool) -> None:
    """Refuses what has no end or no content of its own; a regular file and a directory are for who opens it."""
    if stat.S_ISBLK(mode) or (stat.S_ISCHR(mode) and not (pipes and _is_terminal(path))):
        raise InputError(f"{path}: this is a device, not a file")
    if (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)) and not pipes:
        raise InputError(f"{path}: this is a pipe; a regular file is wanted")


def _is_terminal(path: Path) -> bool:
    with open(path, "rb") as file:
        return file.isatty()


def read_bounded(file: BinaryIO, name: Path | str) -> bytes:
    """All that is in an open file, unless that is more than fits."""
    content = bytearray()
    while chunk := file.read(2**20):
        content += chunk
        if len(content) > MOST_BYTES:
            raise InputError(f"{name}: more than {MOST_BYTES:,} bytes, which is the most that is read")
    return bytes(content)


def decoded(content: bytes, name: Path | str) -> str:
    """The text of what was read from somewhere."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode("utf-8").removeprefix("\ufeff")
        line, column = before.count("\n") + 1, len(before.rpartition("\n")[2]) + 1
        raise InputError(f"{name}, line {line}, column {column}: not UTF-8 text; save the file as UTF-8") from None


def read_text(path: Path, pipes: bool = False) -> str:
    """The text of a file that a person may have named; of a pipe or a terminal only where it is read once."""
    return decoded(read_bytes(path, pipes), path)


def write_lines(path: Path, rows: Iterable[dict]) -> None:
    """One JSON object a line."""
    write_text(path, "".join(map(_json, rows)))


def write_lines_gz(path: Path, rows: Iterable[dict]) -> None:
    """One JSON object a line, compressed."""
    _write_gz(path, map(_json, rows))


def _write_gz(path: Path, texts: Iterable[str]) -> None:
    """Texts one after another, compressed; the same texts give the same bytes (no time stamp, no file name)."""
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=buffer, mtime=0, compresslevel=9) as file:
        for text in texts:
            file.write(text.encode("utf-8"))
    write_bytes(path, buffer.getvalue())


def unpacked(content: bytes, path: Path) -> bytes:
    """What is in a compressed file of this content."""
    try:
        text = gzip.decompress(content) if content else None
    except (EOFError, gzip.BadGzipFile, zlib.error):
        text = None
    if text is None:
        raise InputError(f"{path}: damaged, not a complete gzip file")
    return text


def lines_of_gz(content: bytes, path: Path) -> Iterator[dict]:
    """The objects of the content of a compressed JSON-lines file."""
    return lines_of(unpacked(content, path), path)


def lines_of(content: bytes, path: Path) -> Iterator[dict]:
    """The objects of the content of a JSON-lines file; each line ends with a line break."""
    *lines, rest = decoded(content, path).split("\n")
    if rest:
        raise InputError(f"{path}, line {len(lines) + 1}: cut off, the line has no end")
    try:
        rows = parse_json(f"[{','.join(lines)}]", path)  # at once, which is faster
    except InputError:
        rows = []
    if len(rows) != len(lines):
        rows = [parse_json(line, path, number) for number, line in enumerate(lines, 1)]
    return iter(rows)


def read_lines_gz(path: Path) -> Iterator[dict]:
    """The objects of a compressed JSON-lines file."""
    return lines_of_gz(read_bytes(path), path)


def checksum(content: bytes) -> str:
    """The SHA-256 of some bytes."""
    return hashlib.sha256(content).hexdigest()


def fingerprint(*contents: bytes) -> str:
    """A short name for these bytes: the start of their SHA-256."""
    return fingerprint_of_checksums(map(checksum, contents))


def fingerprint_of_checksums(checksums: Iterable[str]) -> str:
    """The fingerprint of contents whose SHA-256 are known."""
    return checksum(b"".join(map(bytes.fromhex, checksums)))[:16]
