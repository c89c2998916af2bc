"""From a trained model to completion.json and its examples."""

import json

import numpy as np
import pytest

from reproduction.completion import evaluation
from reproduction.completion.candidates import Blank, subtree_counts
from reproduction.completion.evaluation import chosen, chosen_symbolic, curves, evaluate, make_task
from reproduction.completion.scorers import TreeScorer
from reproduction.completion.truth import FALSE, TRUE
from reproduction.data.dataset import Dataset, Record, Split, tree_vocabulary
from reproduction.errors import InputError
from reproduction.judges.oracle import Oracle
from reproduction.language.parsing import parse_equation
from reproduction.networks.tree_model import TreeModel

SYMBOLIC = ("x + 0 = x", "x * 1 = x", "sin(x) = cos(pi * (1/2) - x)", "4^tanh(0) = 1", "x * 0 = 0", "2 + 2 = 4")
NUMERIC = ("cos(-2.18) = -0.57", "sin(0.64) = 0.60", "1.01 + 1.02 = 2.03", "tan(0.65) = 0.76")


def small_dataset():
    def records(letter, texts, kind):
        equations = [parse_equation(text) for text in texts]
        return tuple(Record(f"{letter}{n}", each, 1, kind, each.depth, "made up") for n, each in enumerate(equations))

    return Dataset(records("s", SYMBOLIC, "symbolic"), records("n", NUMERIC, "evaluation"), "made up")


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def evaluated(cache):
    """(results, examples) of a model that has learned nothing."""
    dataset = small_dataset()
    model = TreeModel(tree_vocabulary(dataset), hidden=6)
    model.initialize_parameters(np.random.default_rng(0))
    split = Split(("s0", "s1"), (), ("s1", "s2", "s3", "s4", "s5", "n0", "n1", "n2", "n3"))
    with Oracle() as oracle:
        task = make_task(dataset, split, cache, None)
        return evaluate(task, TreeScorer(model, dataset.functions), True, oracle, cache)


def test_results_have_everything_and_are_plain_json(evaluated):
    results, examples = json.loads(json.dumps(evaluated))
    symbolic = results["symbolic"]
    assert symbolic["equations"] == 5
    assert len(symbolic["top_k"]) == 10
    assert sum(row["equations"] for row in symbolic["by_equation_depth"].values()) == 5
    assert sum(symbolic["candidates"].values()) >= 5 * 1577
    assert 0 < symbolic["random"]["top_k"][0] < symbolic["random"]["top_k"][9] <= 1
    assert symbolic["most_frequent"]["top_k"][9] >= symbolic["most_frequent"]["top_k"][0]
    assert results["numeric"]["equations"] == 4
    assert set(examples) == {"symbolic", "numeric", "evaluations", "curves"}


def test_the_most_frequent_ranking_counts_the_training_part_alone(cache, monkeypatch):
    counted = []

    def counts(records):
        counted.extend(records)
        return subtree_counts(counted)

    monkeypatch.setattr(evaluation, "subtree_counts", counts)
    dataset = small_dataset()
    task = make_task(dataset, Split(("s0", "s1"), ("s2",), ("s3", "s4", "s5")), cache, None)
    evaluation.symbolic_results(task, [np.zeros(len(here)) for here in task.outcomes])
    assert [record.id for record in counted] == ["s0", "s1"]


def test_the_papers_own_equations_come_first(evaluated):
    _, examples = evaluated
    first, numeric = examples["symbolic"][0], examples["numeric"][0]
    assert (first["equation"], len(first["predictions"])) == ("4^tanh(0) = □^x", 10)
    assert all((row["verdict"] == "CORRECT") == row["counted_correct"] for row in first["predictions"])
    assert (numeric["equation"], numeric["fitting"]) == ("cos(-□) = -0.57", ["2.18"])
    errors = [row["model_error"] for row in numeric["predictions"]]
    assert errors == sorted(errors)


def test_evaluations_are_what_the_network_says_of_the_test_arguments(evaluated):
    _, examples = evaluated
    assert set(examples["evaluations"]) == {"+", "cos", "sin", "tan"}
    (cosine,) = examples["evaluations"]["cos"]
    assert cosine["arguments"] == [-2.18]
    assert cosine["value"] == pytest.approx(np.cos(-2.18))
    assert cosine["decoded"] == pytest.approx(examples["curves"]["cos"][314 - 218], abs=1e-3)
    assert len(examples["curves"]["cos"]) == 629


def test_a_curve_runs_from_minus_to_plus_and_its_sides_meet_at_0():
    class Shifted:
        def decoded(self, blanks):
            values = np.arange(315) / 100 + 0.0004
            return [values if blank.text.startswith("sin(□") else -values for blank in blanks]

    found = curves(["sin"], Shifted())["sin"]
    assert found == [round(cents / 100, 2) for cents in range(-314, 315)], "three decimals, and 0 once"


def test_examples_are_readable_and_not_filled_by_just_anything():
    def tower(height):
        return Blank(parse_equation(f"{'sin(' * height}x{')' * height} = x"), (1,))

    blanks = {"few": tower(1), "many": tower(1), "large": tower(13), "too large": tower(14)}
    outcomes = [np.array([TRUE] * correct + [FALSE] * 9) for correct in (30, 31, 1, 1)]
    assert set(chosen_symbolic(blanks, outcomes)) == {"few", "large"}
    assert blanks["large"].equation.size == 16
    assert chosen(map(str, range(20))) == ["1", "15", "9", "16", "5", "11", "18", "10"] and chosen(["n1"]) == ["n1"]


def test_a_limit_takes_the_first_blanks_of_each_kind(cache):
    task = make_task(small_dataset(), Split((), (), ("s1", "n0", "s2", "n1", "s3")), cache, 2)
    assert (list(task.symbolic), list(task.numeric)) == (["s1", "s2"], ["n0", "n1"])
    with pytest.raises(InputError, match="no correct symbolic equation"):
        make_task(small_dataset(), Split(("s1",), (), ("n0",)), cache, None)
