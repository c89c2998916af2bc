"""The fused chains against Gluon's own layer: the same logits, and the same parameters after every step."""

import numpy as np
import pytest

from reproduction.errors import InputError
from reproduction.models import READINGS, SIDES
from reproduction.networks.backend import mx, nd
from reproduction.networks.chains import (
    ChainEpoch,
    Equations,
    FusedChains,
    GluonChains,
    SequenceModel,
    Sequences,
    find_prefixes,
    make_chain_engine,
    reason_against,
)
from reproduction.networks.network import FlatOptimizer, OptimizerSettings

TOKENS, HIDDEN, SEQUENCES, COUNT = 9, 11, 40, 23

pytestmark = pytest.mark.skipif(
    bool(reason_against(SequenceModel(range(TOKENS), 2, True), "adam")), reason="the fused operators cannot be had here"
)


each_reading = pytest.mark.parametrize("reading", READINGS)


def some_sequences(random: np.random.Generator, longest: int = 7) -> Sequences:
    lengths = random.integers(1, longest + 1, SEQUENCES)
    return Sequences(random.integers(0, 3, (SEQUENCES, longest)), lengths)  # few tokens, so that many begin alike


def some_equations(random: np.random.Generator, count: int = COUNT, reading: str = SIDES) -> Equations:
    sequences = random.integers(0, SEQUENCES, (2, count)).T[:, : 2 if reading == SIDES else 1]
    return Equations(sequences, random.integers(0, 2, count).astype(float))


def engines(
    lstm: bool, dtype: str = "float64", hidden: int = HIDDEN, reading: str = SIDES
) -> tuple[FusedChains, GluonChains]:
    """Both on models with the same parameters, biases among them."""
    random = np.random.default_rng(3)
    sequences, values = some_sequences(random), None
    made = []
    for engine in (FusedChains, GluonChains):
        model = SequenceModel(range(TOKENS), hidden, lstm, dtype=dtype, reading=reading)
        values = random.normal(0, 0.5, len(model.flat)) if values is None else values
        model.flat.data[:] = nd.array(values, dtype=dtype)
        made.append(engine(model, sequences))
    return tuple(made)


def test_prefixes_are_distinct_beginnings_short_ones_first():
    sequences = some_sequences(np.random.default_rng(0))
    rows, ends = find_prefixes(sequences)

    def spelt(row: int) -> tuple[int, ...]:
        token, previous, length = rows[row]
        before = spelt(previous) if previous >= 0 else ()
        assert previous < row and length == len(before) + 1
        return (*before, token)

    every = [spelt(row) for row in range(len(rows))]
    wanted = [
        tuple(tokens[:length]) for tokens, length in zip(sequences.tokens.tolist(), sequences.lengths, strict=True)
    ]
    assert set(every) == {side[:length] for side in wanted for length in range(1, len(side) + 1)}
    assert len(set(every)) == len(every) and sorted(map(len, every)) == list(map(len, every))
    assert [every[end] for end in ends] == wanted


def epoch_of(
    random: np.random.Generator, sizes: list[int], dropout: float, hidden: int = HIDDEN, reading: str = SIDES
) -> ChainEpoch:
    masks = (random.random((len(sizes), 2, hidden)) >= dropout) / (1 - dropout) if dropout else None
    return ChainEpoch(some_equations(random, sum(sizes), reading), np.array(sizes), masks)


@pytest.mark.parametrize("lstm", [False, True])
@pytest.mark.parametrize("dropout", [0.0, 0.3])
@pytest.mark.parametrize("sizes", [[1] * 5, [7, 2, 14]])
@each_reading
def test_training_is_that_of_gluon(lstm, dropout, sizes, reading):
    epoch, results = epoch_of(np.random.default_rng(1), sizes, dropout, reading=reading), []
    rates = 0.5 ** np.arange(3, 3 + len(sizes))  # MXNet reads settings in single precision: these are exact in it
    for engine in engines(lstm, reading=reading):
        settings = OptimizerSettings("sgd", momentum=0.5, clip=0.5, l2=0.5**7, averaging=0.875)
        optimizer = FlatOptimizer(engine.model.flat, settings)
        outcomes = engine.train(epoch, rates, optimizer)
        assert optimizer.steps == len(sizes) and outcomes.pairs.tolist() == sizes
        results.append((engine.model.flat.data.asnumpy(), optimizer.average.asnumpy(), *outcomes))
    for fused, gluon in zip(*results, strict=True):
        np.testing.assert_allclose(fused, gluon, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("lstm", [False, True])
@pytest.mark.parametrize("hidden", [1, 2, 3, 4, 8, 10, 50])
@pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 1e-10), ("float32", 1e-3)])
@each_reading
def test_every_hidden_size(lstm, hidden, dtype, tolerance, reading):
    epoch, found = epoch_of(np.random.default_rng(1), [5, 1, 9], 0.2, hidden, reading), []
    for engine in engines(lstm, dtype, hidden, reading):
        logits = engine.logits(epoch.equations)
        engine.train(epoch, np.full(3, 0.125), FlatOptimizer(engine.model.flat, OptimizerSettings("sgd")))
        found.append(np.concatenate([logits, engine.model.flat.data.asnumpy()]))
    np.testing.assert_allclose(*found, rtol=tolerance, atol=tolerance / 10)


@pytest.mark.parametrize("name", ["adam", "sgld"])
def test_bits_do_not_depend_on_where_calls_end(name):
    epoch, rates, found = epoch_of(np.random.default_rng(4), [3, 5, 1, 2], 0.3), np.full(4, 0.01), []
    for cuts in ([(0, 4)], [(0, 1), (1, 3), (3, 4)]):
        fused, _ = engines(lstm=True, dtype="float32")
        settings = OptimizerSettings(name, 5, clip=0.5, l2=0.01, averaging=0.9, seed=7)
        optimizer = FlatOptimizer(fused.model.flat, settings)
        for start, stop in cuts:
            numbers = np.arange(epoch.sizes[:start].sum(), epoch.sizes[:stop].sum())
            part = ChainEpoch(epoch.equations.chosen(numbers), epoch.sizes[start:stop], epoch.masks[start:stop])
            fused.train(part, rates[start:stop], optimizer)
        found.append((fused.model.flat.data.asnumpy(), optimizer.average.asnumpy()))
    np.testing.assert_array_equal(*found)


def test_an_optimizer_that_the_operator_does_not_know_is_gluons():
    model, sequences = SequenceModel(range(TOKENS), 2, True), some_sequences(np.random.default_rng(0))
    engine = make_chain_engine(None, model, sequences, "adamax")
    assert engine.name == "generic" and "does not know the optimizer adamax" in engine.instead_of_fused
    with pytest.raises(InputError, match="adamax"):
        make_chain_engine("fused", model, sequences, "adamax")
    assert make_chain_engine(None, model, sequences, "adam").name == "fused"


@pytest.mark.parametrize("lstm", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("hidden", [1, 2, 3])
def test_nothing_behind_the_parameters_is_read(lstm, dtype, hidden):
    """Where few numbers follow the weights, a whole vector would reach beyond the last of them."""
    fused, gluon = engines(lstm, dtype, hidden)
    equations, count = some_equations(np.random.default_rng(6)), len(fused.model.flat)
    surrounded = nd.array(np.full(count + 64, np.nan), dtype=dtype)
    surrounded[:count] = fused.model.flat.data
    fused.model.flat.data = surrounded[:count]
    np.testing.assert_allclose(fused.logits(equations), gluon.logits(equations), rtol=1e-3)


def test_what_a_batch_gives_does_not_depend_on_the_batches_before_it():
    """Nothing of a batch is left in the memory that the next one uses."""
    fused, _ = engines(lstm=True)
    equations = some_equations(np.random.default_rng(5), 6)
    epoch = ChainEpoch(equations, np.array([3, 3]))
    still = FlatOptimizer(fused.model.flat, OptimizerSettings("sgd"))
    both = fused.train(epoch, np.zeros(2), still).logistic
    alone = fused.train(ChainEpoch(equations.chosen(np.arange(3, 6)), np.array([3])), np.zeros(1), still).logistic
    assert both[1] == alone[0]


@pytest.mark.parametrize(
    ("row", "value"), [((0, 1), 3), ((5, 0), TOKENS), ((5, 0), -1), ((-1, 2), 1), ((8, 1), -1), ((8, 1), 99)]
)
def test_a_table_or_a_side_that_would_lead_astray_is_refused(row, value):
    fused, _ = engines(lstm=True)
    rows = fused._table.asnumpy()
    rows[row] = value
    fused._table = nd.array(rows, dtype="int32")
    with pytest.raises(mx.MXNetError, match="of the table is wrong or out of order"):
        fused.logits(some_equations(np.random.default_rng(0)))
    fused, _ = engines(lstm=False)
    fused._ends = fused._ends + 10_000
    with pytest.raises(mx.MXNetError, match="a side is not a row of the table"):
        fused.logits(some_equations(np.random.default_rng(0)))
