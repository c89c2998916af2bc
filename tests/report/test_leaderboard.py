"""The leaderboard: what stands in it is what the committed files say."""

import gzip
import json

import pytest

from reproduction import artifacts, benchmark
from reproduction.__main__ import main
from reproduction.errors import InputError
from reproduction.measures import ACCURACY
from reproduction.report.outputs.leaderboard import DIRECTORY, sent_entries, standings
from reproduction.report.page import rewritten
from reproduction.report.results import read_archive


@pytest.fixture(scope="module")
def archive():
    return read_archive(artifacts.RUNS)


@pytest.fixture
def entry(tmp_path, archive):
    """An entry that calls every equation of a split correct."""
    directory = tmp_path / "yes"
    directory.mkdir()
    test = benchmark.load().split("extrapolate-2", 4).test
    lines = [json.dumps({"id": each.id, "probability": 1}) + "\n" for each in test]
    (directory / "extrapolate-2-4.jsonl.gz").write_bytes(gzip.compress("".join(lines).encode()))
    words = {"title": "Yes", "by": "me", "url": "here", "training": "none", "other_data": True}
    path = directory / "entry.json"
    path.write_text(json.dumps({**words, "data_fingerprint": archive.manifest().fingerprint}))
    return path


def test_an_entry_is_scored_by_its_predictions(archive, entry):
    (line,) = sent_entries(archive, entry.parent.parent)
    assert line.title == "Yes (other data, too)"
    assert line.values["extrapolate-2", ACCURACY] == {4: pytest.approx(100 * 1116 / 2547)}
    assert standings(archive, entry.parent.parent)[-1] == line  # no strict split: the last one


def test_an_entry_on_another_data_set_is_left_out(archive, entry):
    entry.write_text(entry.read_text().replace(archive.manifest().fingerprint, "67cddde77ff47fff"))
    assert list(sent_entries(archive, entry.parent.parent)) == []


def test_predictions_of_another_split_or_name_are_refused(archive, entry):
    """Of seed 3 the test part is the same one, so that it can be scored."""
    path = (entry.parent / "extrapolate-2-4.jsonl.gz").rename(entry.parent / "extrapolate-2-3.jsonl.gz")
    assert len(list(sent_entries(archive, entry.parent.parent))) == 1
    for name in ("strict-0.jsonl.gz", "notes.txt"):
        path = path.rename(entry.parent / name)
        with pytest.raises(InputError, match=name):
            list(sent_entries(archive, entry.parent.parent))


def test_the_page_has_every_entry_as_its_predictions_score(archive):
    text = (artifacts.ROOT / "LEADERBOARD.md").read_text("utf-8")
    heads = tuple(f"| {line.title} |" for line in sent_entries(archive, DIRECTORY))
    lines = [line for line in rewritten(text, archive).splitlines() if line.startswith(heads)]
    assert heads and len(lines) == len(heads) and set(lines) <= set(text.splitlines())


def test_score_shows_everybody_on_the_same_equations(capsys):
    path = DIRECTORY / "pytorch-tree-lstm" / "strict-0.jsonl.gz"
    assert main(["score", str(path)]) == 0
    table = capsys.readouterr().out.splitlines()[1:]
    accuracy = {line[:40].strip(): line[40:].split()[0] for line in table}
    assert accuracy["> strict-0.jsonl.gz"] == accuracy["TreeLSTM in PyTorch"] == "97.76"
    assert accuracy["lookup"] == "74.22" and accuracy["TreeLSTM"] == "97.93"
    assert main(["score", str(path), "--seed", "1"]) == 2
    assert "in the" in capsys.readouterr().err
