"""A short version of each campaign: a few attempts of every kind, none of which may find anything."""

import random
import shutil

import pytest
from campaigns import crash, damage


@pytest.fixture(scope="module")
def damaged():
    yield
    shutil.rmtree(damage._places()[0].parent)


@pytest.mark.parametrize("reader", damage.READERS, ids=lambda reader: reader.patterns[0])
def test_damaged_files_are_refused_or_harmless(damaged, reader):
    steps = [damage.damage_one(1, random.Random(number), (reader,)) for number in range(15)]
    assert [finding for step in steps for finding in step.findings] == []


@pytest.mark.parametrize("study", ["experiments", "protocol"])
def test_swapped_details_are_refused(damaged, study):
    name, readers = f"runs/{study}.details.jsonl.gz", damage.READERS[1]
    one, two = damage._places()
    own = (one / name).read_bytes()
    for other in (two / name, one / f"runs/{'protocol' if study == 'experiments' else 'experiments'}.details.jsonl.gz"):
        damage._before(readers)
        (one / name).write_bytes(other.read_bytes())
        assert damage._outcome(name, readers, "of another place") == ("refused", None)
        (one / name).write_bytes(own)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("stage", ["train tree", "completion"])
def test_a_killed_command_ends_with_the_same_files(stage):
    try:
        assert crash.kill_stage(stage, random.Random(5)).findings == ()
    finally:
        shutil.rmtree(crash._root())
        for cached in (crash._root, crash._reference, crash._deep_data):
            cached.cache_clear()
