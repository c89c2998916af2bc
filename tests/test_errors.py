"""How a command ends: exit codes, one sentence, no traceback; and which processes hear Control-C."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from reproduction import errors
from reproduction.errors import InputError, MachineError

ROOT = Path(__file__).resolve().parents[1]
ENDS = (
    (InputError("no"), 2, "error: no"),
    (MachineError("no"), 1, "error: no"),
    (BrokenPipeError(), 141, "nobody reads"),
    (KeyboardInterrupt(), 130, "interrupted; start the same command again"),
    (OSError(errno.ENOSPC, "No space left", "a.json"), 1, "error: a.json: No space left"),
    (OSError(errno.ENAMETOOLONG, "Too long", "a.json"), 2, "error: a.json: Too long"),
    (OSError(errno.EMFILE, "Too many open files"), 1, "error: this machine does not allow it: Too many open files"),
    (RuntimeError("std::bad_alloc"), 1, "error: the memory"),  # as MXNet says it, now and then with a space
    (RuntimeError("std: :bad_alloc"), 1, "error: the memory"),
)
PRINTS = "import sys; from reproduction import errors; sys.exit(errors.ended(lambda: print('text')))"
WAITS = """
import sys, time
from reproduction import errors

def wait():
    print("ready", flush=True)
    while True:
        time.sleep(0.01)

sys.exit(errors.watched(lambda: errors.ended(wait)))
"""


@pytest.mark.parametrize(("error", "code", "said"), ENDS)
def test_every_end_is_a_code_and_a_sentence(error, code, said, capsys):
    def command():
        raise error

    assert errors.ended(command) == code
    complaint = capsys.readouterr().err
    assert complaint.startswith(said) and complaint.count("\n") == 1


def test_a_fault_of_ours_is_not_hidden():
    with pytest.raises(ZeroDivisionError):
        errors.ended(lambda: 1 / 0)


@pytest.mark.parametrize(("place", "code"), [("/dev/full", 1), ("closed", 141)])
def test_a_full_output_and_a_closed_one(place, code):
    read, write = os.pipe()
    os.close(read)
    output = write if place == "closed" else os.open(place, os.O_WRONLY)
    done = subprocess.run([sys.executable, "-c", PRINTS], cwd=ROOT, stdout=output, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr.count("\n")) == (code, 1)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_a_command_with_a_sentence(number, code):
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen([sys.executable, "-c", WAITS], cwd=ROOT, **pipes)
    assert process.stdout.readline() == "ready\n"
    process.send_signal(number)
    _, complaint = process.communicate(timeout=60)
    assert (process.returncode, complaint.count("\n")) == (code, 1) and "start the same command again" in complaint


FIRST_CHILD = """
import multiprocessing
from reproduction.errors import deaf_to_interrupts

if __name__ == "__main__":
    process = multiprocessing.get_context("spawn").Process(target=int)
    with deaf_to_interrupts():
        process.start()
    status = open(f"/proc/{process.pid}/status").read()
    print(next(line for line in status.splitlines() if line.startswith("SigBlk")).split()[1])
    process.join()
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux")
def test_the_first_process_of_a_program_does_not_hear_an_interrupt(tmp_path):
    """Starting the first one starts multiprocessing's resource tracker, which takes the signal out of the mask."""
    program = tmp_path / "program.py"
    program.write_text(FIRST_CHILD)
    surroundings = {"env": {"PYTHONPATH": str(ROOT)}, "capture_output": True, "text": True}
    done = subprocess.run([sys.executable, program], timeout=60, check=True, **surroundings)
    assert int(done.stdout, 16) & 1 << (signal.SIGINT - 1)
