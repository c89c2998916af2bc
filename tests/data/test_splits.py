"""Splits: shares, held-out depths, and no twins across the strict one."""

from random import Random

import pytest

from reproduction.data.dataset import SPLIT_NAMES, SYMBOLIC, Dataset, Record
from reproduction.data.function_evaluations import PAPER_FUNCTIONS, numeric_records
from reproduction.data.splits import make_split, twin_key, twin_share
from reproduction.errors import InputError
from reproduction.language.parsing import parse_equation


def _record(index, text, label=1):
    equation = parse_equation(text)
    return Record(f"s{index}", equation, label, SYMBOLIC, equation.depth, "test")


def _texts(random):
    """Equations of depths 1 to 4, most of them with a mirrored or renamed twin."""
    for number in range(11, 111):
        left, right = f"x + {number}", f"sin(y * {number})"
        yield f"{left} = {right}"
        yield f"{right} = {left}"
        if random.random() < 0.5:
            yield f"z + {number} = sin(x * {number})"
        yield f"cos(tan(sin({number}))) = y"
        yield f"y = {number}"


@pytest.fixture(scope="module")
def dataset():
    symbolic = tuple(_record(index, text, index % 2) for index, text in enumerate(_texts(Random(0))))
    return Dataset(symbolic, numeric_records(100, 50, PAPER_FUNCTIONS, 0), "")


@pytest.mark.parametrize("name", SPLIT_NAMES)
def test_every_record_is_in_one_part_and_the_same_seed_gives_the_same_split(dataset, name):
    split = make_split(dataset, name, 3)
    assert sorted(split.train + split.dev + split.test) == sorted(dataset.by_id)
    assert split == make_split(dataset, name, 3)
    assert split != make_split(dataset, name, 4)


@pytest.mark.parametrize("name", ["generalization", "strict"])
def test_a_fifth_is_test_and_a_tenth_of_the_rest_dev(dataset, name):
    split = make_split(dataset, name, 0)
    for letter, count in (("s", len(dataset.symbolic)), ("n", len(dataset.numeric))):
        train, dev, test = (sum(one[0] == letter for one in part) for part in (split.train, split.dev, split.test))
        slack = 0 if name == "generalization" else 5  # twins are not parted
        assert round(0.2 * count) <= test <= round(0.2 * count) + slack
        assert round(0.1 * (count - test)) <= dev <= round(0.1 * (count - test)) + slack
        assert train + dev + test == count


@pytest.mark.parametrize("seed", range(5))
def test_the_strict_split_has_no_twins(dataset, seed):
    split = make_split(dataset, "strict", seed)
    keys = {part: {twin_key(dataset.by_id[one].equation) for one in getattr(split, part)} for part in vars(split)}
    assert not keys["test"] & (keys["train"] | keys["dev"])
    assert not keys["dev"] & keys["train"]
    assert twin_share(dataset.symbolic, split) == 0
    assert twin_share(dataset.symbolic, make_split(dataset, "generalization", seed)) > 0.3


@pytest.mark.parametrize("depth", [2, 4])
def test_extrapolation_holds_out_exactly_the_depth(dataset, depth):
    split = make_split(dataset, f"extrapolate-{depth}", 0)
    assert set(split.test) == {record.id for record in dataset.symbolic if record.depth == depth}
    assert {record.id for record in dataset.numeric} <= set(split.train + split.dev)
    assert any(one[0] == "n" for one in split.dev)


@pytest.mark.parametrize(
    ("first", "second", "are_twins"),
    [
        ("x + 1 = y", "y = x + 1", True),
        ("x + 1 = y", "z + 1 = x", True),
        ("x + 1 = y", "x + 1 = x", False),
        ("x - y = x", "y - x = y", True),
        ("x - y = x", "y - x = x", False),
        ("v1 + v2 = v1", "v2 + v1 = v2", True),
        ("2.00 = x", "2 = x", False),
    ],
)
def test_twins(first, second, are_twins):
    assert (twin_key(parse_equation(first)) == twin_key(parse_equation(second))) is are_twins


def test_unknown_names_are_refused(dataset):
    with pytest.raises(InputError, match="extrapolate-4"):
        make_split(dataset, "extrapolate-3", 0)
