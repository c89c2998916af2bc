"""Where everything lies, and files that appear whole or not at all."""

import gzip
import hashlib
import io
import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from .errors import InputError

ROOT = Path(__file__).resolve().parent.parent
PROJECT_AXIOMS = ROOT / "axioms.txt"
WORKSPACE = "REPRODUCTION_WORKSPACE"  # the variable that names the directory of data, runs and figures
BENCHMARK = "REPRODUCTION_BENCHMARK"  # the variable that names a second benchmark, a directory inside runs and figures
SUMMARY = "summary.json"  # of an ablation or a search of one model
DATA_STUDY, LADDER = "data-study.json", "ladder.json"  # the summaries of two studies


def enter(workspace: Path | str) -> None:
    """From here on all defaults are places in this directory."""
    global AXIOMS, RECIPE, RUNS, FIGURES, DATA, CACHE
    place, benchmark = Path(workspace).resolve(), os.environ.get(BENCHMARK, "")
    AXIOMS = place / "axioms.txt" if (place / "axioms.txt").is_file() else PROJECT_AXIOMS
    RECIPE = place / "recipe.json" if (place / "recipe.json").is_file() else None
    RUNS, FIGURES = place / "runs" / benchmark, place / "figures" / benchmark
    DATA, CACHE = RUNS / "data", RUNS / "cache"


enter(os.environ.get(WORKSPACE) or ROOT)


def write_bytes(path: Path, content: bytes) -> None:
    """The file with this content, put in place in one step, on disk before it gets its name."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def write_text(path: Path, text: str) -> None:
    write_bytes(path, text.encode("utf-8"))


def write_json(path: Path, value, indent: int | None = 1) -> None:
    write_text(path, json.dumps(value, indent=indent, ensure_ascii=False) + "\n")


def read_json(path: Path):
    try:
        return json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise InputError(f"{path}, line {error.lineno}, column {error.colno}: not JSON ({error.msg})") from None


def read_text(path: Path) -> str:
    """The text of a file that a person may have named."""
    try:
        return decoded(Path(path).read_bytes(), path)
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise InputError(f"{path}: this is a directory, not a file") from None
    except PermissionError:
        raise InputError(f"{path}: this file may not be read") from None


def decoded(content: bytes, name: Path | str) -> str:
    """The text of what was read from somewhere."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode("utf-8").removeprefix("\ufeff")
        line, column = before.count("\n") + 1, len(before.rpartition("\n")[2]) + 1
        raise InputError(f"{name}, line {line}, column {column}: not UTF-8 text; save the file as UTF-8") from None


def write_lines_gz(path: Path, rows: Iterable[dict]) -> None:
    """One JSON object a line, compressed; the same rows give the same bytes (no time stamp, no file name)."""
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=buffer, mtime=0, compresslevel=9) as file:
        for row in rows:
            file.write((json.dumps(row, ensure_ascii=False) + "\n").encode("utf-8"))
    write_bytes(path, buffer.getvalue())


def read_lines_gz(path: Path) -> Iterator[dict]:
    """The objects of a compressed JSON-lines file."""
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for line_number, line in enumerate(file, 1):
                try:
                    yield json.loads(line)
                except json.JSONDecodeError as error:
                    raise InputError(f"{path}, line {line_number}: not a JSON object ({error.msg})") from None
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file") from None
    except (EOFError, gzip.BadGzipFile, UnicodeDecodeError):
        raise InputError(f"{path}: damaged, not a complete gzip file of UTF-8 text") from None


def fingerprint(*contents: bytes) -> str:
    """A short name for these bytes: the start of their SHA-256."""
    digest = hashlib.sha256()
    for content in contents:
        digest.update(hashlib.sha256(content).digest())
    return digest.hexdigest()[:16]
