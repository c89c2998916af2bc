"""How a command ends: exit codes, one sentence, no traceback; and which processes hear Control-C."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from reproduction import endings
from reproduction.errors import InputError, MachineError

ROOT = Path(__file__).resolve().parents[1]
ENDS = (
    (InputError("no"), 2, "error: no"),
    (MachineError("no"), 1, "error: no"),
    (BrokenPipeError(), 141, "nobody reads"),
    (KeyboardInterrupt(), 130, "interrupted; start the same command again"),
    (OSError(errno.ENOSPC, "No space left", "a.json"), 1, "error: a.json: No space left"),
    (OSError(errno.EROFS, "Read-only", "a.json"), 1, "error: a.json: Read-only"),
    (OSError(errno.ENAMETOOLONG, "Too long", "a.json"), 2, "error: a.json: Too long"),
    (OSError(errno.ENOSPC, "No space left"), 1, "error: the output cannot be written (No space left)"),
    (OSError(errno.EMFILE, "Too many open files"), 1, "error: this machine does not allow it: Too many open files"),
    (MemoryError(), 1, "error: the memory"),
    (RuntimeError("std::bad_alloc"), 1, "error: the memory"),  # as MXNet says it
)


@pytest.mark.parametrize(("error", "code", "said"), ENDS)
def test_every_end_is_a_code_and_a_sentence(error, code, said, capsys):
    def command():
        raise error

    assert endings.ended(command) == code
    complaint = capsys.readouterr().err
    assert complaint.startswith(said) and complaint.count("\n") == 1


def test_a_fault_of_ours_is_not_hidden():
    with pytest.raises(ZeroDivisionError):
        endings.ended(lambda: 1 / 0)


@pytest.mark.parametrize("closed", ["0", "1", "2", "0 1 2"])
def test_closed_streams_change_nothing_but_what_is_said(closed, tmp_path):
    closing = " ".join(f"{number}>&-" for number in closed.split())
    command = f"{sys.executable} -m reproduction check 'x + 0 = x' --workspace {tmp_path} {closing}"
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and "Traceback" not in done.stderr
    assert ("CORRECT" in done.stdout) == ("1" not in closed)


def test_an_output_that_knows_few_signs_shows_the_others_by_their_numbers():
    says = "import sys; from reproduction import endings; endings.complete_streams(); print('□')"
    surroundings = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run([sys.executable, "-c", says], cwd=ROOT, capture_output=True, text=True, env=surroundings)
    assert (done.returncode, done.stdout) == (0, "\\u25a1\n")


def test_a_full_output_and_a_closed_one():
    says = "import sys; from reproduction import endings; sys.exit(endings.ended(lambda: print('text')))"
    command = [sys.executable, "-c", says]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1) and "cannot be written" in done.stderr
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(command, cwd=ROOT, stdout=write, stderr=subprocess.PIPE, text=True)
    os.close(write)
    assert (done.returncode, done.stderr.count("\n")) == (141, 1)


WAITS = """
import sys, time
from reproduction import endings
class WaitsAtTheEnd:
    def __del__(self):
        wait()
def wait():
    print("ready", flush=True)
    time.sleep(60)
sys.exit(endings.watched(lambda: endings.ended(lambda: {what}() and 0)))
"""


@pytest.mark.parametrize("what", ["wait", "WaitsAtTheEnd"])
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_a_command_with_a_sentence_whatever_it_does(number, code, what):
    command = [sys.executable, "-c", WAITS.format(what=what)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    process.send_signal(number)
    _, complaint = process.communicate(timeout=60)
    assert (process.returncode, complaint.count("\n")) == (code, 1) and "start the same command again" in complaint


FIRST_CHILD = """
import multiprocessing, sys
from reproduction.endings import deaf_to_interrupts

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
    done = subprocess.run(
        [sys.executable, program], env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=60, check=True
    )
    assert int(done.stdout, 16) & 1 << (signal.SIGINT - 1)
