"""Exceptions with a sentence for people, types for argparse, and how a command ends.

Exit codes. 0: done. 1: trouble with the machine, or a result that is not what it should be. 2: input that cannot be
used. A signal gives 128 plus its number, as in a shell: 130 for Control-C, 143 for a termination, 141 for a closed
output. Work that was stopped goes on when the same command is started again.
"""

import argparse
import contextlib
import ctypes
import errno
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

# MXNet's errors where the system gives it no memory, or no thread.
NO_MEMORY = ("bad_alloc", "Failed to allocate CPU Memory", "Resource temporarily unavailable")
DONE, MACHINE, INPUT = 0, 1, 2
GOES_ON = "start the same command again to go on"
WORDS = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}
PR_SET_PDEATHSIG = 1  # of Linux
# A name that cannot be used is wrong input; all other errors of the system are the machine's.
NAMES = (errno.ENAMETOOLONG, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ELOOP, errno.EINVAL)


class InputError(Exception):
    """Input that cannot be used; the message says what, where and what is allowed."""


class MachineError(RuntimeError):
    """Trouble with the machine; the message says what."""


def excerpt(text: str, most: int = 60) -> str:
    """A person's text for a message: cut where it is long, without characters that cannot be printed."""
    shown = "".join(character if character.isprintable() else "�" for character in text[:most])
    return shown + ("…" if len(text) > most else "")


# ------------------------------------------------------------------------------------------------ words


def place(text: str) -> Path:
    """argparse type: the name of a file or a directory; no name at all is refused."""
    if not text.strip():
        raise argparse.ArgumentTypeError("an empty name is no place (. is the current directory)")
    return Path(text)


def whole_number(least: int, most: int) -> Callable[[str], int]:
    """argparse type: a whole number in [least, most]."""

    def read(text: str) -> int:
        with contextlib.suppress(ValueError):
            if least <= (number := int(text)) <= most:
                return number
        raise argparse.ArgumentTypeError(f"{excerpt(text)!r} should be a whole number from {least} to {most}")

    return read


positive_integer = whole_number(1, 2**31)

# ------------------------------------------------------------------------------------------------ endings


def watched(command: Callable[[], int]) -> int:
    """The exit code of a command with a process of its own, which Control-C and a termination end with a sentence.

    They end it at once, as a kill would: files appear whole or not at all, and the next start removes leftovers.
    """
    sys.warnoptions.append("ignore:resource_tracker:UserWarning")  # multiprocessing would list what it cleans up
    for number in WORDS:
        signal.signal(number, _leave)
    return command()


def _leave(number: int, frame) -> None:
    with contextlib.suppress(OSError):
        line = f"{WORDS[signal.Signals(number)]}; {GOES_ON}\n"
        os.write(2, (f"\n{line}" if os.isatty(2) else line).encode())  # a terminal may show a progress bar
    os._exit(128 + number)


def ended(command: Callable[[], int | None]) -> int:
    """The exit code of a command; a failure is said in one sentence."""
    try:
        try:
            return command() or DONE
        finally:
            print(end="", flush=True)  # also after argparse's help
    except KeyboardInterrupt:
        return _say(f"{WORDS[signal.SIGINT]}; {GOES_ON}", 128 + signal.SIGINT)
    except Exception as error:  # noqa: BLE001 (raised again unless a sentence says it)
        return _say(*_about(error))


def _about(error: Exception) -> tuple[str, int]:
    """The last sentence and the exit code; a fault of the program is raised again."""
    if isinstance(error, InputError):
        return f"error: {error}", INPUT
    if isinstance(error, MachineError):
        return f"error: {error}", MACHINE
    if isinstance(error, BrokenPipeError):
        return f"nobody reads the output any more; {GOES_ON}", 128 + signal.SIGPIPE
    if isinstance(error, MemoryError) or any(words in str(error) for words in NO_MEMORY):  # MXNet's own error
        return "error: the memory of this machine does not suffice", MACHINE
    if isinstance(error, OSError):  # without a name of a file it is mostly the output
        where = error.filename or "this machine does not allow it"
        return f"error: {where}: {error.strerror or error}", INPUT if error.errno in NAMES else MACHINE
    raise error


def _say(line: str, code: int) -> int:
    """The exit code, after a last sentence; buffers that cannot be written are dropped, or Python would complain."""
    with contextlib.suppress(OSError):
        print(line, file=sys.stderr, flush=True)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    return code


# ------------------------------------------------------------------------------------------------ other processes


def end_with_parent(parent: int) -> None:
    """Lets the kernel kill this process when its parent dies (Linux only); ends it if that has happened already."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(MACHINE)


def leave_interrupts() -> None:
    """Ignores Control-C, which reaches all processes of a terminal: the one that started this process handles it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # processes started from here may handle it again


@contextlib.contextmanager
def deaf_to_interrupts() -> Iterator[None]:
    """Processes and threads that are started inside have Control-C blocked from their first moment."""
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # starting it later would unblock the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
