"""The generator: same seed, same candidates; depth limits; everything it rejects is counted."""

from random import Random

import pytest

from reproduction.data.axioms import Axiom, read_axioms
from reproduction.data.generator import DEEPEST_FIRST, Generator, Pool
from reproduction.judges.balls import Valuation
from reproduction.judges.oracle import AGREES, DIFFERS, examine
from reproduction.language.parsing import parse_equation

STEPS = {"rewrite", "instantiate", "grow_sides", "shrink_node", "replace_node", "grow_node", "mirror"}


@pytest.fixture(scope="module")
def axioms():
    return read_axioms()


def _candidates(axioms, seed, proposals, limit=3):
    generator = Generator(axioms, Random(seed))
    found = []
    for number in range(proposals):
        candidate = generator.propose(AGREES if number % 2 else DIFFERS, limit)
        if candidate:
            found.append(candidate)
    return generator, found


def test_same_seed_same_candidates(axioms):
    first, second, third = (_candidates(axioms, seed, 1500)[1] for seed in (1, 1, 2))
    assert first == second
    assert first != third


def test_candidates_are_new_shallow_and_judged(axioms):
    generator, found = _candidates(axioms, 3, 3000)
    equations = [candidate.equation for candidate in found]
    assert len(set(equations)) == len(equations) > 500
    assert max(equation.depth for equation in equations) == 3
    valuation = Valuation()
    assert all(examine(candidate.equation, valuation).outcome == candidate.outcome for candidate in found)
    assert {candidate.outcome for candidate in found} == {AGREES, DIFFERS}
    assert len(found) + sum(generator.rejected.values()) == 3000
    assert set(generator.rejected) >= {"too deep", "known already", "step does not apply", "identical sides"}


def test_origins_name_the_step(axioms):
    _, found = _candidates(axioms, 4, 3000)
    assert {candidate.origin.split(":")[0] for candidate in found} == STEPS
    assert any(candidate.origin == "rewrite: neutral elements: x -> x + 0" for candidate in found)


def test_one_axiom_is_enough():
    generator = Generator([Axiom(parse_equation("x = x"), "reflexivity", 1)], Random(0))
    found = [generator.propose(outcome, 2) for outcome in (AGREES, DIFFERS) * 500]
    assert {candidate.outcome for candidate in filter(None, found)} == {AGREES, DIFFERS}


def test_nothing_incorrect_comes_from_nothing(axioms):
    generator = Generator(axioms, Random(0))
    assert generator._keeping_step(DIFFERS, 3) is None


def test_a_pool_draws_up_to_the_limit():
    pool, random = Pool(), Random(0)
    assert pool.draw(3, random) is None
    for text in ("x = y", "x + 1 = y", "sin(x + 1) = y"):
        pool.add(parse_equation(text))
    assert {pool.draw(2, random).depth for _ in range(100)} == {1, 2}
    depths = [pool.draw(3, random).depth for _ in range(1000)]
    expected = 1000 * (DEEPEST_FIRST + (1 - DEEPEST_FIRST) / 3)
    assert abs(depths.count(3) - expected) < 75
