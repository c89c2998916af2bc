"""What is not finite is told with its step and batch, ends the run, and reaches no file."""

import json
import math

import numpy as np
import pytest

from reproduction import artifacts
from reproduction.__main__ import main
from reproduction.data import dataset
from reproduction.networks.backend import nd
from reproduction.training import loop
from reproduction.training.configuration import make_configuration
from reproduction.training.loop import LEARNED, LOSS, SCORES, Run
from reproduction.training.run_directory import describe


def prepared(data, directory, model="tree-lstm+data", **options):
    settings = {"hidden": 4, "batch_size": 16, "epochs": 3, "dropout": 0.2, **options}
    configuration = make_configuration(model, "generalization", 0, **settings)
    return configuration, dataset.load(data), dataset.load_split(data, "generalization", 0), directory


def trained(directory, made):
    """The divergence of a run, of which every file has finite numbers only."""
    loop.train(Run(*made))
    assert not (directory / "checkpoint.npz").exists()
    for array in nd.load(str(directory / "best.params")).values():
        assert np.isfinite(array.asnumpy()).all()
    texts = [(directory / name).read_text() for name in ("results.json", "config.json")]
    texts += (directory / "history.jsonl").read_text().splitlines()
    path = directory / "predictions.jsonl.gz"
    rows = [*map(json.loads, texts), *artifacts.lines_of_gz(path.read_bytes(), path)]
    assert not {"NaN", "Infinity", "-Infinity"} & set(json.dumps(rows).replace(",", " ").replace("]", " ").split())
    results = rows[0]
    assert results["epochs"] == results["diverged"] - 1 == results["divergence"]["epoch"] - 1
    return results["divergence"]


@pytest.mark.parametrize(
    ("model", "engine"), [("tree-lstm+data", "fused"), ("tree-nn+data", "generic"), ("rnn", None), ("lstm", None)]
)
def test_a_rate_that_explodes_is_found_in_its_epoch_and_step(model, engine, data, tmp_path, monkeypatch):
    monkeypatch.setattr(loop, "rate_factor", lambda schedule, done: 1.0 if done < 0.4 else 1e36)
    made = prepared(data, tmp_path, model, optimizer="sgd", learning_rate=10.0, engine=engine)
    found, exploding = trained(tmp_path, made), 0.4 * 3 - 1  # the share of the second epoch that goes well
    assert (found["epoch"], found["what"]) == (2, LOSS) and len(found["examples"]) <= 16
    assert exploding * found["steps"] < found["step"] <= found["steps"]


@pytest.mark.parametrize("poisoned", [0, 7])
def test_the_batch_is_named(data, tmp_path, poisoned):
    """One target that is not a number: its record is in the batch, and no step before it is blamed."""
    run = Run(*prepared(data, tmp_path))
    examples = run.learner._examples["train"]
    examples.target[poisoned] = math.nan
    number, before = len(examples.left) + poisoned, run.arrays()
    found = loop._train_epoch(run)
    batches = run.learner.batches(np.random.default_rng([0, 0]))
    assert [number in batch for batch in batches].index(True) == found.step - 1
    assert run.learner.wanted["train"].names[number] in found.examples and found.what == LOSS and found.epoch == 1
    assert all(np.array_equal(before[name], each) for name, each in run.arrays().items()), "as before the epoch"
    named = [run.learner.batch_examples(np.random.default_rng([0, 0]), step) for step in range(len(batches))]
    wanted = [record.id for record in (*run.parts.train.symbolic, *run.parts.train.numeric)
              if record.label == 1 or record.kind == "symbolic"]  # fmt: skip
    assert sorted(name for batch in named for name in batch if name != "number") == sorted(wanted)


def test_parameters_that_no_loss_shows_and_scores_are_looked_at_too(data, tmp_path, monkeypatch):
    train_epoch, dev_score, told = loop._divergence, loop.dev_score, []

    def spoiled(run, steps):
        run.network.flat.data[5:6] = math.inf if run.progress.epoch else 0
        return train_epoch(run, steps)

    with monkeypatch.context() as patch:
        patch.setattr(loop, "_divergence", spoiled)
        found = trained(tmp_path / "one", prepared(data, tmp_path / "one"))
    assert (found["what"], found["epoch"], found["examples"]) == (LEARNED, 2, [])
    monkeypatch.setattr(
        loop, "dev_score", lambda part: math.nan if told.append(0) or len(told) > 4 else dev_score(part)
    )
    assert trained(tmp_path / "two", prepared(data, tmp_path / "two"))["what"] == SCORES


def test_a_person_is_told(data, tmp_path, capsys):
    words = ["--hidden", "4", "--batch-size", "16", "--epochs", "2", "--optimizer", "sgd", "--learning-rate", "10"]
    assert main(["train", "--model", "tree-nn+data", "--data", str(data), "--out", str(tmp_path / "run"), *words,
                 "--numeric-weight", "1e6"]) == 0  # fmt: skip
    assert "stopped being finite in epoch " in capsys.readouterr().out
    long = {"what": LOSS, "epoch": 2, "step": 3, "steps": 4, "examples": [f"s{index}" for index in range(20)]}
    assert describe(long).endswith("epoch 2, step 3 of 4 (batch: s0, s1, s2, s3, s4, s5, s6, s7, …)")
    assert describe({**long, "what": LEARNED, "examples": []}) == "the parameters stopped being finite in epoch 2"
