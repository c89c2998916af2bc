"""The studies of the paper's effect of data: all corners, and twins of as many steps on the authors' sample."""

import argparse
from collections import Counter

import pytest

from reproduction import artifacts
from reproduction.commands.study import add_study
from reproduction.data.dataset import SPLIT_NAMES, load
from reproduction.data.splits import split_parts, stored_split
from reproduction.errors import InputError
from reproduction.studies import effect
from reproduction.studies.core import studies
from reproduction.training.configuration import DECODE, VERIFY, make_configuration
from reproduction.training.learners import wanted

DATA = artifacts.ROOT / "runs" / "data"


def planned(name: str, runs, *words: str):
    parser = argparse.ArgumentParser()
    add_study(parser)
    return next(studies()[name].plan(parser.parse_args([name, f"--runs={runs}", *words])))


def test_factors_cross_leaf_dropout_and_data_in_every_seed(tmp_path):
    cases = planned("factors", tmp_path, "--seeds", "2")
    assert len({case.configuration for case in cases}) == len(cases) == 2 * 2 * 2 * 3 * 2 * 3
    numbers = Counter(
        (case.keys["numbers"], case.configuration.model, case.configuration.numeric_task) for case in cases
    )
    assert numbers == {
        ("none", "tree-lstm", DECODE): 24, ("decoded", "tree-lstm+data", DECODE): 24,
        ("verified", "tree-lstm+data", VERIFY): 24, ("none", "tree-nn", DECODE): 24,
        ("decoded", "tree-nn+data", DECODE): 24, ("verified", "tree-nn+data", VERIFY): 24,
    }  # fmt: skip


def test_a_corner_of_the_factors_is_the_training_of_the_authors_protocol(tmp_path):
    """So it is trained once for both studies."""
    released = {case.configuration for case in planned("release", tmp_path) if case.configuration.kind.is_tree}
    plain = [case.configuration for case in planned("factors", tmp_path, "--seeds", "1", "--leaves", "sigmoid")]
    assert len(released & set(plain)) == 2 * 2 * 2  # two networks, two splits, without data and decoded


@pytest.fixture
def sample(tmp_path):
    """Runs in which our data set passes for that of the authors."""
    (tmp_path / effect.SAMPLE).symlink_to(DATA)
    return tmp_path


def test_the_twin_without_data_takes_as_many_steps(sample):
    cases = planned("authors", sample, "--seeds", "1", "--protocols", "release")
    assert {(case.configuration.split, case.keys["network"]) for case in cases} == {
        (split, network) for split in SPLIT_NAMES for network in effect.NETWORKS
    }
    dataset = load(DATA)
    by_way = {case.keys["way"]: case.configuration for case in cases if case.configuration.split == SPLIT_NAMES[0]}
    train = split_parts(dataset, stored_split(dataset, DATA, SPLIT_NAMES[0], 0)).train
    steps = {way: asked.epochs * wanted(train, asked, training=True).count for way, asked in by_way.items()}
    assert by_way[effect.WITH].epochs == by_way[effect.WITHOUT].epochs
    an_epoch = len(train.symbolic)
    assert steps[effect.WITH] <= steps[effect.AS_MANY_STEPS] < steps[effect.WITH] + an_epoch


def test_without_the_authors_file_it_is_said_how_to_name_it(tmp_path):
    parser = argparse.ArgumentParser()
    add_study(parser)
    with pytest.raises(InputError, match="--file"):
        effect.authors_data(parser.parse_args(["authors", f"--runs={tmp_path}"]))


def test_settings_with_data_are_those_of_the_network_with_data(sample):
    cases = planned("authors", sample, "--seeds", "1", "--protocols", "experiments")
    with_data = next(case.configuration for case in cases if case.keys["way"] == effect.WITH)
    assert with_data == make_configuration(with_data.model, with_data.split, 0)
