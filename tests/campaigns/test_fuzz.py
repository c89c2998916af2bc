"""A short version of the fuzz and judges campaigns, and that they would see what they look for."""

import gzip
from random import Random

import pytest
from campaigns import fuzz, judges
from campaigns.campaign import random_of, run

from reproduction.errors import InputError
from reproduction.judges.balls import POINT_COUNT, Valuation
from reproduction.language.parsing import parse_equation

SHORT = dict.fromkeys(fuzz.TARGETS, 300) | {"parser": 800, "built trees": 150}


@pytest.mark.parametrize("name", SHORT)
def test_every_input_is_read_or_refused(name):
    outcomes = [fuzz.attempt(name, f"short {name} {index}") for index in range(SHORT[name])]
    assert [wrong for _, wrong in outcomes if wrong] == []
    assert {outcome for outcome, _ in outcomes} >= ({"value"} if name == "built trees" else {"value", "refused"})


def test_a_campaign_counts_every_target(tmp_path, monkeypatch):
    monkeypatch.setattr(fuzz, "TARGETS", {"fine": (lambda random: None, 1), "refused": (_refuse, 1)})
    state = run(fuzz.CAMPAIGN, tmp_path / "fuzz.json", 600, seed=1)
    assert set(state.counts) == {"fine: value", "refused: refused"}
    assert (state.attempts, state.findings) == (2 * fuzz.INPUTS_OF_A_STEP, [])


def _refuse(random):
    raise InputError("no")


def _crash(random):
    return gzip.decompress(b"x")


def _hang(random):
    while True:
        pass


def _mumble(random):
    raise InputError("\x00")


@pytest.mark.parametrize(
    ("target", "words"),
    [(_crash, "BadGzipFile"), (_hang, "not done in 0.2 s"), (_mumble, "a message with"),
     (lambda random: fuzz._check(False, "is not read back"), "is not read back")],
)  # fmt: skip
def test_what_is_neither_is_a_finding(monkeypatch, target, words):
    monkeypatch.setattr(fuzz, "SECONDS", 0.2)
    monkeypatch.setattr(fuzz, "TARGETS", {"bad": (target, 1)})
    step = fuzz.step(0, Random(0)) if target is not _hang else None
    assert words in (step.findings[0] if step else fuzz.attempt("bad", "one")[1])


def test_the_judges_and_mpmath_agree():
    for number in range(2):
        step = judges.step(number, random_of(judges.CAMPAIGN, 0, number))
        assert step.findings == ()
        assert sum(step.counts.values()) == judges.EQUATIONS_OF_A_STEP


def test_a_judge_that_errs_is_seen(monkeypatch):
    monkeypatch.setattr(judges, "proves", lambda equation: True)
    findings = judges.step(0, random_of(judges.CAMPAIGN, 0, 0)).findings
    assert any("a near miss is proved" in each for each in findings)
    assert any("proved, and different" in each for each in findings)
    monkeypatch.setattr(judges, "proves", lambda equation: False)
    monkeypatch.setattr(judges, "compare", lambda left, right: "differs")
    assert any("by mpmath the sides are" in each for each in judges.step(1, Random(1)).findings)


def test_tiny_sides_that_differ_are_different():
    equation = parse_equation("sqrt(y^exp(10)) = y^(exp(10) * (1/2))")  # of the size 10^(-3221) at y = -0.51
    assert [judges._wrong_at(equation, point, Valuation()) for point in range(POINT_COUNT)] == [None] * POINT_COUNT
