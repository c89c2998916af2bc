"""What is said of studies: dev chooses and test does not, the paper's optimizers decide, pairs have a seed."""

from itertools import product

import pytest
from support import made_up_rows
from support.made_up_rows import archive_of, training

from reproduction.data.dataset import DEPTH_4_OUT, GENERALIZATION
from reproduction.models import LEAVES
from reproduction.report.formats import to_markdown
from reproduction.report.outputs import ablation, beyond, data_study, effect, ladder, search
from reproduction.report.results import Archive
from reproduction.rows import select
from reproduction.studies.effect import AS_MANY_STEPS, WITH, WITHOUT


def condition(ways: dict[str, tuple[str, list[float], list[float]]], fraction: float = 0.5) -> list[dict]:
    """Rows of a condition: by way the network, its accuracies on dev and those on test."""
    place = {"part": "shares", "network": "tree-nn", "task": "decode", "fraction": fraction, "place": 0}
    return [
        training(model, seed=seed, study="data-study", way=way, dev_accuracy=on_dev, accuracy=on_test, **place)
        for way, (model, dev, test) in ways.items()
        for seed, (on_dev, on_test) in enumerate(zip(dev, test, strict=True))
    ]


def test_dev_chooses_the_weight_and_the_twin():
    """What is best on test is the worst on dev."""
    rows = condition({
        "same batches and epochs": ("tree-nn", [90, 91, 92], [80, 80, 80]),
        "more epochs": ("tree-nn", [95, 95, 95], [70, 71, 72]),
        "weight 0.1": ("tree-nn+data", [93, 93, 93], [99, 99, 99]),
        "weight 3": ("tree-nn+data", [96, 96, 96], [73, 75, 76]),
    })  # fmt: skip
    (found,) = data_study.conditions(archive_of(data_study=rows))
    assert found.twin == "more epochs" and {row["way"] for row in found.trained} == {"weight 3"}
    assert found.differences == {0: 3, 1: 4, 2: 4}


def test_ways_are_compared_over_the_seeds_that_all_have():
    """The seed that only one way has would make it the best."""
    rows = condition(
        {"weight 1": ("tree-nn+data", [90, 90], [1, 2]), "weight 3": ("tree-nn+data", [80, 80, 200], [3, 4, 5])}
    )
    rows += condition({"same batches and epochs": ("tree-nn", [90, 90, 90], [0, 0, 0])})
    (found,) = data_study.conditions(archive_of(data_study=rows))
    assert found.differences == {0: 1, 1: 2}


def test_data_help_when_the_interval_does_not_contain_zero():
    """The third is better in five of five."""
    for gains, outcome in (
        ([0.5, 0.6, 0.4, 0.5, 0.5], "help"), ([-0.5, -0.6, -0.4, -0.5, -0.5], "harm"),
        ([0.1, 0.1, 0.1, 0.1, 2.0], "no clear difference"), ([0.5], "one seed"),
    ):  # fmt: skip
        base = [80.0, 81.0, 84.0, 82.0, 85.0][: len(gains)]
        after = [value + gain for value, gain in zip(base, gains, strict=True)]
        rows = condition({"a": ("tree-nn", base, base), "b": ("tree-nn+data", base, after)}, fraction=1.0)
        (found,) = data_study.conditions(archive_of(data_study=rows))
        assert found.outcome == outcome
        assert ("the paper's +1.54 is excluded" in found.size) == (len(gains) > 1)


def test_the_papers_protocol_is_a_part_of_the_study():
    rows = condition({"a": ("tree-nn", [1], [1]), "b": ("tree-nn+data", [1], [1])})
    at_protocol = made_up_rows.trainings(study="protocol", models=("tree-nn", "tree-nn+data"), splits=[GENERALIZATION])
    found = data_study.conditions(archive_of(data_study=rows, protocol=at_protocol))
    assert [(each.part, len(each.differences)) for each in found] == [("shares", 1), ("protocol", 5)]


# ------------------------------------------------------------------------------------------------ factors, the sample

WORTH = {"sigmoid": 0, "tanh": 2, "identity": 3, 0.0: 0, 0.2: 1, "none": 0, "decoded": -0.5, "verified": 0.25}


@pytest.fixture
def crossed():
    """Every factor is worth so much in every combination; seeds differ in level and in what tanh is worth."""
    rows = []
    places = product(("tree-lstm", "tree-nn"), (GENERALIZATION, DEPTH_4_OUT))
    corners = product(LEAVES, (0.0, 0.2), ("none", "decoded", "verified"), range(3))
    for (network, split), (leaf, dropout, numbers, seed) in product(places, corners):
        accuracy = 90 + seed + sum(WORTH[each] for each in (leaf, dropout, numbers)) + 0.5 * seed * (leaf == "tanh")
        own = {"network": network, "leaf": leaf, "dropout": dropout, "numbers": numbers, "accuracy": accuracy}
        rows.append(training(network, split, seed, study="factors", **own))
    return archive_of(factors=rows)


def test_an_effect_is_the_mean_over_all_other_factors_in_each_seed(crossed):
    table = effect.factors_table(crossed)
    assert {row.name: row.cells[0] for row in table.sections[0].rows} == {
        "data, decoded": "−0.50 (−0.50 to −0.50)",
        "data, verified like symbolic equations": "+0.25 (+0.25 to +0.25)",
        "dropout of 0.2 acts": "+1.00 (+1.00 to +1.00)",
        "leaves: none instead of sigmoid": "+3.00 (+3.00 to +3.00)",
        "leaves: tanh instead of sigmoid": "+2.50 (+1.26 to +3.74)",  # 2, 2.5, 3; t = 4.303, s = 0.5
        "the paper's effect of data": "+2.02",  # 97.20 and 95.18 of Table 3
    }
    # 97.20 and 96.17: bare leaves with dropout and verified data have 95.25 on both, the most there is.
    nearest = "TreeLSTM with data: bare leaves, dropout 0.2, data verified, on average 1.44 points"
    assert nearest in " ".join(table.notes)


def test_a_corner_that_was_not_trained_is_left_out(crossed):
    rows = [row for row in crossed.rows("factors") if row["leaf"] != "identity"]
    table = effect.factors_table(archive_of(factors=rows))
    assert {row.name: row.cells[0] for row in table.sections[0].rows}["leaves: none instead of sigmoid"] == "–"
    assert len(table.sections[1].rows) == 12


def test_gains_are_taken_at_equal_epochs_and_at_equal_steps():
    """Both learn a point a step; with data an epoch has twice as many."""
    with_data = {seed: [2.0 * epoch for epoch in range(1, 11)] for seed in range(3)}
    without = {seed: [1.0 * epoch for epoch in range(1, 21)] for seed in range(3)}
    epochs, steps = (
        {epoch: mean for epoch, (mean, *_) in effect.gains(with_data, without, ratio).items()} for ratio in (1, 2)
    )
    assert {epoch: epochs[epoch] for epoch in (1, 2, 3, 4)} == {1: 1, 2: 2, 3: 3, 4: 4}
    assert all(abs(steps[epoch]) <= 1 for epoch in (1, 2, 3, 4, 5, 7, 10)) and 20 not in steps


def test_differences_on_the_authors_sample_are_paired_by_seed():
    levels = {WITHOUT: (80, 90), WITH: (81, 93), AS_MANY_STEPS: (82, 92)}
    own = {"study": "authors", "network": "tree-nn", "part": "release"}
    rows = [
        training("tree-nn", GENERALIZATION, seed, way=way, accuracy=value, **own)
        for way, values in levels.items()
        for seed, value in enumerate(values)
    ]
    (section,) = effect.authors_table(archive_of(authors=rows)).sections
    line = next(row for row in section.rows if row.name == "TreeNN, random split")
    assert line.cells[2].startswith("+2.00 (") and line.cells[3].startswith("+0.00 (") and line.cells[4] == "–"


def best_at_grid(rows: list[dict]) -> ablation.Comparison:
    """The first network's comparison at the paper's grid."""
    return ablation.comparisons(archive_of(ablation=rows))["grid", True][0]


def test_dev_says_which_optimizer_is_best_and_only_if_the_papers_were_all_tried():
    """Adam is the best on dev and the worst on test."""
    assert best_at_grid(made_up_rows.ablation()).winners == ("adam",)
    said = ablation.claim_sentence(archive_of(ablation=made_up_rows.ablation()))
    assert "this holds here: Adam is best on dev for 2 of 2 networks" in said
    archive = archive_of(ablation=made_up_rows.ablation(optimizers=("adam", "sgd")))
    assert "needs all eight" in ablation.claim_sentence(archive)
    assert ablation.claim_sentence(Archive(kept={"ablation": ()})) is None


def test_one_that_diverged_does_not_win_nor_one_that_is_not_the_papers():
    rows = made_up_rows.ablation()
    adam = [row for row in rows if row["optimizer"] == "adam"]
    first = best_at_grid([*rows, *(row | {"optimizer": "signum", "dev_accuracy": 99.9} for row in adam)])
    assert first.winners == ("adam",) and "signum" in {entry.optimizer for entry in first.entries}
    next(row for row in adam if row["part"] == "grid" and row["seed"] == 1)["diverged"] = 3
    first = best_at_grid(rows)
    assert first.winners == ("sgd",) and not first.adam_is_near


def test_adam_is_near_when_the_paired_interval_contains_zero():
    """One point behind in every seed is far; one point behind on average, from -4 to +6, is near."""
    for lags, is_near in (((1.0, 1.1, 0.9), False), ((6.0, -4.0, 1.0), True)):
        rows = made_up_rows.ablation(models=("tree-nn",))
        adam = {(row["part"], row["seed"]): row["dev_accuracy"] for row in rows if row["optimizer"] == "adam"}
        for row in rows:
            if row["optimizer"] == "sgd":
                row["dev_accuracy"] = adam[row["part"], row["seed"]] + lags[row["seed"]]
        first = best_at_grid(rows)
        assert (first.winners, first.adam_is_near) == (("sgd",), is_near)


def test_a_tuned_rate_at_the_end_of_those_tried_is_marked():
    rows = made_up_rows.ablation(models=("tree-nn",))
    lower = [row | {"learning_rate": 0.001, "dev_accuracy": 1.0} for row in rows if row["part"] == "tuning"]
    table = ablation.overall_table(archive_of(ablation=[*rows, *lower]))
    assert "(0.01, end)" in to_markdown(table)


def test_dev_says_which_configuration_is_best_unless_it_diverged():
    """The best on dev is the worst on test."""
    (found,) = search.searches(archive_of(search=made_up_rows.search()))
    assert (found.best["dev_accuracy"], found.best["accuracy"]) == (93.0, 79.0)
    assert [name for name, _ in found.beside] == ["best of the space", "the paper's best", "our defaults"]
    assert list(found.space) == ["hidden", "learning_rate"] and list(map(len, found.rungs)) == [4, 2]
    rows = [row | ({"diverged": 2} if row["dev_accuracy"] == 93.0 else {}) for row in made_up_rows.search()]
    assert search.searches(archive_of(search=rows))[0].best["dev_accuracy"] == 92.0


def test_rank_correlation():
    assert search.spearman(((1, 1), (2, 5), (3, 9))) == pytest.approx(1.0)
    assert search.spearman(((1, 9), (2, 5), (3, 1))) == pytest.approx(-1.0)
    assert search.spearman(((1, 1), (1, 2))) is search.spearman(()) is None


def test_equal_tuning_compares_the_best_and_the_mean_of_finalists():
    """Dev and test choose different ones; two of three epochs' rungs are no finalists."""
    scores = {"tree-lstm": [(97, 95), (96, 94), (95, 97.5)], "tree-lstm+data": [(98, 96), (97, 97), (96, 98)]}
    rows = [row for model in scores for row in made_up_rows.search(model)]
    assert "--finalists 10" in search.overall_table(archive_of(search=rows)).notes[-1]
    for model, pairs in scores.items():
        for place, (dev, test) in enumerate(pairs):
            own = {"part": "finalists", "rung": 2, "place": place, "epochs": 100, "hidden": 5, "learning_rate": place}
            rows.append(training(model, study="search", dev_accuracy=dev, accuracy=test, in_space=4, **own))
    first, tuned = search.overall_table(archive_of(search=rows)).sections
    assert {line.cells[-5] for line in first.rows} == {"9"}  # epochs of the last rung, not of the finalists
    assert [(line.name, *line.cells) for line in tuned.rows] == [
        ("TreeLSTM", "best on dev", "97.00", "95.00"),
        ("TreeLSTM", "best on test", "95.00", "97.50"),
        ("TreeLSTM", "mean of 3", "96.00 ± 1.00", "95.50 ± 1.80"),
        ("TreeLSTM + data", "best on dev", "98.00", "96.00"),
        ("TreeLSTM + data", "best on test", "96.00", "98.00"),
        ("TreeLSTM + data", "mean of 3", "97.00 ± 1.00", "97.00 ± 1.00"),
        ("TreeLSTM + data − TreeLSTM", "both tuned, best on dev", "+1.00", "+1.00"),
        ("TreeLSTM + data − TreeLSTM", "both tuned, best on test", "+1.00", "+0.50"),
        ("TreeLSTM + data − TreeLSTM", "means of both", "+1.00", "+1.50"),
        ("TreeLSTM + data − TreeLSTM", "only with data tuned, best on dev", "+2.00", "+0.50"),
        ("TreeLSTM + data − TreeLSTM", "only with data tuned, best on test", "+0.00", "+2.50"),
    ]


def test_the_largest_step_of_the_ladder_is_named():
    levels = {"paper": 97.0, "all-axioms": 96.0, "instantiation": 90.0, "families": 95.0}
    rows = [
        training("tree-lstm", DEPTH_4_OUT, seed, "ladder", rung=rung, place=place, accuracy=level + seed, data_seed=1)
        for place, (rung, level) in enumerate(levels.items()) for seed in range(2)
    ]  # fmt: skip
    said = ladder.sentence(archive_of(ladder=rows), DEPTH_4_OUT)
    assert "from 97.5 to 95.5 %" in said and "(−6.0 points)" in said and "mirrored" in said


def test_a_remedy_is_compared_with_the_same_seeds():
    """The remedy's seeds are 1 and 2, those of the reference 0, 1 and 2, and dev and test go apart."""
    own = {"part": "data-helps", "remedy": "Less", "measure": "accuracy", "place": 0}
    before = {0: (10.0, 10.0), 1: (90.0, 80.0), 2: (92.0, 82.0)}
    after = {1: (95.0, 70.0), 2: (95.0, 72.0)}
    rows = [
        training("tree-lstm+data", seed=seed, study="remedies", way=way, dev_accuracy=dev, accuracy=test, **own)
        for way, by_seed in (("as in the tables", before), ("remedy", after))
        for seed, (dev, test) in by_seed.items()
    ]
    rows.append(training("tree-lstm", seed=1, study="remedies", way="rival", accuracy=96.0, **own))
    (line,) = ladder.remedies_table(archive_of(remedies=rows)).sections[0].rows
    assert line.cells == (
        "TreeLSTM + data, random split: Less",
        "dev 91.00 → 95.00 %, test 81.00 → 71.00 % (paper 97.20 %; TreeLSTM 96.00 %); 2 seeds",
    )


# ------------------------------------------------------------------------------------------------ deeper


@pytest.fixture
def deeper_rows():
    own = {"study": "deeper", "split": "deeper", "data": "data-deeper"}
    parts = (("tuning", 0.01, 0), ("tuning", 0.02, 0), ("trained", 0.01, 0), ("trained", 0.01, 1))
    rows = [
        training(model, "deeper", seed, "deeper", part=part, learning_rate=rate, accuracy=level + seed, depth_8=level,
                 dev_depth_7=99.0)
        for model, level in (("tree-nn", 70.0), ("tree-smu", 80.0)) for part, rate, seed in parts
    ]  # fmt: skip
    rows.append({**own, "model": "majority-column", "seed": 0, "part": "trained", "accuracy": 51.0, "depth_8": 52.0})
    made = {"correct": 90, "incorrect": 100, "missing": 0, "unsure": 10, "sympy_seconds": 0.25}
    rows.append({**own, "model": "generator", "judged": 400, "unsure": 30})
    return [*rows, *({**own, "model": "generator", "part": depth, **made} for depth in (8, 7, 1))]


def test_numbers_on_other_data_stand_in_a_column_of_their_own(deeper_rows):
    table = beyond.deeper_table(archive_of(deeper=deeper_rows))
    text = to_markdown(table)
    assert "| TreeNN | 70.50 ± 0.71 | 70.00 ± 0.00 | 1,000 ± 0 | 50 ± 0 | 80.67 |" in text  # not those of tuning
    assert "| Tree-SMU | 80.50 ± 0.71 | 80.00 ± 0.00 | 1,000 ± 0 | 50 ± 0 | 86.01 |" in text
    assert "| majority of the test set | 51.00 ± – | 52.00 ± – | – | – | 51.71 |" in text
    assert "| TreeLSTM + stack | – | – | – | – | 85.24 |" in text
    assert "In all 30 of 400 that agree were left unsettled." in text
    made = [(row.name, *row.cells) for row in table.sections[1].rows]
    assert made == [(str(depth), "90", "100", "0", "10", "0.250") for depth in (1, 7, 8)]


def test_what_the_stack_gains_is_taken_within_seeds():
    scores = {"tree-smu": (80.0, 90.0), "tree-lstm": (79.0, 87.0), "tree-nn": (0.0, 0.0)}
    rows = [
        training(model, "deeper", seed, "deeper", part=part, accuracy=accuracy + (99 if part == "tuning" else 0))
        for model, both in scores.items() for seed, accuracy in enumerate(both) for part in ("tuning", "trained")
    ]  # fmt: skip
    said = beyond.stack_sentence(archive_of(deeper=rows))
    assert said == " Tree-SMU less TreeLSTM: +2.00 points (95 % interval −10.71 to +14.71)."  # t = 12.706, s = 1.414
    assert beyond.stack_sentence(archive_of(deeper=select(rows, model=("tree-smu", "tree-nn")))) == ""


def test_the_figure_has_learned_depths_from_dev_and_others_from_test(deeper_rows):
    data = beyond.deeper_figure(archive_of(deeper=deeper_rows)).data
    shown = [row[:4] for row in data[1:]]
    assert shown == [
        ("majority of the test set", 8, "test", "52"),
        *((name, *each) for name, level in (("TreeNN", "70"), ("Tree-SMU", "80"))
          for each in ((7, "dev", "99"), (8, "test", level))),
    ]  # fmt: skip


def test_the_spread_between_data_sets_stands_beside_that_within():
    """This data set has seeds at 90, 92 and 94; two others at 89 and at 93 (92 and 94), so within is 2 and √2."""
    own = [training("rnn", DEPTH_4_OUT, seed, accuracy=90.0 + 2 * seed, count=400) for seed in range(3)]
    values = [(2, 0, 89.0), (3, 0, 92.0), (3, 1, 94.0)]
    further = [
        training("rnn", DEPTH_4_OUT, seed, "data-seeds", part="experiments", data_seed=data, accuracy=accuracy)
        | {"data": f"data-seed-{data}"}
        for data, seed, accuracy in values
    ]
    (section,) = ladder.data_seeds_table(archive_of(experiments=own, data_seeds=further)).sections
    (line,) = section.rows
    # Between: 89 and 93. Within: √((2 · 4 + 1 · 2) / 3). The test set: 92 % of 400: 88.91 to 94.27 (Wilson).
    assert (section.title, line.name) == ("Our settings: depth 4 unseen", "RNN")
    assert list(line.cells) == ["92.00 ± 2.00", "3", "91.00", "2", "3", "2.83", "1.83", "2.68"]
    one = further[:1] + [training("rnn", study="data-seeds", part="release", data_seed=2, accuracy=70.0)]
    first, second = ladder.data_seeds_table(archive_of(experiments=own, data_seeds=one)).sections
    assert list(first.rows[0].cells) == ["–", "0", "70.00", "1", "1", "–", "–", "–"]
    assert list(second.rows[0].cells)[2:] == ["89.00", "1", "1", "–", "2.00", "2.68"]
