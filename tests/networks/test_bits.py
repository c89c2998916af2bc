"""The bits of a tiny training of every network, against constants: whoever changes them makes all committed rows anew.

They depend on the order of every sum and on the fused multiply-adds that the kernels write out, on what numpy's
generators draw, and on glibc's exp and pow (the same from 2.36 to 2.43); not on the compiler, not on the processor.
"""

import hashlib

import numpy as np
import pytest
from support.small_data import write_small_dataset
from test_engines import model_for

from reproduction.data import dataset
from reproduction.training.configuration import make_configuration
from reproduction.training.loop import Run

SETTINGS = {"hidden": 10, "epochs": 4}
PRESETS = (None, "paper", "release")
BITS = {
    "rnn": ("09f25007c1596ce8", "39c0b663744cae75", "db35e484251a0ae8"),
    "lstm": ("b86666555cf22229", "f01d9e71fdb3ca85", "bcd10f8cd4332125"),
    "tree-nn": ("8777ccbb084bc5e0", "f15f7a224ed4a618", "087ec6a8de6e5a09"),
    "tree-lstm": ("6f92f980da95f3e8", "d27fd70d22175411", "dbb55ff1024e8529"),
    "tree-nn+data": ("af969c96f2472197", "6fb8746bedec291b", "6a354440dff1aa36"),
    "tree-lstm+data": ("65c79d379800a495", "deb89a1e9cf45798", "29803fd4e1811e16"),
}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    directory = tmp_path_factory.mktemp("data")
    write_small_dataset(directory)
    return directory


@pytest.mark.parametrize("model", BITS)
@pytest.mark.parametrize("preset", PRESETS)
def test_bits_are_those_of_the_committed_rows(data, tmp_path, model, preset):
    model_for("fused", "tree-lstm")  # skips where there are no fused operators
    configuration = make_configuration(model, "generalization", 0, preset, **SETTINGS)
    split = dataset.load_split(data, "generalization", 0)
    run = Run(configuration, dataset.load(data), split, tmp_path)
    for epoch in range(configuration.epochs):
        random = np.random.default_rng([0, 1 + epoch])
        run.learner.train_epoch(random, lambda steps: np.full(steps, configuration.learning_rate), run.optimizer)
    arrays = [run.network.flat.data, *run.optimizer.arrays().values()]
    digest = hashlib.sha256(b"".join(array.asnumpy().tobytes() for array in arrays)).hexdigest()
    assert digest[:16] == BITS[model][PRESETS.index(preset)]
