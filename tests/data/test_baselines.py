"""What needs no network, on records made by hand."""

import numpy as np
import pytest

from reproduction.data import baselines
from reproduction.data.dataset import SYMBOLIC, Dataset, Record, Split
from reproduction.data.scores import verification_scores
from reproduction.judges.sympy_pool import FALSE, TRUE, UNDECIDED, Answer
from reproduction.language.parsing import parse_equation


def _records(*pairs):
    equations = [(parse_equation(text), label) for text, label in pairs]
    return [Record(f"s{index}", e, label, SYMBOLIC, e.depth, "test") for index, (e, label) in enumerate(equations)]


def test_majority():
    test = _records(("x = y", 0), ("x = x", 1))
    assert baselines.majority(_records(("x = x", 1), ("x = y", 0), ("y = z", 0)), test) == [0, 0]
    assert baselines.majority(_records(("x = x", 1), ("x = y", 0)), test) == [1, 1]
    assert baselines.score([0, 0], test)["accuracy"] == 0.5


def test_lookup_follows_chains_of_known_equalities():
    train = _records(("1 + 1 = 2", 1), ("2 = sqrt(4)", 1), ("4 * 1/2 = sqrt(4)", 1), ("3 = 2", 0), ("3 = 2 + 1", 1))
    test = _records(
        ("1 + 1 = 4 * 1/2", 1),  # over two steps
        ("sqrt(4) = 1 + 1", 1),  # mirrored
        ("10 = 10", 1),  # the same sides, never seen
        ("3 = 2", 0),  # seen as incorrect
        ("1 + 1 = 2 + 1", 0),  # two classes
        ("1 + 2 = 2 + 1", 1),  # true, but not known
    )
    assert baselines.lookup(train, test) == [1, 1, 1, 0, 0, 0]


def test_bag_of_symbols_finds_the_symbol_that_gives_the_label_away():
    train = _records(*((f"{name}(x) + {n} = x", int(name == "sin")) for name in ("sin", "cos") for n in range(11, 31)))
    test = _records(("sin(y) = 1", 1), ("cos(z)^2 = x", 0), ("cos(x) = cos(y)", 0), ("x = sin(tan(x))", 1))
    assert baselines.bag_of_symbols(train, test) == [1, 0, 0, 1]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("method", [baselines.majority, baselines.lookup, baselines.bag_of_symbols])
def test_little_data(method):
    test = _records(("x = x", 1), ("x = y", 0))
    assert len(method([], test)) == 2
    assert len(method(_records(("x = x", 1)), test)) == 2
    assert method(test, []) == []


def test_unsure_counts_as_wrong_whatever_the_label():
    records = _records(("x = x", 1), ("x = y", 0), ("x + 0 = x", 1), ("sin(x) = y", 0))
    scores = baselines.score([1, None, None, 1], records)
    assert (scores["accuracy"], scores["precision"], scores["recall"]) == (1 / 4, 1 / 2, 1 / 2)
    assert scores["by_depth"] == {"1": {"accuracy": 1 / 2, "count": 2}, "2": {"accuracy": 0.0, "count": 2}}
    assert baselines.score([None] * 4, records)["precision"] == 0
    assert baselines.score([], [])["accuracy"] == 0


def test_the_majority_of_each_column_is_its_own():
    records = _records(("x = x", 1), ("x = y", 0), ("y = y", 1), ("sin(x) = x", 0), ("sin(x) = y", 0))
    scores = baselines.majority_of_column(records)
    assert scores["accuracy"] == 3 / 5  # incorrect is the majority of all
    assert {depth: row["accuracy"] for depth, row in scores["by_depth"].items()} == {"1": 2 / 3, "2": 1.0}


def test_sympy_is_read_both_ways():
    records = _records(("x = x", 1), ("x = y", 0), ("sin(x) = sin(x)", 1))
    replies = (Answer(TRUE, TRUE), Answer(UNDECIDED, FALSE), Answer(FALSE, FALSE))
    answers = {record.id: answer for record, answer in zip(records, replies, strict=True)}
    assert baselines.sympy_predictions(records, answers) == {
        "sympy-auto": [1, None, 0],
        "sympy-simplify": [1, 0, 0],
        "sympy-auto-proof": [1, 0, 0],
    }
    opened = baselines.true_identities_left_open([records[0], records[2]], answers)
    assert opened["all"] == {"count": 2, "open_auto": 1, "open_simplify": 1}
    assert opened["by_depth"]["1"] == {"count": 1, "open_auto": 0, "open_simplify": 0}
    assert opened["by_function"] == {"sin": {"count": 1, "open_auto": 1, "open_simplify": 1}}


def test_the_scores_of_a_split_are_of_its_test_part_and_learned_from_the_rest():
    records = _records(("x = 1 * x", 1), ("1 * x = x + 0", 1), ("x = x + 0", 1), ("x = y", 0), ("y = z", 0))
    answers = {record.id: Answer(UNDECIDED, TRUE) for record in records}
    split = Split(("s0",), ("s1",), ("s2", "s3", "s4"))
    scores = baselines.split_scores(Dataset(tuple(records), (), ""), split, answers)
    assert {name: row["accuracy"] for name, row in scores.items()} == {
        "majority-train": round(1 / 3, 6),
        "majority-column": round(2 / 3, 6),
        "sympy-auto": 0.0,
        "sympy-simplify": round(1 / 3, 6),
        "sympy-auto-proof": round(2 / 3, 6),
        "bag-of-symbols": pytest.approx(1 / 3, abs=1e-6),
        "lookup": 1.0,  # over the equation in dev
    }


def test_verification_scores():
    probabilities, labels = np.array([0.9, 0.8, 0.3, 0.6, 0.5]), np.array([1, 0, 1, 1, 0])
    scores = verification_scores(probabilities, labels, np.array([2, 2, 3, 3, 3]))
    assert scores["accuracy"] == pytest.approx(3 / 5)
    assert scores["precision"] == pytest.approx(2 / 3)
    assert scores["recall"] == pytest.approx(2 / 3)
    assert scores["by_depth"] == {
        "2": {"accuracy": 0.5, "count": 2},
        "3": {"accuracy": pytest.approx(2 / 3), "count": 3},
    }
