"""What is said of studies: dev chooses and test does not, the paper's optimizers decide, pairs have a seed."""

import pytest
from support import made_up_rows
from support.made_up_rows import archive_of, training

from reproduction.data.dataset import DEPTH_4_OUT, GENERALIZATION
from reproduction.report.formats import to_markdown
from reproduction.report.outputs import ablation, data_study, ladder, search
from reproduction.report.results import Archive

# ------------------------------------------------------------------------------------------------ function evaluations


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


@pytest.mark.parametrize(
    ("gains", "outcome"),
    [
        ([0.5, 0.6, 0.4, 0.5, 0.5], "help"),
        ([-0.5, -0.6, -0.4, -0.5, -0.5], "harm"),
        ([0.1, 0.1, 0.1, 0.1, 2.0], "no clear difference"),  # better in five of five
        ([0.5], "one seed"),
    ],
)
def test_data_help_when_the_interval_does_not_contain_zero(gains, outcome):
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
    assert [each.part for each in found] == ["shares", "protocol"] and len(found[1].differences) == 5


# ------------------------------------------------------------------------------------------------ optimizers


def best_at_grid(rows: list[dict]) -> ablation.Comparison:
    """The first network's comparison at the paper's grid."""
    return ablation.comparisons(archive_of(ablation=rows))[ablation.AT_GRID][0]


def test_dev_says_which_optimizer_is_best():
    """Adam is the best on dev and the worst on test."""
    first = best_at_grid(made_up_rows.ablation())
    assert first.winners == ("adam",)
    said = ablation.claim_sentence(archive_of(ablation=made_up_rows.ablation()))
    assert "this holds here: Adam is best on dev for 2 of 2 networks (TreeNN, TreeLSTM + data)" in said


def test_one_that_diverged_does_not_win():
    rows = [
        row | ({"diverged": 3} if row["optimizer"] == "adam" and row["seed"] == 1 else {})
        for row in made_up_rows.ablation()
    ]
    first = best_at_grid(rows)
    assert first.winners == ("sgd",) and not first.adam_is_near


def test_more_optimizers_than_the_papers_decide_nothing():
    best = [
        row | {"optimizer": "signum", "dev_accuracy": 99.9}
        for row in made_up_rows.ablation()
        if row["optimizer"] == "adam"
    ]
    first = best_at_grid([*made_up_rows.ablation(), *best])
    assert first.winners == ("adam",) and "signum" in {entry.optimizer for entry in first.entries}


def test_without_all_of_the_papers_optimizers_nothing_is_decided():
    archive = archive_of(ablation=made_up_rows.ablation(optimizers=("adam", "sgd")))
    assert "needs all eight" in ablation.claim_sentence(archive)
    assert ablation.claim_sentence(Archive(kept={"ablation": ()})) is None


def test_adam_is_near_when_the_paired_interval_contains_zero():
    """One point behind in every seed is far; one point behind on average, from -4 to +6, is near."""
    for lags, is_near in (((1.0, 1.1, 0.9), False), ((6.0, -4.0, 1.0), True)):
        rows = made_up_rows.ablation(models=("tree-nn",))
        for row in rows:
            if row["optimizer"] == "sgd":
                adam = next(
                    r for r in rows if r["optimizer"] == "adam" and (r["part"], r["seed"]) == (row["part"], row["seed"])
                )
                row["dev_accuracy"] = adam["dev_accuracy"] + lags[row["seed"]]
        first = best_at_grid(rows)
        assert (first.winners, first.adam_is_near) == (("sgd",), is_near)


def test_a_tuned_rate_at_the_end_of_those_tried_is_marked():
    rows = made_up_rows.ablation(models=("tree-nn",))
    lower = [row | {"learning_rate": 0.001, "dev_accuracy": 1.0} for row in rows if row["part"] == "tuning"]
    table = ablation.overall_table(archive_of(ablation=[*rows, *lower]))
    assert "(0.01, end)" in to_markdown(table)


# ------------------------------------------------------------------------------------------------ search


def test_dev_says_which_configuration_is_best():
    """The best on dev is the worst on test."""
    (found,) = search.searches(archive_of(search=made_up_rows.search()))
    assert (found.best[0]["dev_accuracy"], found.best[0]["accuracy"]) == (93.0, 79.0)
    assert [name for name, _ in found.beside] == ["best of the space", "the paper's best", "our defaults"]
    assert list(found.space) == ["hidden", "learning_rate"] and list(map(len, found.rungs)) == [4, 2]


def test_a_configuration_that_diverged_is_worse_than_any_other():
    rows = [row | ({"diverged": 2} if row["dev_accuracy"] == 93.0 else {}) for row in made_up_rows.search()]
    (found,) = search.searches(archive_of(search=rows))
    assert found.best[0]["dev_accuracy"] == 92.0


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [(((1, 1), (2, 5), (3, 9)), 1.0), (((1, 9), (2, 5), (3, 1)), -1.0), (((1, 1), (1, 2)), None), ((), None)],
)
def test_rank_correlation(pairs, expected):
    found = search.spearman(pairs)
    assert found is None if expected is None else found == pytest.approx(expected)


# ------------------------------------------------------------------------------------------------ ladder and remedies


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
