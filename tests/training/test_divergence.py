"""What is not finite is found at its step, told with its batch, and reaches no file."""

import json
import math

import numpy as np
import pytest
from support.small_data import write_small_dataset

from reproduction import artifacts
from reproduction.__main__ import main
from reproduction.data import dataset
from reproduction.networks.backend import nd
from reproduction.training import loop
from reproduction.training.configuration import make_configuration
from reproduction.training.records import describe
from reproduction.training.run import LOSS, PARAMETERS, SCORES, Snapshot, Training, first_bad_step, trouble


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    directory = tmp_path_factory.mktemp("data")
    write_small_dataset(directory)
    return directory


def prepared(data, directory, model="tree-lstm+data", **options):
    settings = {"hidden": 4, "batch_size": 16, "epochs": 3, "dropout": 0.2, **options}
    configuration = make_configuration(model, "generalization", 0, **settings)
    return configuration, dataset.load(data), dataset.load_split(data, "generalization", 0), directory


def numbers_in(value):
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from numbers_in(each)
    elif isinstance(value, float):
        yield value


def assert_all_finite(directory):
    """Every number in every file of a run."""
    assert not (directory / "checkpoint.npz").exists()
    for array in nd.load(str(directory / "best.params")).values():
        assert np.isfinite(array.asnumpy()).all()
    texts = [(directory / name).read_text() for name in ("results.json", "config.json")]
    if (directory / "history.jsonl").exists():
        texts += (directory / "history.jsonl").read_text().splitlines()
    rows = [*map(json.loads, texts), *artifacts.read_lines_gz(directory / "predictions.jsonl.gz")]
    assert all(map(math.isfinite, numbers_in(rows)))


@pytest.mark.parametrize(
    ("model", "engine"), [("tree-lstm+data", "fused"), ("tree-nn+data", "generic"), ("rnn", None), ("lstm", None)]
)
def test_the_step_is_the_first_that_leaves_something_not_finite(model, engine, data, tmp_path, monkeypatch):
    monkeypatch.setattr(loop, "rate_factor", lambda schedule, done: 1.0 if done < 0.4 else 1e36)
    options = {"optimizer": "sgd", "learning_rate": 10.0, **({"engine": engine} if engine else {})}
    made = prepared(data, tmp_path, model, **options)
    results = loop.train(*made)
    found = results["divergence"]
    assert results["diverged"] == found["epoch"] == 2 and found["what"] in (LOSS, PARAMETERS)
    run = Training(*made[:3], tmp_path / "again")
    for epoch in range(found["epoch"] - 1):
        loop._steps(run)
        run.progress.epoch = epoch + 1
    before = Snapshot(run.model.flat, run.optimizer)
    for steps, expected in ((found["step"] - 1, None), (found["step"], found["what"])):
        before.put_back()
        if steps:
            assert trouble(loop._steps(run, steps), run.model.flat, run.optimizer) == expected
    assert_all_finite(tmp_path)


@pytest.mark.parametrize("poisoned", [0, 7])
def test_the_batch_is_named(data, tmp_path, poisoned):
    """One target that is not a number: its record is in the batch, and no step before it is blamed."""
    run = Training(*prepared(data, tmp_path))
    examples = run.learner._examples["train"]
    examples.target[poisoned] = math.nan
    name = run.learner.wanted["train"].names[len(examples.left) + poisoned]
    before = Snapshot(run.model.flat, run.optimizer)
    outcomes = loop._steps(run)
    assert trouble(outcomes, run.model.flat, run.optimizer) == LOSS
    found = loop._diverged(run, before, len(outcomes.pairs))
    assert name in found.examples and found.what == LOSS and found.epoch == 1
    assert found.step == 1 + int(np.argmax(~np.isfinite(outcomes.squared)))
    assert np.array_equal(run.model.flat.data.asnumpy(), before._parameters), "everything is as before the epoch"


def test_the_names_are_those_of_the_examples(data, tmp_path):
    run = Training(*prepared(data, tmp_path))
    batches = [
        run.learner.batch_examples(np.random.default_rng([0, 0]), step)
        for step in range(math.ceil(run.learner.train_size / 16))
    ]
    part = run.parts.train
    wanted = [record.id for record in part.symbolic]
    wanted += [record.id for record in part.numeric if record.label == 1]
    named = sorted(name for batch in batches for name in batch if name != "number")
    assert named == sorted(wanted)
    assert sum(map(len, batches)) == run.learner.train_size


def test_parameters_that_no_loss_shows_are_found(data, tmp_path, monkeypatch):
    """The last step of an epoch may spoil what no batch reads any more."""
    real = loop._steps

    def spoiled(run, steps=None):
        outcomes = real(run, steps)
        if len(outcomes.pairs) >= 3:
            run.model.flat.data[5:6] = math.inf
        return outcomes

    monkeypatch.setattr(loop, "_steps", spoiled)
    results = loop.train(*prepared(data, tmp_path))
    assert (results["divergence"]["what"], results["divergence"]["step"]) == (PARAMETERS, 3)
    assert len(results["divergence"]["examples"]) == 16
    assert_all_finite(tmp_path)


def test_scores_that_are_not_finite_end_a_run(data, tmp_path, monkeypatch):
    real = loop.dev_score
    told = []

    def score(part):
        told.append(part)
        return math.nan if len(told) > 4 else real(part)

    monkeypatch.setattr(loop, "dev_score", score)
    results = loop.train(*prepared(data, tmp_path))
    assert results["divergence"]["what"] == SCORES and results["epochs"] == results["diverged"] - 1
    assert_all_finite(tmp_path)


def test_a_checkpoint_is_never_written_with_something_not_finite(data, tmp_path):
    run = Training(*prepared(data, tmp_path))
    run.model.flat.data[0:1] = math.nan
    with pytest.raises(FloatingPointError, match="not written"):
        run.save()
    assert not run.checkpoint.exists()


def test_the_first_bad_step_is_found_among_any_number():
    for steps in range(1, 12):
        for bad in range(1, steps + 1):
            asked = []
            after = lambda count, bad=bad, asked=asked: asked.append(count) or (LOSS if count >= bad else None)  # noqa: E731
            assert first_bad_step(steps, after) == (bad, LOSS)
            assert len(asked) <= 6


def test_a_person_is_told(data, tmp_path, capsys):
    words = ["--hidden", "4", "--batch-size", "16", "--epochs", "2", "--optimizer", "sgd", "--learning-rate", "10"]
    assert main(["train", "--model", "tree-nn+data", "--data", str(data), "--out", str(tmp_path / "run"), *words,
                 "--numeric-weight", "1e6"]) == 0  # fmt: skip
    assert "stopped being finite in epoch " in capsys.readouterr().out
    long = {"what": LOSS, "epoch": 2, "step": 3, "steps": 4, "examples": [f"s{index}" for index in range(20)]}
    assert describe(long).endswith("(batch: s0, s1, s2, s3, s4, s5, s6, s7, …)")
