"""Means over seeds, closeness, paired comparisons and verdicts."""

import pytest
from support.made_up_rows import archive_of

from reproduction import models, paper
from reproduction.data.baselines import SYMPY_AUTO
from reproduction.data.dataset import DEPTH_2_OUT, DEPTH_4_OUT, GENERALIZATION
from reproduction.measures import MSE
from reproduction.models import paper_models
from reproduction.report import claims
from reproduction.report.claims import CLAIMS, Cell, Comparison, Summary, differences, evidence_of, interval, judge
from reproduction.report.outputs.verdicts import in_numbers
from reproduction.report.results import BEST_ON_TEST, DEV_CHOSEN, Archive

RANKING = Comparison("tree-lstm", "tree-nn", GENERALIZATION)
BASE = (90.0, 91.0, 92.0, 93.0, 94.0)


def row(model: str, split: str, seed: int, accuracy: float, **more) -> dict:
    scores = {"accuracy": accuracy, **more}
    best = {f"best_on_test_{name}": value for name, value in scores.items()}
    return {"model": model, "split": split, "seed": seed, **scores, **best}


def beside(better, worse=BASE) -> claims.Evidence:
    """Accuracies of TreeLSTM and of TreeNN, one a seed."""
    pairs = (("tree-lstm", better), ("tree-nn", worse))
    rows = [row(name, GENERALIZATION, seed, each) for name, values in pairs for seed, each in enumerate(values)]
    return evidence_of(archive_of(experiments=rows), RANKING)


def word(archive: Archive, key: str) -> str:
    return judge(archive, next(each for each in CLAIMS if each.key == key)).word


def paper_archive(seeds: int = 5, **changed: float) -> Archive:
    """Rows that score exactly what the paper and its poster report, but for `model__split` that are given."""
    rows = []
    for seed in range(seeds):
        for model in (each.name for each in paper_models()):
            printed = paper.TABLE_3[model]
            blanks = {f"top_{k}": share for k, share in enumerate(paper.POSTER_COMPLETION[model], 1)}
            errors = {"mse": printed.mse, **{f"top_{k}_mse": printed.mse for k in range(1, 11)}} if printed.mse else {}
            rows.append(row(model, GENERALIZATION, seed, printed.accuracy, **blanks, **errors))
            rows += [row(model, split, seed, table[model].accuracy) for split, table in paper.TABLE_4.items()]
    for each in rows:
        each["accuracy"] = changed.get(f"{each['model']}, {each['split']}", each["accuracy"])
    scores = {"accuracy": paper.TABLE_3["sympy"].accuracy / 100, "precision": 0.5, "recall": 0.5, "by_depth": {}}
    splits = {GENERALIZATION: {str(seed): {SYMPY_AUTO: scores} for seed in range(seeds)}}
    return Archive(kept={"experiments": rows, "baselines.json": {"splits": splits}})


def test_a_summary_is_the_mean_and_the_sample_standard_deviation():
    assert claims.summarise({0: 1.0, 1: 2.0, 2: 3.0}) == Summary(2.0, 1.0, 3)
    assert claims.summarise({3: 90.0}) == Summary(90.0, None, 1) and claims.summarise({}) is None


def test_closeness():
    for papers, mean, tolerance, is_error, expected in (
        (97.2, 96.2, 1.0, False, "close"), (97.2, 98.2, 1.0, False, "close"), (97.2, 96.1, 1.0, False, "worse"),
        (97.2, 98.3, 1.0, False, "better"), (0.047, 0.06, 0.02, True, "close"), (0.047, 0.02, 0.02, True, "better"),
        (0.047, 0.2, 0.02, True, "worse"), (None, 1.0, 1.0, False, None), (71.42, 100.0, None, False, None),
    ):  # fmt: skip
        assert Cell(papers, Summary(mean, None, 1), tolerance, is_error).closeness == expected
        assert Cell(papers, None, tolerance).closeness is None


def test_an_interval_is_students_t_around_the_mean():
    """The half widths are t(0.975) by a printed table (2.7764, 12.7062, 2.0452) times the standard error."""
    for values, half in (([1, 2, 3, 4, 5], 1.9632), ([0, 1], 6.3531), ([1, 2, 3] * 10, 0.3101)):
        low, high = interval(values)
        assert (low + high) / 2 == pytest.approx(sum(values) / len(values))
        assert (high - low) / 2 == pytest.approx(half, abs=2e-4)
        assert interval(values[:1]) is None


def test_pairs_are_those_of_a_seed_and_not_of_a_place():
    """The seeds stand in another order, and each network has one that the other lacks."""
    scores = {"tree-nn": {3: 10.0, 0: 90.0, 1: 70.0}, "tree-lstm": {1: 71.0, 2: 99.0, 0: 92.0}}
    assert differences(scores["tree-lstm"], scores["tree-nn"]) == {1: 1.0, 0: 2.0}
    rows = [row(model, GENERALIZATION, *each) for model, by_seed in scores.items() for each in by_seed.items()]
    found = evidence_of(archive_of(experiments=rows), RANKING)
    assert (found.ours.mean, found.ours.seeds, found.wins) == (1.5, 2, 2)


def test_a_ranking_holds_when_its_interval_lies_above_zero():
    """Four seeds decide nothing; five wins of five are not enough where one seed makes the mean."""
    for gains, expected in (
        ((0.5, 0.6, 0.4, 0.5, 0.5), True), ((0.5, 0.6, 0.4, 0.5), None),
        ((0.1, 0.1, 0.1, 0.1, 2.0), False), ((-0.5, -0.6, -0.4, -0.5, -0.5), False),
    ):  # fmt: skip
        assert beside([low + gain for low, gain in zip(BASE, gains, strict=False)]).holds is expected


def test_the_size_of_a_difference_is_judged_by_half_of_the_papers():
    """The paper has TreeLSTM 3.12 points over TreeNN."""
    for gain, as_large, excluded in ((3.0, True, False), (1.6, True, True), (1.4, False, True)):
        spread = (-0.1, 0.1, 0.0, -0.05, 0.05) if gain < 3 else (-1, 1, 0, 0.5, -0.5)
        found = beside([low + gain + each for low, each in zip(BASE, spread, strict=True)])
        assert (found.reaches(0.5), not found.reaches(1)) == (as_large, excluded), gain


def test_a_tie_is_no_win():
    found = beside([95, 94, 93, 97, 90], [94, 94, 92, 96])
    assert (found.wins, found.ours.seeds, found.holds) == (3, 4, None)
    assert (found.ours.mean, found.paper) == (pytest.approx(0.75), pytest.approx(95.18 - 92.06))


def test_a_lower_error_wins():
    errors = {"tree-lstm+data": 0.04, "tree-nn+data": 0.2}
    rows = [row(name, GENERALIZATION, seed, 95, mse=mse) for name, mse in errors.items() for seed in range(5)]
    found = evidence_of(archive_of(experiments=rows), Comparison(*errors, GENERALIZATION, MSE))
    assert (found.wins, found.ours.mean, found.paper) == (5, pytest.approx(0.16), pytest.approx(0.191 - 0.047))


def test_a_level_needs_five_seeds_and_may_be_better_than_close():
    for seeds, value, expected in ((4, 97.2, None), (5, 97.2, True), (5, 99.0, True), (5, 95.0, False)):
        archive = archive_of(experiments=[row("tree-lstm+data", GENERALIZATION, seed, value) for seed in range(seeds)])
        assert evidence_of(archive, Comparison("tree-lstm+data", None, GENERALIZATION)).holds is expected


def test_the_papers_own_numbers_satisfy_every_claim_and_one_seed_decides_nothing():
    for choice in (DEV_CHOSEN, BEST_ON_TEST):
        assert {judge(paper_archive(), claim, choice).word for claim in CLAIMS} == {"reproduced"}
    for archive in (paper_archive(1), Archive()):
        assert {judge(archive, claim).word for claim in CLAIMS} == {"not decided yet"}


def test_the_word_is_by_how_many_comparisons_hold_and_how_large_the_headline_is():
    spoiled = [f"tree-nn+data, {split}" for split in (GENERALIZATION, DEPTH_4_OUT, DEPTH_2_OUT)]
    assert word(paper_archive(**dict.fromkeys(spoiled[:2], 50)), "data-helps") == "reproduced in part"  # 4 of 6
    assert word(paper_archive(**dict.fromkeys(spoiled, 50)), "data-helps") == "not reproduced"  # 3 of 6
    names = ("rnn", "lstm", "tree-nn", "tree-lstm", "tree-nn+data", "tree-lstm+data")
    splits = (GENERALIZATION, DEPTH_4_OUT, DEPTH_2_OUT)
    shrunk = {f"{name}, {split}": 95 + place / 10 for place, name in enumerate(names) for split in splits}
    assert word(paper_archive(**shrunk), "trees-over-chains") == "reproduced, smaller"


def test_other_peoples_networks_decide_nothing(monkeypatch):
    """One that is better than all, and one that has no seeds."""
    before = [judge(paper_archive(), each) for each in CLAIMS]
    for name in ("mine", "yours"):
        monkeypatch.setitem(models.MODELS, name, models.Model(name, name, build="nowhere:build"))
    rows = [*paper_archive().rows("experiments"), *(row("mine", GENERALIZATION, seed, 99.9) for seed in range(5))]
    archive = Archive(kept={**paper_archive().kept, "experiments": rows})
    assert [judge(archive, each) for each in CLAIMS] == before


def test_the_strict_split_is_shown_and_decides_nothing():
    verdict = judge(paper_archive(), CLAIMS[0])
    assert (len(verdict.evidence), verdict.holding, len(verdict.deciding)) == (16, 12, 12)


def test_level_ranking_and_size_are_counted_apart():
    """The paper's own numbers hold everywhere; shrunk to a tenth, rankings hold and none is as large."""
    said = in_numbers([judge(paper_archive(), each) for each in CLAIMS])
    assert "In level 5 of 5 " in said and "56 of 56 comparisons hold; in size 46 of the 46 " in said
    shrunk = paper_archive()
    for each in shrunk.rows("experiments"):
        each |= {name: 90 + value / 10 for name, value in each.items() if name in ("accuracy", "top_1")}
    said = in_numbers([judge(shrunk, each) for each in CLAIMS])
    assert "56 of 56 comparisons hold; in size 2 of the 46 " in said  # Sympy and the error are not shrunk
    assert in_numbers([judge(paper_archive(4), each) for each in CLAIMS]) == ""
