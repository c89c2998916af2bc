"""Campaigns are counted, seeded and go on where they were stopped; a short version of each finds nothing."""

import gzip
import random
import shutil
from random import Random

import pytest
from campaigns import crash, damage, fuzz, judges, prover
from campaigns.campaign import Campaign, Step, main, run

from reproduction import artifacts
from reproduction.errors import InputError
from reproduction.judges.balls import POINT_COUNT, Valuation
from reproduction.language.parsing import parse_equation

SHORT = dict.fromkeys(fuzz.TARGETS, 300) | {"parser": 800, "built trees": 150}


def make_step(seen, stop_at=None):
    def step(number, random):
        if number == stop_at:
            raise KeyboardInterrupt
        seen.append((number, random.random()))
        return Step({"fine": 2, "odd": number % 2}, ("broken",) if number == 3 else ())

    return step


def test_a_campaign_goes_on_where_it_was_stopped(tmp_path, monkeypatch):
    whole, halves, path = [], [], tmp_path / "result.json"
    expected = run(Campaign("try", 10, make_step(whole)), tmp_path / "whole.json", 10, 7)
    monkeypatch.setattr("campaigns.campaign.SECONDS_BETWEEN_WRITES", -1)
    with pytest.raises(KeyboardInterrupt):
        run(Campaign("try", 10, make_step(halves, stop_at=2)), path, 10, 7)
    state = run(Campaign("try", 10, make_step(halves)), path, 10, 7)
    assert whole == halves
    assert state.counts == expected.counts and state.attempts >= 10
    stored = artifacts.read_json(path)
    assert (stored["attempts"], stored["findings"], stored["command"]) == (
        state.attempts,
        ["broken"],
        "./run_all.sh test-try --seed 7",
    )


def test_another_seed_and_fresh_start_again(tmp_path):
    seen, path = [], tmp_path / "result.json"
    campaign = Campaign("try", 4, make_step(seen))
    for seed, fresh in ((0, False), (0, False), (1, False), (1, True)):
        run(campaign, path, 4, seed, fresh)
    assert [number for number, _ in seen] == [0, 1] * 3


def test_a_finding_is_an_exit_code(tmp_path, capsys):
    campaign = Campaign("try", 4, make_step([]))
    assert main(campaign, ["--out", str(tmp_path / "a.json")]) == 0
    assert main(campaign, ["--out", str(tmp_path / "a.json"), "--attempts", "11"]) == 1
    assert "step 3: broken" in capsys.readouterr().out
    assert main(campaign, ["--step", "3"]) == 1


# ------------------------------------------------------------------------------------------------ fuzz


@pytest.mark.parametrize("name", SHORT)
def test_every_input_is_read_or_refused(name):
    outcomes = [fuzz.attempt(name, f"short {name} {index}") for index in range(SHORT[name])]
    assert [wrong for _, wrong in outcomes if wrong] == []
    assert {outcome for outcome, _ in outcomes} >= ({"value"} if name == "built trees" else {"value", "refused"})


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


def test_a_judge_that_errs_is_seen(monkeypatch):
    monkeypatch.setattr(judges, "compare", lambda left, right: "differs")
    assert any("by mpmath the sides are" in each for each in judges.step(1, Random(1)).findings)
    monkeypatch.setattr(prover, "proves", lambda equation: True)
    findings = prover.step(0, Random(0)).findings
    assert sum("proved, and different at" in each for each in findings) > 20


def test_tiny_sides_that_differ_are_different():
    equation = parse_equation("sqrt(y^exp(10)) = y^(exp(10) * (1/2))")  # of the size 10^(-3221) at y = -0.51
    assert [judges._wrong_at(equation, point, Valuation()) for point in range(POINT_COUNT)] == [None] * POINT_COUNT


# ------------------------------------------------------------------------------------------------ damage, crash


@pytest.fixture(scope="module")
def damaged():
    yield
    shutil.rmtree(damage._places()[0].parent)


@pytest.mark.parametrize("reader", damage.READERS, ids=lambda reader: reader.patterns[0])
def test_damaged_files_are_refused_or_harmless(damaged, reader):
    steps = [damage.damage_one(1, random.Random(number), (reader,)) for number in range(15)]
    assert [finding for step in steps for finding in step.findings] == []


@pytest.mark.parametrize("suffix", ["jsonl", "details.jsonl.gz"])
def test_rows_and_details_of_another_study_or_place_are_refused(damaged, suffix):
    names, (one, two) = [f"runs/{study}.{suffix}" for study in ("experiments", "protocol")], damage._places()
    own, reader = (one / names[0]).read_bytes(), damage.READERS[1]
    damage._before(reader)
    for other in (one / names[1], *([two / names[0]] if "details" in suffix else [])):
        (one / names[0]).write_bytes(other.read_bytes())
        assert damage._outcome(names[0], reader, "of another place") == ("refused", None)
        (one / names[0]).write_bytes(own)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("stage", ["train tree", "completion"])
def test_a_killed_command_ends_with_the_same_files(stage):
    try:
        assert crash.kill_stage(stage, random.Random(5)).findings == ()
    finally:
        shutil.rmtree(crash._root())
        crash._root.cache_clear()
        crash._reference.cache_clear()
