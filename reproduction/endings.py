"""How a command ends: exit codes and the sentences that go with them.

0: done. 1: trouble with the machine, or a result that is not what it should be. 2: input that cannot be used. A signal
gives 128 plus its number, as in a shell: 130 for Control-C, 143 for a termination, 141 when nobody reads the output.
Work that was stopped goes on when the same command is started again.
"""

import contextlib
import ctypes
import errno
import io
import os
import signal
import sys
from collections.abc import Callable, Iterator
from multiprocessing import resource_tracker

from .errors import InputError, MachineError

# What MXNet says where the system gives it no memory, or no thread.
NO_MEMORY = ("std::bad_alloc", "Failed to allocate CPU Memory", "Resource temporarily unavailable")
DONE, MACHINE, INPUT = 0, 1, 2
GOES_ON = "start the same command again to go on"
WORDS = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}
PR_SET_PDEATHSIG = 1  # of Linux
# A name that cannot be used is wrong input; all other errors of the system are the machine's.
NAMES = (errno.ENAMETOOLONG, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ELOOP, errno.EINVAL)
FULL = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EIO)  # without a file name, the output is meant


def watched(command: Callable[[], int]) -> int:
    """The exit code of a command that is all its process does; Control-C and a termination end it with a sentence.

    They end it at once, as a kill would: files appear whole or not at all, and the next start removes what is left.
    """
    sys.warnoptions.append("ignore:resource_tracker:UserWarning")  # its process would say what is left to clean up
    for number in WORDS:
        signal.signal(number, _leave)
    return command()


def _leave(number: int, frame) -> None:
    with contextlib.suppress(OSError):
        line = f"{WORDS[signal.Signals(number)]}; {GOES_ON}\n"
        os.write(2, (f"\n{line}" if os.isatty(2) else line).encode())  # a terminal may show a progress bar
    os._exit(128 + number)


def complete_streams() -> None:
    """Opens standard streams that the process was started without; what goes there is lost."""
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number, which is this one
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115 (it stays open)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal that lacks a character shows its number


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
    resource_tracker.ensure_running()  # starting it later would unblock the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def ended(command: Callable[[], int | None]) -> int:
    """The exit code of a command; what went wrong is said in one sentence."""
    try:
        try:
            code = command() or DONE
        except SystemExit:  # of argparse, after its help
            sys.stdout.flush()
            raise
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _say(f"{WORDS[signal.SIGINT]}; {GOES_ON}", 128 + signal.SIGINT)
    except Exception as error:  # noqa: BLE001 (raised again unless a sentence says it)
        return _say(*_about(error))
    return code


def _about(error: Exception) -> tuple[str, int]:
    """The last sentence and the exit code; an error that is a fault of the program is raised again."""
    if isinstance(error, InputError):
        return f"error: {error}", INPUT
    if isinstance(error, MachineError):
        return f"error: {error}", MACHINE
    if isinstance(error, BrokenPipeError):
        return f"nobody reads the output any more; {GOES_ON}", 128 + signal.SIGPIPE
    if isinstance(error, MemoryError) or any(words in str(error) for words in NO_MEMORY):  # MXNet's own error
        return "error: the memory of this machine does not suffice", MACHINE
    if isinstance(error, OSError):
        return f"error: {_sentence(error)}", INPUT if error.errno in NAMES else MACHINE
    raise error


def _sentence(error: OSError) -> str:
    reason = error.strerror or str(error)
    if error.filename:
        return f"{error.filename}: {reason}"
    if error.errno in FULL:
        return f"the output cannot be written ({reason})"
    return f"this machine does not allow it: {reason}"


def _say(line: str, code: int) -> int:
    """The exit code, after a last sentence; a buffer that cannot be written is dropped, or Python complains at exit."""
    with contextlib.suppress(OSError):
        print(line, file=sys.stderr, flush=True)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    return code
