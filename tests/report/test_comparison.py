"""Means over seeds, closeness, paired comparisons and verdicts."""

import pytest
from support.made_up_rows import archive_of

from reproduction import models, paper
from reproduction.data.baselines import SYMPY_AUTO
from reproduction.data.dataset import DEPTH_2_OUT, DEPTH_4_OUT, GENERALIZATION
from reproduction.measures import MSE
from reproduction.models import paper_models
from reproduction.report.claims import (
    CLAIMS,
    IN_PART,
    NOT_REPRODUCED,
    REPRODUCED,
    SMALLER,
    UNDECIDED,
    Comparison,
    evidence_of,
    judge,
)
from reproduction.report.comparison import (
    BETTER,
    CLOSE,
    WORSE,
    Cell,
    Summary,
    interval,
    summarise,
)
from reproduction.report.outputs.verdicts import in_numbers
from reproduction.report.results import BEST_ON_TEST, DEV_CHOSEN, Archive

MODELS = {model.name for model in paper_models()}


def row(model: str, split: str, seed: int, accuracy: float, **more) -> dict:
    scores = {"accuracy": accuracy, **more}
    return {
        "model": model,
        "split": split,
        "seed": seed,
        **scores,
        **{f"best_on_test_{k}": v for k, v in scores.items()},
    }


def accuracies(**by_model: list[float]) -> Archive:
    names = {"tree_lstm": "tree-lstm", "tree_nn": "tree-nn"}
    pairs = ((names[name], seed, value) for name, values in by_model.items() for seed, value in enumerate(values))
    return archive_of(experiments=[row(name, GENERALIZATION, seed, value) for name, seed, value in pairs])


def claim(key: str):
    return next(claim for claim in CLAIMS if claim.key == key)


def test_one_seed_has_a_mean_and_no_spread():
    assert summarise({3: 90.0}) == Summary(90.0, None, 1)
    assert summarise({}) is None


def test_spread_is_the_sample_standard_deviation():
    assert summarise({0: 1.0, 1: 2.0, 2: 3.0}) == Summary(2.0, 1.0, 3)


@pytest.mark.parametrize(
    ("mean", "expected"), [(96.2, CLOSE), (98.2, CLOSE), (96.1, WORSE), (98.3, BETTER), (97.2, CLOSE)]
)
def test_closeness_of_an_accuracy(mean, expected):
    assert Cell(97.2, Summary(mean, None, 1), 1.0).closeness == expected


@pytest.mark.parametrize(("mean", "expected"), [(0.06, CLOSE), (0.02, BETTER), (0.2, WORSE)])
def test_closeness_of_an_error_has_better_below(mean, expected):
    assert Cell(0.047, Summary(mean, None, 1), 0.02, lower_is_better=True).closeness == expected


def test_nothing_is_judged_without_a_number_or_a_tolerance():
    assert Cell(None, Summary(1.0, None, 1), 1.0).closeness is None
    assert Cell(97.2, None, 1.0).closeness is None
    assert Cell(71.42, Summary(100.0, None, 1), None).closeness is None


@pytest.mark.parametrize(
    ("values", "half"),
    [([1.0, 2.0, 3.0, 4.0, 5.0], 1.9632), ([0.0, 1.0], 6.3531), ([1.0, 2.0, 3.0] * 10, 0.3101)],
)
def test_an_interval_is_students_t_around_the_mean(values, half):
    """The half widths are t(0.975) by a printed table (2.7764, 12.7062, 2.0452) times the standard error."""
    low, high = interval(values)
    assert (low + high) / 2 == pytest.approx(sum(values) / len(values))
    assert (high - low) / 2 == pytest.approx(half, abs=2e-4)


def test_one_difference_has_no_interval():
    assert interval([1.0]) is None


BASE = (90.0, 91.0, 92.0, 93.0, 94.0)


@pytest.mark.parametrize(
    ("gains", "expected"),
    [
        ((0.5, 0.6, 0.4, 0.5, 0.5), True),
        ((0.5, 0.6, 0.4, 0.5), None),  # four seeds decide nothing
        ((0.1, 0.1, 0.1, 0.1, 2.0), False),  # five wins of five, but one seed makes the mean
        ((-0.5, -0.6, -0.4, -0.5, -0.5), False),
    ],
)
def test_a_ranking_holds_when_its_interval_lies_above_zero(gains, expected):
    better = [low + gain for low, gain in zip(BASE, gains, strict=False)]
    archive = accuracies(tree_lstm=better, tree_nn=list(BASE))
    assert evidence_of(archive, Comparison("tree-lstm", "tree-nn", GENERALIZATION)).holds is expected


def test_the_size_of_a_difference_is_judged_by_half_of_the_papers():
    """The paper has TreeLSTM 3.12 points over TreeNN."""
    ranking = Comparison("tree-lstm", "tree-nn", GENERALIZATION)
    for gain, as_large, excluded in ((3.0, True, False), (1.6, True, True), (1.4, False, True)):
        spread = (-0.1, 0.1, 0.0, -0.05, 0.05) if gain < 3 else (-1, 1, 0, 0.5, -0.5)
        better = [low + gain + each for low, each in zip(BASE, spread, strict=True)]
        found = evidence_of(accuracies(tree_lstm=better, tree_nn=list(BASE)), ranking)
        assert (found.is_as_large, found.is_excluded) == (as_large, excluded), gain


def test_a_claim_whose_headline_is_smaller_than_half_of_the_papers_is_reproduced_smaller():
    shrunk = {
        "tree-lstm": 95.3,
        "tree-nn": 95.2,
        "lstm": 95.1,
        "rnn": 95.0,
        "tree-lstm+data": 95.4,
        "tree-nn+data": 95.3,
    }
    rows = [each | {"accuracy": shrunk[each["model"]]} for each in paper_archive(5).rows("experiments")]
    assert judge(archive_of(experiments=rows), claim("trees-over-chains")).word == SMALLER


def test_pairs_are_those_of_a_seed():
    """Rows stand in another order, and each network has a seed that the other lacks."""
    scores = {"tree-lstm": {4: 90.0, 0: 82.0, 1: 71.0}, "tree-nn": {0: 80.0, 3: 10.0, 1: 70.0}}
    rows = [row(model, GENERALIZATION, *each) for model, by_seed in scores.items() for each in by_seed.items()]
    found = evidence_of(archive_of(experiments=rows), Comparison("tree-lstm", "tree-nn", GENERALIZATION))
    assert (found.ours.mean, found.ours.seeds, found.wins) == (1.5, 2, 2)


def test_rankings_are_paired_by_seed_and_a_tie_is_no_win():
    archive = accuracies(tree_lstm=[95, 94, 93, 97, 90], tree_nn=[94, 94, 92, 96])
    outcome = evidence_of(archive, Comparison("tree-lstm", "tree-nn", GENERALIZATION))
    assert (outcome.wins, outcome.ours.seeds) == (3, 4)
    assert outcome.ours.mean == pytest.approx(0.75)
    assert outcome.paper == pytest.approx(95.18 - 92.06)
    assert outcome.holds is None


def test_a_lower_error_wins():
    errors = {"tree-lstm+data": 0.04, "tree-nn+data": 0.2}
    rows = [row(name, GENERALIZATION, seed, 95, mse=mse) for name, mse in errors.items() for seed in range(5)]
    ranking = Comparison("tree-lstm+data", "tree-nn+data", GENERALIZATION, MSE)
    outcome = evidence_of(archive_of(experiments=rows), ranking)
    assert outcome.wins == 5
    assert outcome.ours.mean == pytest.approx(0.16)
    assert outcome.paper == pytest.approx(0.191 - 0.047)


@pytest.mark.parametrize(
    ("seeds", "value", "expected"), [(4, 97.2, None), (5, 97.2, True), (5, 99.0, True), (5, 95.0, False)]
)
def test_a_level_needs_all_seeds_and_may_be_better_than_close(seeds, value, expected):
    archive = archive_of(experiments=[row("tree-lstm+data", GENERALIZATION, seed, value) for seed in range(seeds)])
    assert evidence_of(archive, Comparison("tree-lstm+data", None, GENERALIZATION)).holds is expected


def paper_archive(seeds: int) -> Archive:
    """Rows that score exactly what the paper and its poster report."""
    rows = []
    for seed in range(seeds):
        for model in MODELS:
            printed = paper.TABLE_3[model]
            blanks = {f"top_{k}": share for k, share in enumerate(paper.POSTER_COMPLETION[model], 1)}
            errors = {"mse": printed.mse, **{f"top_{k}_mse": printed.mse for k in range(1, 11)}} if printed.mse else {}
            rows.append(row(model, GENERALIZATION, seed, printed.accuracy, **blanks, **errors))
            rows += [row(model, split, seed, table[model].accuracy) for split, table in paper.TABLE_4.items()]
    scores = {"accuracy": paper.TABLE_3["sympy"].accuracy / 100, "precision": 0.5, "recall": 0.5, "by_depth": {}}
    splits = {GENERALIZATION: {str(seed): {SYMPY_AUTO: scores} for seed in range(seeds)}}
    return Archive(kept={"experiments": rows, "baselines.json": {"splits": splits}})


@pytest.mark.parametrize("key", [claim.key for claim in CLAIMS])
@pytest.mark.parametrize("choice", [DEV_CHOSEN, BEST_ON_TEST])
def test_the_papers_own_numbers_satisfy_every_claim(key, choice):
    verdict = judge(paper_archive(5), claim(key), choice)
    assert verdict.word == REPRODUCED, [outcome for outcome in verdict.deciding if not outcome.holds]


@pytest.mark.parametrize("key", [claim.key for claim in CLAIMS])
def test_one_seed_decides_nothing(key):
    assert judge(paper_archive(1), claim(key)).word == UNDECIDED


def test_no_runs_decide_nothing():
    assert {judge(Archive(), claim).word for claim in CLAIMS} == {UNDECIDED}


def test_more_than_half_of_the_comparisons_make_a_claim_hold_in_part():
    def spoiled(*keys: tuple[str, str]) -> Archive:
        """The paper's numbers, but for these networks and splits."""
        rows = paper_archive(5).rows("experiments")
        return archive_of(
            experiments=[each | ({"accuracy": 50} if (each["model"], each["split"]) in keys else {}) for each in rows]
        )

    three = [("tree-nn+data", split) for split in (GENERALIZATION, DEPTH_4_OUT, DEPTH_2_OUT)]
    assert judge(spoiled(*three[:2]), claim("data-helps")).word == IN_PART  # 4 of 6
    assert judge(spoiled(*three), claim("data-helps")).word == NOT_REPRODUCED  # 3 of 6


def test_other_peoples_networks_decide_nothing(monkeypatch):
    """One that is better than all, and one that has no seeds."""
    before = [judge(paper_archive(5), each) for each in CLAIMS]
    for name in ("mine", "yours"):
        monkeypatch.setitem(models.MODELS, name, models.Model(name, name, build="nowhere:build"))
    rows = [*paper_archive(5).rows("experiments"), *(row("mine", GENERALIZATION, seed, 99.9) for seed in range(5))]
    archive = Archive(kept={**paper_archive(5).kept, "experiments": rows})
    assert [judge(archive, each) for each in CLAIMS] == before


def test_the_strict_split_is_shown_and_decides_nothing():
    verdict = judge(paper_archive(5), claim("trees-over-chains"))
    assert len(verdict.evidence) == 16
    assert verdict.holding == len(verdict.deciding) == 12


def test_level_ranking_and_size_are_counted_apart():
    """The paper's own numbers hold everywhere; shrunk to a tenth, rankings hold and none is as large."""
    said = in_numbers([judge(paper_archive(5), each) for each in CLAIMS])
    assert "In level 5 of 5 " in said and "56 of 56 comparisons hold; in size 46 of the 46 " in said
    shrunk = paper_archive(5)
    for each in shrunk.rows("experiments"):
        each |= {name: 90 + value / 10 for name, value in each.items() if name in ("accuracy", "top_1")}
    said = in_numbers([judge(shrunk, each) for each in CLAIMS])
    assert "56 of 56 comparisons hold; in size 2 of the 46 " in said  # Sympy and the error are not shrunk
    assert in_numbers([judge(paper_archive(4), each) for each in CLAIMS]) == ""
