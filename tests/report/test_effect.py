"""What factors change, paired within seeds, and what data gain at equal epochs and at equal steps."""

from itertools import product

import pytest
from support.made_up_rows import archive_of, training

from reproduction.data.dataset import DEPTH_4_OUT, GENERALIZATION
from reproduction.models import LEAVES
from reproduction.report.outputs import effect
from reproduction.studies.effect import AS_MANY_STEPS, WITH, WITHOUT

WORTH = {
    "sigmoid": 0.0,
    "tanh": 2.0,
    "identity": 3.0,
    0.0: 0.0,
    0.2: 1.0,
    "none": 0.0,
    "decoded": -0.5,
    "verified": 0.25,
}


def accuracy(leaf: str, dropout: float, numbers: str, seed: int) -> float:
    """Every factor is worth so much in every combination; seeds differ in level and in what tanh is worth."""
    return 90 + seed + WORTH[leaf] + WORTH[dropout] + WORTH[numbers] + (0.5 * seed if leaf == "tanh" else 0)


@pytest.fixture
def crossed():
    rows = [
        training(network, split, seed, study="factors", network=network, leaf=leaf, dropout=dropout, numbers=numbers,
                 accuracy=accuracy(leaf, dropout, numbers, seed))
        for network, split in product(("tree-lstm", "tree-nn"), (GENERALIZATION, DEPTH_4_OUT))
        for leaf, dropout, numbers in product(LEAVES, (0.0, 0.2), ("none", "decoded", "verified"))
        for seed in range(3)
    ]  # fmt: skip
    return archive_of(factors=rows)


def test_an_effect_is_the_mean_over_all_other_factors_in_each_seed(crossed):
    table = effect.factors_table(crossed)
    found = {row.name: row.cells[0] for row in table.sections[0].rows}
    assert found["data, decoded"] == "−0.50 (−0.50 to −0.50)"
    assert found["data, verified like symbolic equations"] == "+0.25 (+0.25 to +0.25)"
    assert found["dropout of 0.2 acts"] == "+1.00 (+1.00 to +1.00)"
    assert found["leaves: none instead of sigmoid"] == "+3.00 (+3.00 to +3.00)"
    assert found["leaves: tanh instead of sigmoid"] == "+2.50 (+1.26 to +3.74)"  # 2, 2.5, 3; t = 4.303, s = 0.5
    assert found["the paper's effect of data"] == "+2.02"  # 97.20 and 95.18 of Table 3


def test_the_corner_nearest_to_a_row_of_the_paper_is_named(crossed):
    """97.20 and 96.17: bare leaves with dropout and verified data have 95.25 on both, the most there is."""
    notes = " ".join(effect.factors_table(crossed).notes)
    assert "TreeLSTM with data: bare leaves, dropout 0.2, data verified, on average 1.44 points" in notes


def test_a_corner_that_was_not_trained_is_left_out(crossed):
    rows = [row for row in crossed.rows("factors") if row["leaf"] != "identity"]
    table = effect.factors_table(archive_of(factors=rows))
    assert {row.name: row.cells[0] for row in table.sections[0].rows}["leaves: none instead of sigmoid"] == "–"
    assert len(table.sections[1].rows) == 12


def test_gains_are_taken_at_equal_epochs_and_at_equal_steps():
    """Both learn a point a step; with data an epoch has twice as many."""
    with_data = {seed: [2.0 * epoch for epoch in range(1, 11)] for seed in range(3)}
    without = {seed: [1.0 * epoch for epoch in range(1, 21)] for seed in range(3)}
    assert [(gain.epoch, gain.mean) for gain in effect.gains(with_data, without, 1.0)][:4] == [
        (1, 1), (2, 2), (3, 3), (4, 4)
    ]  # fmt: skip
    steps = {gain.epoch: gain.mean for gain in effect.gains(with_data, without, 2.0)}
    assert all(abs(steps[epoch]) <= 1 for epoch in (1, 2, 3, 4, 5, 7, 10)) and 20 not in steps


def test_differences_on_the_authors_sample_are_paired_by_seed():
    levels = {WITHOUT: (80, 90), WITH: (81, 93), AS_MANY_STEPS: (82, 92)}
    rows = [
        training("tree-nn", GENERALIZATION, seed, study="authors", network="tree-nn", part="release", way=way,
                 accuracy=value)
        for way, values in levels.items()
        for seed, value in enumerate(values)
    ]  # fmt: skip
    (section,) = effect.authors_table(archive_of(authors=rows)).sections
    line = next(row for row in section.rows if row.name == "TreeNN, random split")
    assert line.cells[2].startswith("+2.00 (") and line.cells[3].startswith("+0.00 (") and line.cells[4] == "–"
