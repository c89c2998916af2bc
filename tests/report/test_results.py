"""Reading run directories, and the scores of what is not a network."""

import os
import shutil
from types import SimpleNamespace

import pytest
from support import synthetic_runs

from reproduction import artifacts
from reproduction.__main__ import main
from reproduction.commands import baselines
from reproduction.data.dataset import GENERALIZATION
from reproduction.data.manifest import finish, read_manifest
from reproduction.errors import InputError
from reproduction.measures import ACCURACY, MSE, TOP_K, TOP_K_MSE, depth_measure
from reproduction.report import stored
from reproduction.report.results import COMPLETION, read_archive
from reproduction.training.run_directory import BEST_ON_TEST, DEV_CHOSEN, read_runs


@pytest.fixture(scope="module")
def dataset():
    return synthetic_runs.tiny_dataset(2)


@pytest.fixture
def runs(tmp_path, dataset):
    for seed in (0, 1):
        synthetic_runs.write_run(tmp_path / "experiments", dataset, "tree-lstm+data", GENERALIZATION, seed)
    synthetic_runs.write_run(tmp_path / "experiments", dataset, "tree-lstm+data", GENERALIZATION, 0, 0.5)
    return tmp_path


def test_runs_are_read_in_the_order_of_names(runs):
    found = [(run.model, run.split, run.seed, run.configuration.fraction) for run in read_runs(runs / "experiments")]
    model, split = "tree-lstm+data", GENERALIZATION
    assert found == [(model, split, 0, 1.0), (model, split, 0, 0.5), (model, split, 1, 1.0)]


def test_parts_of_the_training_set_do_not_get_into_the_tables(runs):
    archive = read_archive(runs)
    assert len(archive.runs) == 3 and len(archive.whole) == 2
    assert list(archive.values("tree-lstm+data", GENERALIZATION, ACCURACY)) == [0, 1]


def test_accuracies_come_out_in_per_cent_and_errors_as_they_are(runs):
    run = next(read_runs(runs / "experiments"))
    measures = run.measures(DEV_CHOSEN)
    assert measures[ACCURACY] == pytest.approx(100 * run.results.test.symbolic.accuracy)
    assert measures[MSE] == run.results.test.evaluations.mse
    assert measures[depth_measure(3)] > 1
    assert run.measures(BEST_ON_TEST)[MSE] == run.results.best_on_test.evaluations.mse


def test_what_is_not_finished_or_not_a_run_is_passed_over(runs):
    first = runs / "experiments" / f"tree-lstm+data-{GENERALIZATION}-0"
    (first / "results.json").unlink()
    shutil.copytree(first, runs / "experiments" / "notes")
    assert len(list(read_runs(runs / "experiments"))) == 2


def test_a_run_under_a_wrong_name_is_refused(runs):
    directory = runs / "experiments" / f"tree-lstm+data-{GENERALIZATION}-1"
    directory.rename(directory.with_name(f"rnn-{GENERALIZATION}-1"))
    with pytest.raises(InputError, match="disagree"):
        list(read_runs(runs / "experiments"))


def test_a_damaged_run_is_refused_with_its_name(runs):
    path = runs / "experiments" / f"tree-lstm+data-{GENERALIZATION}-1" / "results.json"
    path.write_text('{"dev":')
    with pytest.raises(InputError, match=r"tree-lstm\+data-generalization-1.*not JSON"):
        list(read_runs(runs / "experiments"))


def test_completion_is_read_where_it_was_run_in_full(runs):
    directory = runs / "experiments" / f"tree-lstm+data-{GENERALIZATION}-1"
    content = synthetic_runs.completion_of(directory, [0.5, 0.75], [0.3, 0.2])
    artifacts.write_sealed(directory / "completion.json", content)
    part = {"run": "any", "limit": 20}
    artifacts.write_sealed(directory.with_name(f"tree-lstm+data-{GENERALIZATION}-0") / "completion.json", part)
    archive = read_archive(runs)
    assert archive.values("tree-lstm+data", COMPLETION, TOP_K[0]) == {1: 50.0}
    assert archive.values("tree-lstm+data", COMPLETION, TOP_K_MSE[1]) == {1: 0.2}


def test_nothing_at_all_is_an_empty_archive(tmp_path):
    archive = read_archive(tmp_path / "nowhere")
    assert archive.runs == () and archive.baselines == {} and archive.values("rnn", GENERALIZATION, ACCURACY) == {}


def test_the_command_writes_scores_of_every_split_and_keeps_times_apart(tmp_path, dataset, monkeypatch):
    monkeypatch.setattr(artifacts, "RUNS", tmp_path / "runs")
    monkeypatch.setattr(artifacts, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(artifacts, "DATA", tmp_path / "data")
    synthetic_runs.write_dataset(tmp_path / "data", dataset, range(2))

    arguments = SimpleNamespace(data=tmp_path / "data", workers=1)

    def run():
        assert baselines.run(arguments) == 0
        return (tmp_path / "runs" / "baselines.json").read_bytes()

    first = run()
    assert run() == first
    content = artifacts.read_json(tmp_path / "runs" / "baselines.json")
    assert set(content["splits"]["strict"]) == {"0", "1"}
    assert set(content["splits"]["strict"]["0"]) == {
        "majority-train", "majority-column", "sympy-auto", "sympy-simplify", "sympy-auto-proof",
        "bag-of-symbols", "lookup",
    }  # fmt: skip
    assert "seconds" not in str(content["splits"])
    times = artifacts.read_json(tmp_path / "runs" / "sympy-times.json")
    assert times["all"]["simplify"] >= times["all"]["auto"] >= 0
    archive = read_archive(tmp_path / "runs")
    auto, simplify = (archive.values(name, "strict", ACCURACY)[0] for name in ("sympy-auto", "sympy-simplify"))
    assert 0 < auto < simplify  # sinh(x)^2 + 1 = cosh(x)^2 takes simplify
    assert artifacts.read_json(tmp_path / "runs" / "machine.json")["cores"] >= 1


def test_a_data_set_without_splits_is_refused(tmp_path, dataset, monkeypatch):
    monkeypatch.setattr(artifacts, "DATA", tmp_path)
    synthetic_runs.write_dataset(tmp_path, dataset, range(0))
    with pytest.raises(InputError, match="no splits"):
        baselines.run(SimpleNamespace(data=tmp_path, workers=1))


@pytest.mark.parametrize("name", ["table-2.json", "statistics.json"])
def test_a_changed_file_of_the_data_set_is_refused(tmp_path, dataset, name):
    synthetic_runs.write_dataset(tmp_path / "data", dataset, range(1))
    assert read_archive(tmp_path).examples
    path = tmp_path / "data" / name
    path.write_text(path.read_text() + "\n")
    with pytest.raises(InputError, match=f"{name}: damaged or of another data set"):
        read_archive(tmp_path)


SECONDS = {"auto": 0.1, "simplify": 0.2}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("sympy-times.json", {"data_fingerprint": "of another", "all": SECONDS}),
        ("sympy-times.json", {"all": SECONDS, "19": SECONDS}),
        ("ladder.json", {"data_seed": 1, "rows": [{"rung": "paper", "words": "", "data_fingerprint": "of another",
                                                    "uses_of_a_distinct_subtree": 1, "splits": {}}]}),
    ],
)  # fmt: skip
def test_whole_results_of_another_data_set_are_refused(tmp_path, dataset, name, content):
    synthetic_runs.write_dataset(tmp_path / "data", dataset, range(1))
    finish(read_manifest(tmp_path / "data")._replace(made_with={"recipe": {"name": "paper"}}))
    artifacts.write_sealed(tmp_path / name, content)
    with pytest.raises(InputError, match=f"{name}: .* another data set"):
        read_archive(tmp_path)


def test_the_committed_times_and_ladder_are_of_the_committed_data():
    runs = artifacts.ROOT / "runs"
    data = stored.data_beside(runs)
    assert stored.sympy_times(runs, stored.statistics_of(data), data)
    assert stored.ladder(runs, data)["rows"][0]["rung"] == data.made_with["recipe"]["name"]


def _unreadable(path, kind: str) -> None:
    """Puts something at this place that is there and is no file."""
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "directory":
        path.mkdir()
    else:
        path.symlink_to(path.name if kind == "loop" else "nowhere")


@pytest.mark.parametrize("kind", ["pipe", "directory", "loop", "dangling"])
@pytest.mark.parametrize(
    "name",
    ["baselines.json", "ladder.json", "ablation/rnn/summary.json", "data/manifest.json", "RUN/results.json",
     "RUN/deep.json", "RUN/completion.json", "RUN/completion-examples.json", "RUN/predictions.jsonl.gz"],
)  # fmt: skip
def test_what_is_there_and_is_no_file_does_not_count_as_not_made(runs, capsys, name, kind):
    path = runs / name.replace("RUN", f"experiments/tree-lstm+data-{GENERALIZATION}-1")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    _unreadable(path, kind)
    assert main(["report", "--runs", str(runs), "--out", str(runs / "out")]) == 2
    error = capsys.readouterr().err
    assert f"{path}: " in error and "Traceback" not in error
    assert not (runs / "out").exists()


@pytest.mark.parametrize("kind", ["loop", "dangling"])
@pytest.mark.parametrize("name", ["experiments", "search", "data", f"experiments/rnn-{GENERALIZATION}-1"])
def test_a_directory_that_cannot_be_reached_does_not_count_as_empty(tmp_path, name, kind):
    (tmp_path / name).parent.mkdir(exist_ok=True)
    _unreadable(tmp_path / name, kind)
    with pytest.raises(InputError, match=name):
        read_archive(tmp_path)
