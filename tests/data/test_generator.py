"""The generator: same seed, same candidates; depth limits; everything it rejects is counted."""

from random import Random

import pytest

from reproduction.data.axioms import Axiom, chosen, read_axioms
from reproduction.data.generator import Generator, Pool
from reproduction.data.recipes import HARD, PAPER
from reproduction.judges.balls import Valuation
from reproduction.judges.oracle import AGREES, DIFFERS, examine
from reproduction.language.expression import OutOfBoundsError
from reproduction.language.parsing import parse_equation

OUTCOMES = AGREES, DIFFERS
STEPS = {"rewrite", "instantiate", "grow_sides", "shrink_node", "replace_node", "grow_node", "mirror"}


@pytest.fixture(scope="module")
def axioms():
    return read_axioms()


def _candidates(axioms, seed, proposals, limit=3, recipe=HARD):
    generator = Generator(axioms, recipe, Random(seed))
    found = []
    for number in range(proposals):
        candidate = generator.propose(AGREES if number % 2 else DIFFERS, limit)
        if candidate:
            found.append(candidate)
    return generator, found


def test_candidates_repeat_and_are_new_shallow_and_judged(axioms):
    generator, found = _candidates(axioms, 3, 3000)
    assert found == _candidates(axioms, 3, 3000)[1] != _candidates(axioms, 4, 3000)[1]
    equations = [candidate.equation for candidate in found]
    assert len(set(equations)) == len(equations) > 500
    assert max(equation.depth for equation in equations) == 3
    valuation = Valuation()
    assert all(examine(candidate.equation, valuation).outcome == candidate.outcome for candidate in found)
    assert {candidate.outcome for candidate in found} == {AGREES, DIFFERS}
    assert len(found) + sum(generator.rejected.values()) == 3000
    assert set(generator.rejected) >= {"too deep", "known already", "step does not apply", "identical sides"}
    assert {candidate.origin.split(":")[0] for candidate in found} == STEPS
    assert any(candidate.origin == "rewrite: neutral elements: x -> x + 0" for candidate in found)


@pytest.mark.parametrize("recipe", [PAPER, HARD], ids=lambda recipe: recipe.name)
def test_one_axiom_is_enough(recipe):
    generator = Generator([Axiom(parse_equation("x = x"), "reflexivity", 1)], recipe, Random(0))
    found = [generator.propose(outcome, 2) for outcome in (AGREES, DIFFERS) * 500]
    assert {candidate.outcome for candidate in filter(None, found)} == {AGREES, DIFFERS}


def test_a_step_that_is_out_of_bounds_is_one_that_is_too_deep(monkeypatch, axioms):
    generator = Generator(axioms, PAPER, Random(0))

    def beyond(*arguments):
        raise OutOfBoundsError("the tree has more than 100 levels")

    monkeypatch.setattr(generator, "_step", beyond)
    assert generator.propose(AGREES, 3) is None
    assert generator.rejected == {"too deep": 1}


def test_a_pool_draws_up_to_the_limit_and_evenly_when_the_recipe_says_so():
    pool, random = Pool(HARD), Random(0)
    assert pool.draw(3, random) is None
    for text in ("x = y", "x + 1 = y", "sin(x + 1) = y"):
        pool.add(parse_equation(text))
    assert {pool.draw(2, random).depth for _ in range(100)} == {1, 2}
    depths = [pool.draw(3, random).depth for _ in range(1000)]
    assert abs(depths.count(3) - 733) < 75  # 0.6 of the draws, and a third of the others
    pool = Pool(PAPER)
    for text in (*(f"x = v{number}" for number in range(9)), "sin(x) = y"):
        pool.add(parse_equation(text))
    depths = [pool.draw(2, random).depth for _ in range(1000)]
    assert abs(depths.count(2) - 100) < 40


def test_the_papers_steps_are_those_of_section_2_2(axioms):
    """Correct equations are rewritten or grown on both sides, incorrect ones are one local change of a correct one."""
    used = chosen(axioms, PAPER.marks)
    families = {axiom.family for axiom in used} | {"derived"}
    generator, found = _candidates(used, 5, 3000, recipe=PAPER)
    steps = {outcome: {each.origin.split(":")[0] for each in found if each.outcome == outcome} for outcome in OUTCOMES}
    assert steps[DIFFERS] == {"shrink_node", "replace_node", "grow_node"}
    assert steps[AGREES] >= {"rewrite", "grow_sides"}
    assert {each.origin.split(": ")[1] for each in found if each.origin.startswith("rewrite")} <= families
    drawn = {generator.function(1) for _ in range(1000)}
    assert len(drawn) == 25
    assert generator.fresh("y") is parse_equation("y = 0").left
