"""A benchmark of next to nothing: that it measures everything and writes what it should."""

from support.small_data import write_small_dataset

from reproduction import artifacts
from reproduction.__main__ import main
from reproduction.commands import benchmark as command
from reproduction.training import benchmark


def test_benchmark(tmp_path, capsys, monkeypatch):
    rivals = dict.fromkeys(benchmark.RIVALS[1:], 1)
    monkeypatch.setattr(benchmark, "QUICK", benchmark.Effort(2, 1, rivals, rivals, (8, 16), (4, 8), (0.5, 1.0)))
    monkeypatch.setattr(command, "_stay_on_one_core", lambda: None)
    data, written = tmp_path / "data", tmp_path / "found.json"
    write_small_dataset(data)
    options = ["--quick", "--data", str(data), "--json", str(written), "--figure", str(tmp_path / "speed")]
    assert main(["benchmark", *options]) == 0
    assert "plain recursion" in capsys.readouterr().out
    found = artifacts.read_json(written)
    for kind in ("training", "inference"):
        assert set(found[kind]) == set(benchmark.RIVALS)
        assert all(speed > 0 for speed in found[kind].values())
    assert 0 < found["planning_share"] < 1
    assert set(found["shares"]) == {"planning", "forward", "backward", "update"}
    assert [row["batch_size"] for row in found["growth"]["batch_size"]] == [8, 16]
    assert (tmp_path / "speed.png").is_file()
    assert (tmp_path / "speed.svg").is_file()
