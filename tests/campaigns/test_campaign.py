"""Campaigns are counted, seeded and go on where they were stopped."""

import pytest
from campaigns.campaign import Campaign, Step, main, run

from reproduction import artifacts


def make_step(seen, stop_at=None):
    def step(number, random):
        if number == stop_at:
            raise KeyboardInterrupt
        seen.append((number, random.random()))
        return Step({"fine": 2, "odd": number % 2}, ("broken",) if number == 3 else ())

    return step


def test_a_campaign_goes_on_where_it_was_stopped(tmp_path, monkeypatch):
    whole, halves, path = [], [], tmp_path / "result.json"
    expected = run(Campaign("try", "a command", 10, make_step(whole)), tmp_path / "whole.json", 10, 7)
    monkeypatch.setattr("campaigns.campaign.SECONDS_BETWEEN_WRITES", -1)
    with pytest.raises(KeyboardInterrupt):
        run(Campaign("try", "a command", 10, make_step(halves, stop_at=2)), path, 10, 7)
    state = run(Campaign("try", "a command", 10, make_step(halves)), path, 10, 7)
    assert whole == halves
    assert state.counts == expected.counts and state.attempts >= 10
    stored = artifacts.read_json(path)
    assert (stored["attempts"], stored["findings"], stored["command"]) == (state.attempts, ["broken"], "a command")


def test_another_seed_and_fresh_start_again(tmp_path):
    seen, path = [], tmp_path / "result.json"
    campaign = Campaign("try", "a command", 4, make_step(seen))
    for seed, fresh in ((0, False), (0, False), (1, False), (1, True)):
        run(campaign, path, 4, seed, fresh)
    assert [number for number, _ in seen] == [0, 1] * 3


def test_a_finding_is_an_exit_code(tmp_path, capsys):
    campaign = Campaign("try", "a command", 4, make_step([]))
    assert main(campaign, ["--out", str(tmp_path / "a.json")]) == 0
    assert main(campaign, ["--out", str(tmp_path / "a.json"), "--attempts", "11"]) == 1
    assert "step 3: broken" in capsys.readouterr().out
    assert main(campaign, ["--step", "3"]) == 1
