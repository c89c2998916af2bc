"""A benchmark of next to nothing: that it measures everything and writes what it should."""

from support.small_data import write_small_dataset

from reproduction import artifacts
from reproduction.__main__ import main
from reproduction.commands import train as command
from reproduction.training import benchmark


def test_benchmark(tmp_path, capsys, monkeypatch):
    effort = benchmark.Effort(2, (16,) * 5, (4,) * 5, 1.0, (4, 256), (4, 8), (0.5, 1.0), 1, 1, 1)
    monkeypatch.setattr(benchmark, "QUICK", effort)
    monkeypatch.setattr(command.os, "sched_setaffinity", lambda *_: None)  # of the tests
    data, written = tmp_path / "data", tmp_path / "found.json"
    write_small_dataset(data)
    options = ["--quick", "--data", str(data), "--json", str(written), "--figure", str(tmp_path / "speed")]
    assert main(["benchmark", *options]) == 0
    assert "plain recursion" in capsys.readouterr().out
    found = artifacts.read_json(written)
    assert list(found["by_batch_size"]) == ["4", "256"]
    for speeds in (*found["by_batch_size"].values(), found):
        for kind in ("training", "inference"):
            assert set(speeds[kind]) == set(benchmark.RIVALS)
            assert all(speed > 0 for speed in speeds[kind].values())
    assert found["training"] == found["by_batch_size"]["256"]["training"]
    assert set(found["chains"]) == {"rnn", "lstm"}
    for speeds in found["chains"].values():
        assert set(speeds) == {"batch 1", "batch 256", "batch 256 by Gluon's layer"} and min(speeds.values()) > 0
    assert 0 < found["workers_ratio"] < 4
    assert found["start_seconds"] > 0.5
    assert set(found["seconds_to"]) == {"90", "95", "97"}
    assert [row["batch_size"] for row in found["growth"]["batch_size"]] == [4, 256]
    assert (tmp_path / "speed.png").is_file()
    assert (tmp_path / "speed.svg").is_file()
