"""How a command ends: exit codes, the sentences that go with them, and signals that come at any time.

0 is done, 1 is trouble with the machine or a result that is not what it should be, 2 is input that cannot be used. What
a signal ended is 128 and its number, as in a shell: 130 for Control-C, 143 for a termination, 141 when whoever read the
output has gone. Work that was stopped goes on when the same command is started again.
"""

import contextlib
import ctypes
import errno
import os
import signal
import sys
from collections.abc import Callable, Iterator
from multiprocessing import resource_tracker

from .errors import InputError, MachineError

DONE, MACHINE, INPUT = 0, 1, 2
GOES_ON = "start the same command again to go on"
WORDS = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}
SECONDS_TO_WAIT = 0.05  # while an import or a finalizer runs, which would swallow an exception or half of it
PR_SET_PDEATHSIG = 1  # of Linux
# What a person named cannot be used; all other errors of the system are the machine's.
NAMES = (errno.ENAMETOOLONG, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ELOOP, errno.EINVAL)
FULL = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EIO)  # without a name, the output is meant
# Python calls back into the first from anywhere and swallows what is raised; a process that multiprocessing begins to
# start in the second needs all that it is sent.
DEAF_FILES = ("weakref.py", "popen_spawn_posix.py")

_told: list[int] = []  # signals that this process was sent


class Terminated(KeyboardInterrupt):
    """The process was asked to end."""


def watched(command: Callable[[], int]) -> int:
    """The exit code of a command that is all its process does: an interrupt and a termination are exceptions that come
    where they can be handled, from its first moment to its last; a second one ends the process at once."""
    try:
        try:
            _watch_signals()
            return command()
        finally:
            _stop_watching()
    except KeyboardInterrupt as error:  # before or after the command's own handling
        return _interrupted(error)


def _watch_signals() -> None:
    _told.clear()
    for number in (*WORDS, signal.SIGALRM):
        signal.signal(number, _tell)


def _tell(number: int, frame) -> None:
    if number != signal.SIGALRM:
        if _told:
            _leave(number, frame)
        _told.append(number)
    if _is_deaf(frame):
        signal.setitimer(signal.ITIMER_REAL, SECONDS_TO_WAIT)
    elif _told:
        raise Terminated if _told[0] == signal.SIGTERM else KeyboardInterrupt


def _stop_watching() -> None:
    """Nothing is left to be handled: a signal that comes now ends the process."""
    signal.setitimer(signal.ITIMER_REAL, 0)
    for number in WORDS:
        signal.signal(number, _leave)


def _leave(number: int, frame) -> None:
    os._exit(128 + number)


def complete_streams() -> None:
    """Gives a process the standard streams that it was started without: what it says goes nowhere then."""
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free, which is this one
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, mode, closefd=False))
    sys.stdout.reconfigure(errors="backslashreplace")  # a terminal that does not know a sign shows its number


def end_with_parent(parent: int) -> None:
    """Lets the kernel end this process when the one that started it dies (Linux only); at once if that has happened."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(MACHINE)


def leave_interrupts() -> None:
    """Control-C at a terminal reaches all its processes; this one leaves it to the one that has started it. Processes
    that it starts can hear again."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _is_deaf(frame) -> bool:
    """Whether an exception would be lost here, or leave behind a half-imported module, a half-started process or an
    object that its finalizer finds half made."""
    while frame is not None:
        code = frame.f_code
        if code.co_name == "__del__" or code.co_filename.startswith("<frozen importlib"):
            return True
        if code.co_filename.endswith(DEAF_FILES):
            return True
        if code.co_name == "__init__" and hasattr(type(frame.f_locals.get("self")), "__del__"):
            return True
        frame = frame.f_back
    return False


def ended(command: Callable[[], int | None]) -> int:
    """The exit code of a command; what went wrong is one sentence."""
    try:
        try:
            code = command() or DONE
        except SystemExit:  # of argparse, after its help
            _flush_output()
            raise
        _flush_output()
    except KeyboardInterrupt as error:
        return _interrupted(error)
    except Exception as error:  # noqa: BLE001 (raised again below, unless a sentence says it)
        if _told:  # what went wrong did so because this process and those that it has started were asked to end
            return _interrupted(Terminated() if _told[0] == signal.SIGTERM else KeyboardInterrupt())
        line, code = _about(error)
        return _say(line, code)
    return code


def _about(error: Exception) -> tuple[str, int]:
    """The last sentence and the exit code of what can happen; what cannot is raised again."""
    if isinstance(error, InputError):
        return f"error: {error}", INPUT
    if isinstance(error, MachineError):
        return f"error: {error}", MACHINE
    if isinstance(error, BrokenPipeError):
        return f"nobody reads the output any more; {GOES_ON}", 128 + signal.SIGPIPE
    if isinstance(error, MemoryError) or "std::bad_alloc" in str(error):  # of MXNet, which has an error of its own
        return "error: the memory of this machine does not suffice", MACHINE
    if isinstance(error, OSError):
        return f"error: {_sentence(error)}", INPUT if error.errno in NAMES else MACHINE
    raise error


@contextlib.contextmanager
def deaf_to_interrupts() -> Iterator[None]:
    """Processes that are started here inherit that Control-C is not for them, from their first moment."""
    resource_tracker.ensure_running()  # starting it would take the signal out of the mask again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _flush_output() -> None:
    """Writes what is still in the buffer, as long as an error can be said."""
    if sys.stdout:
        sys.stdout.flush()


def _sentence(error: OSError) -> str:
    reason = error.strerror or str(error)
    if error.filename:
        return f"{error.filename}: {reason}"
    return (
        f"the output cannot be written ({reason})"
        if error.errno in FULL
        else f"this machine does not allow it: {reason}"
    )


def _interrupted(error: KeyboardInterrupt) -> int:
    number = signal.SIGTERM if isinstance(error, Terminated) else signal.SIGINT
    return _say(f"{WORDS[number]}; {GOES_ON}", 128 + number)


def _say(line: str, code: int) -> int:
    """The exit code, after a last sentence; nothing is left in a buffer that cannot be written at the exit."""
    with contextlib.suppress(OSError):
        print(line, file=sys.stderr, flush=True)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            _forget(stream)
    return code


def _forget(stream) -> None:
    """Sends what is still in a stream nowhere."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except (OSError, ValueError, AttributeError):
        return
