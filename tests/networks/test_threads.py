"""MXNet's sums depend on how many threads share them, so it computes on one, whatever the environment says."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROGRAM = """
import numpy as np
from support.small_data import small_model
from test_engines import Case

from reproduction.networks.batches import Epoch
from reproduction.networks.network import FlatOptimizer, OptimizerSettings

case, model = Case(5, 60, 20), small_model("tree-lstm", engine="generic", hidden=50, dtype="float32")
updates = FlatOptimizer(model.flat, OptimizerSettings("adam", 5, clip=0.5, l2=0.01))
model.engine.train(Epoch(case.table, case.examples, np.arange(80), 40), np.full(2, 0.01), updates)
print(model.flat.data.asnumpy().tobytes().hex())
"""


def trained_with(threads: int) -> str:
    """The parameters after two steps of the generic engine in a process that was given so many threads."""
    paths = os.pathsep.join(map(str, (ROOT, ROOT / "tests", ROOT / "tests" / "networks")))
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "PYTHONPATH": paths}
    command = (sys.executable, "-c", PROGRAM)
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


def test_the_generic_engine_gives_the_same_bytes_for_any_number_of_threads():
    assert trained_with(1) == trained_with(2) != ""
