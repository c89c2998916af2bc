"""Processes that Control-C is not for: not even the first that a program starts."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
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
    program.write_text(PROGRAM)
    here = {"PYTHONPATH": str(Path(__file__).resolve().parents[1])}
    done = subprocess.run([sys.executable, program], env=here, capture_output=True, text=True, timeout=60, check=True)
    assert int(done.stdout, 16) & 1 << (2 - 1)  # SIGINT is 2
