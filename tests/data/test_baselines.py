"""What needs no network, on records made by hand."""

import numpy as np
import pytest

from reproduction.data.baselines import bag_of_symbols, lookup, majority, score
from reproduction.data.dataset import SYMBOLIC, Record
from reproduction.language.parsing import parse_equation


def _records(*pairs):
    equations = [(parse_equation(text), label) for text, label in pairs]
    return [Record(f"s{index}", e, label, SYMBOLIC, e.depth, "test") for index, (e, label) in enumerate(equations)]


def test_majority():
    test = _records(("x = y", 0), ("x = x", 1))
    assert majority(_records(("x = x", 1), ("x = y", 0), ("y = z", 0)), test) == [0, 0]
    assert majority(_records(("x = x", 1), ("x = y", 0)), test) == [1, 1]
    assert score([0, 0], test)["accuracy"] == 0.5


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
    assert lookup(train, test) == [1, 1, 1, 0, 0, 0]


def test_lookup_of_a_long_chain():
    train = _records(*((f"x + {n} = x + {n + 1}", 1) for n in range(11, 400)))
    assert lookup(train, _records(("x + 11 = x + 400", 1), ("x + 11 = y", 0))) == [1, 0]


def test_bag_of_symbols_finds_the_symbol_that_gives_the_label_away():
    train = _records(*((f"{name}(x) + {n} = x", int(name == "sin")) for name in ("sin", "cos") for n in range(11, 31)))
    test = _records(("sin(y) = 1", 1), ("cos(z)^2 = x", 0), ("cos(x) = cos(y)", 0), ("x = sin(tan(x))", 1))
    assert bag_of_symbols(train, test) == [1, 0, 0, 1]


def test_bag_of_symbols_does_not_see_the_order():
    train = _records(("x - y = 1", 1), ("y - x = 1", 0), ("x + y = 0", 1), ("sin(x) = y", 0))
    first, second = bag_of_symbols(train, _records(("x / y = 2", 1), ("y / x = 2", 0)))
    assert first == second


def test_bag_of_symbols_repeats():
    random = np.random.default_rng(0)
    train = _records(*((f"{a} * x + {b} = y", int(a > b)) for a, b in random.integers(0, 5, (60, 2))))
    assert bag_of_symbols(train, train) == bag_of_symbols(train, train)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("method", [majority, lookup, bag_of_symbols])
def test_little_data(method):
    test = _records(("x = x", 1), ("x = y", 0))
    assert len(method([], test)) == 2
    assert len(method(_records(("x = x", 1)), test)) == 2
    assert method(test, []) == []
