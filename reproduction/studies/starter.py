"""Processes for trainings, forked from one that has imported what they need: MXNet alone takes two seconds.

A worker asks for one training after another over a socket, each as bytes with the file for its output; the answer is an
exit code.
"""

import contextlib
import importlib
import os
import pickle
import runpy
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable
from typing import IO, Any

from .. import artifacts, endings
from ..data import dataset

PROGRAM = "reproduction.studies.trainings"  # a module, or the path of a script; either has `main(request)`
IMPORTED = {PROGRAM: ("reproduction.training.loop", "reproduction.networks.backend")}
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
NOT_FOR_TRAININGS = ("MALLOC_TRIM_THRESHOLD_",)  # Dask's, for its workers: memory would be given back at every step
MOST_BYTES = 1 << 16  # of a request

_of_thread = threading.local()  # each thread of a worker asks for one training at a time


class StarterGoneError(Exception):
    """The process that starts trainings was killed."""


class Starter:
    """The other end: a process that lives no longer than the thread that has started it."""

    def __init__(self, program: str):
        self.program = program
        self._channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs, endings.deaf_to_interrupts():
            self._process = subprocess.Popen(_command(program), stdin=theirs.fileno(), **_surroundings())

    def run(self, request: bytes, log: IO) -> int:
        """The exit code of the program with this request, below 0 for a signal; its output goes to the log."""
        with contextlib.suppress(OSError):
            socket.send_fds(self._channel, [request], [log.fileno()])
            if answer := self._channel.recv(MOST_BYTES):
                return int(answer)
        self.stop()
        raise StarterGoneError

    def stop(self) -> None:
        self._channel.close()
        self._process.wait()


def run_forked(program: str, request: bytes, log: IO) -> int:
    """The exit code of a program; the process that it is forked from stays for the next one."""
    starter = getattr(_of_thread, "starter", None)
    if starter is not None and starter.program != program:
        starter.stop()
        starter = None
    if starter is None:
        starter = _of_thread.starter = Starter(program)
    try:
        return starter.run(request, log)
    except StarterGoneError:
        del _of_thread.starter
        raise


def run_anew(program: str, request: bytes, log: IO) -> int:
    """The same with an interpreter of its own, where forking is not safe."""
    command = [*_command(program), "once"]
    return subprocess.run(command, input=request, stdout=log, stderr=log, **_surroundings(), check=False).returncode


def _command(program: str) -> list[str]:
    return [sys.executable, "-m", __name__, str(os.getpid()), program]


def _surroundings() -> dict[str, Any]:
    inherited = {name: value for name, value in os.environ.items() if name not in NOT_FOR_TRAININGS}
    return {"cwd": artifacts.ROOT, "env": {**inherited, **ONE_THREAD}}


# ------------------------------------------------------------------------------------------------ in the process


def serve(program: str) -> None:
    """Starts what is asked for, one after another, until nobody asks any more."""
    endings.leave_interrupts()
    main = _main_of(program)
    with contextlib.suppress(Exception):  # that a training will run into and say
        for name in IMPORTED.get(program, ()):
            importlib.import_module(name)
    with socket.socket(fileno=os.dup(sys.stdin.fileno())) as channel:
        while True:
            request, files, *_ = socket.recv_fds(channel, MOST_BYTES, 1)
            if not request:
                return
            with contextlib.suppress(Exception):  # the data of the next trainings are mostly the same
                dataset.load(pickle.loads(request).data.directory)
            parent, child = os.getpid(), os.fork()
            if child == 0:
                channel.close()
                os._exit(_run(main, request, files[0], parent))
            os.close(files[0])
            _, status = os.waitpid(child, 0)
            channel.send(str(os.waitstatus_to_exitcode(status)).encode())


def _main_of(program: str) -> Callable[[bytes], int]:
    if program.endswith(".py"):
        return runpy.run_path(program)["main"]
    return importlib.import_module(program).main


def _run(main: Callable[[bytes], int], request: bytes, log: int, parent: int) -> int:
    """The life of a forked process, as that of one with an interpreter of its own."""
    endings.end_with_parent(parent)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for place, file in enumerate((nothing, log, log)):
        os.dup2(file, place)
    try:
        code = endings.watched(lambda: main(request))
    except BaseException:  # noqa: BLE001 (an interpreter would say it, too)
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return code


if __name__ == "__main__":
    started_by, asked, *once = sys.argv[1:]
    endings.end_with_parent(int(started_by))
    if once:
        sys.exit(endings.watched(lambda: _main_of(asked)(sys.stdin.buffer.read())))
    serve(asked)
