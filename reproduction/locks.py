"""One writer at a time: a lock on a directory that the kernel takes back when its owner dies."""

import contextlib
import fcntl
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from . import artifacts

LOCK = ".lock"


@contextlib.contextmanager
def owned(directory: Path) -> Iterator[None]:
    """This process is the only writer of the directory, which is made if need be; waits while another one is.

    What killed writers left behind is removed at the beginning and at the end; so are directories that were made for
    nothing.
    """
    directory = Path(directory)
    made = [each for each in directory.parents if not each.exists()]  # the deepest first
    directory.mkdir(parents=True, exist_ok=True)
    try:
        with _taken(directory / LOCK):
            artifacts.remove_leftovers(directory)
            yield
            artifacts.remove_leftovers(directory)
    finally:
        with contextlib.suppress(OSError):
            for each in (directory, *made):
                each.rmdir()  # if nothing came into it


@contextlib.contextmanager
def _taken(path: Path) -> Iterator[None]:
    """The lock of this name; its file is there while somebody has it."""
    while True:
        path.parent.mkdir(parents=True, exist_ok=True)  # who had the lock may have removed it
        file = path.open("ab")
        try:
            _wait(file, path)
            if _is_same(file, path):
                break
        except BaseException:
            file.close()
            raise
        file.close()  # the one who had it has removed it: another file has this name by now, or none
    with file:
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


def _wait(file, path: Path) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.stderr.write(f"{path.parent}: another process writes there; waiting until it is done\n")
        sys.stderr.flush()
        fcntl.flock(file, fcntl.LOCK_EX)


def _is_same(file, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


@contextlib.contextmanager
def scratch(name: str) -> Iterator[Path]:
    """A directory for what nobody needs afterwards; those of dead processes are removed on the way."""
    place = _scratch_place()
    place.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        with _taken(place / LOCK):
            _clear(place)
            made = tempfile.TemporaryDirectory(dir=place, prefix=f"{name}-", ignore_cleanup_errors=True)
            directory = Path(stack.enter_context(made))
            fcntl.flock(stack.enter_context((directory / LOCK).open("ab")), fcntl.LOCK_EX)
        yield directory


def clear_scratch() -> None:
    """Removes what killed processes left in scratch directories, for who may not need one of its own."""
    place = _scratch_place()
    if place.is_dir() and any(place.iterdir()):
        with _taken(place / LOCK):
            _clear(place)


def _scratch_place() -> Path:
    return artifacts.CACHE / "scratch"


def _clear(place: Path) -> None:
    for leftover in filter(Path.is_dir, place.iterdir()):
        _remove_if_dead(leftover)


def _remove_if_dead(directory: Path) -> None:
    """Removes a directory whose owner is gone; who makes one holds the lock of them all until its own is taken."""
    with contextlib.suppress(OSError), (directory / LOCK).open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(directory, ignore_errors=True)
