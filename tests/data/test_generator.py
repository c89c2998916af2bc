"""The generator and the builder of data sets: limits, rejections, wishes, and the same bytes in every run."""

import gzip
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from reproduction import paper
from reproduction.artifacts import ROOT, fingerprint
from reproduction.data.axioms import Axiom, check_axioms, chosen, read_axioms
from reproduction.data.generator import Generator, SymbolicBuilder, Wish, paper_wishes
from reproduction.data.recipes import HARD, PAPER
from reproduction.errors import InputError
from reproduction.judges.balls import Valuation
from reproduction.judges.oracle import AGREES, CORRECT, DIFFERS, UNSURE, Judgement, examine
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


def _depths(axioms, recipe, texts, limit):
    """The depths of a thousand draws from these known equations."""
    generator = Generator(axioms, recipe, Random(0))
    assert generator.draw(DIFFERS, limit) is None
    for text in texts:
        generator.add(parse_equation(text), DIFFERS)
    return Counter(generator.draw(DIFFERS, limit).depth for _ in range(1000))


def test_known_equations_are_drawn_up_to_the_limit_and_evenly_when_the_recipe_says_so(axioms):
    texts = ("x = y", "x + 1 = y", "sin(x + 1) = y")
    assert set(_depths(axioms, HARD, texts, 2)) == {1, 2}
    assert abs(_depths(axioms, HARD, texts, 3)[3] - 733) < 75  # 0.6 of the draws, and a third of the others
    texts = (*(f"x = v{number}" for number in range(9)), "sin(x) = y")
    assert abs(_depths(axioms, PAPER, texts, 2)[2] - 100) < 40


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


def test_the_papers_wishes():
    wishes = paper_wishes()
    assert sum(wish.total for wish in wishes.values()) == paper.SYMBOLIC_TOTAL
    assert sum(wish.correct for wish in wishes.values()) == paper.SYMBOLIC_CORRECT
    assert wishes == {1: Wish(32, 3), 2: Wish(2547, 1116), 3: Wish(12217, 6512), 4: Wish(2836, 1271)}
    assert paper_wishes(0.1)[3] == Wish(1222, 651)
    assert all(0 < wish.correct < wish.total for wish in paper_wishes(0.01).values())


class Credulous:
    """An oracle that believes what the points show, but for a share that it cannot settle."""

    def __init__(self, unsure_share=0.0):
        self._random, self._share = Random(0), unsure_share

    def judge_many(self, equations, progress):
        progress(len(equations))
        verdicts = [UNSURE if self._random.random() < self._share else CORRECT for _ in equations]
        return [Judgement(verdict, {"route": "belief"}) for verdict in verdicts]


def test_wishes_are_filled_depth_by_depth():
    told = []
    wishes = {1: Wish(4, 2), 2: Wish(50, 20), 3: Wish(80, 60)}
    built = SymbolicBuilder(read_axioms(), HARD, 0, Credulous(0.3)).build(wishes, told.append)
    counts = {depth: [r.label for r in built.symbolic if r.depth == depth] for depth in wishes}
    assert {depth: Wish(len(labels), sum(labels)) for depth, labels in counts.items()} == wishes
    assert [record.id for record in built.symbolic] == [f"s{index}" for index in range(134)]
    assert len({record.equation for record in built.symbolic + built.unsure}) == 134 + len(built.unsure)
    assert built.shortfall == {}
    assert built.verdicts[CORRECT] >= 82
    assert built.verdicts[UNSURE] == len(built.unsure) > 10
    assert {record.label for record in built.unsure} == {1}
    assert 15 < sum(counts[3][:40]) < 45, "labels are mixed"


def test_a_depth_that_is_exhausted_is_reported():
    axioms = [Axiom(parse_equation("x = x"), "reflexivity", 1)]
    built = SymbolicBuilder(axioms, PAPER, 0, Credulous()).build({1: Wish(5000, 2500)})
    missing = built.shortfall[1]
    assert missing.total == 5000 - len(built.symbolic) > 4000
    assert missing.correct == 2500 - sum(record.label for record in built.symbolic)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("sin(x) = cos(x)", "INCORRECT: at x = 0.63 the left side is 0.589144757942 and the right side 0.808027508312"),
        ("acot(-x) = -acot(x)", "INCORRECT: at x = 0 "),
        ("0^0 = 1", "UNDEFINED: no sample point"),
    ],
)
def test_false_axioms_are_refused_with_the_evidence(text, words):
    axioms = [Axiom(parse_equation("x = x"), "a", 1), Axiom(parse_equation(text), "b", 17)]
    with pytest.raises(InputError, match="^mine.txt, line 17, column 1: this axiom is ") as caught:
        check_axioms(Path("mine.txt"), axioms)
    assert words in str(caught.value)
    check_axioms(Path("mine.txt"), axioms[:1])


SMALL = "--counts 1=6/2 2=60/30 3=60/30 --scale smoke --split-seeds 1 --seed 7".split()


def _generated(runs, *words):
    """The bytes of every file of a run."""
    surroundings = {**os.environ, "REPRODUCTION_WORKSPACE": str(runs), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "reproduction", "generate", *SMALL, "--out", str(runs / "data"), *words]
    subprocess.run(command, env=surroundings, check=True, capture_output=True, timeout=100)
    data = runs / "data"
    return {str(path.relative_to(data)): path.read_bytes() for path in data.rglob("*") if path.is_file()}


def test_the_same_bytes_whatever_the_workers_and_the_cache(tmp_path):
    first = _generated(tmp_path / "one", "--workers", "1")
    assert set(first) == {
        "symbolic.jsonl.gz",
        "numeric.jsonl.gz",
        "unsure.jsonl.gz",
        "statistics.json",
        "table-2.json",
        "manifest.json",
        *(f"splits/{name}-0.json.gz" for name in ("generalization", "strict", "extrapolate-4", "extrapolate-2")),
    }
    rows = (gzip.decompress(first[f"{name}.jsonl.gz"]) for name in ("symbolic", "numeric", "unsure"))
    assert fingerprint(*rows) == "f48615c87050aaec", "the committed data were made by the same steps"
    assert _generated(tmp_path / "two", "--workers", "2") == first
    assert _generated(tmp_path / "one", "--workers", "2", "--replace") == first  # Sympy's answers are on disk
