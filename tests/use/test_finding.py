"""Which network is meant, and what is said when it is none."""

import shutil

import pytest

from reproduction import artifacts
from reproduction.errors import InputError
from reproduction.models import MODELS
from reproduction.use import finding
from reproduction.use.finding import find_network, known_networks


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """A place for runs of one's own, with a copy of a committed one."""
    shutil.copytree(artifacts.ROOT / "runs" / "pretrained" / "tree-nn", tmp_path / "mine")
    monkeypatch.setattr(artifacts, "RUNS", tmp_path)
    return tmp_path


def test_all_six_are_committed():
    assert set(MODELS) <= set(known_networks())
    for name, model in MODELS.items():
        assert find_network(name).title == model.title
        assert find_network(name).run.model == name
    assert find_network("showcase").temperature == 0.6707


def test_the_showcase_network_is_the_default_where_there_is_one(runs, monkeypatch):
    monkeypatch.setattr(finding, "COMMITTED", runs)
    with pytest.raises(InputError, match="no trained network"):
        find_network()
    for name in ("rnn", "tree-nn", "tree-lstm+data"):
        shutil.copytree(runs / "mine", runs / "pretrained" / name)
    assert find_network().name == "tree-lstm+data"
    shutil.copytree(runs / "mine", runs / "showcase")
    assert find_network() == find_network("showcase")
    assert find_network().title == "showcase (TreeNN)"


def calibration(found, **changes):
    return {"temperature": 1.7, "parameters": found.run.results.files["best.params"], **changes}


def test_a_directory_of_ones_own(runs):
    found = find_network(runs / "mine")
    assert (found.name, found.title, found.temperature) == ("mine", "mine (TreeNN)", 1)
    artifacts.write_sealed(runs / "mine" / "calibration.json", calibration(found, dev="more than is read"))
    assert find_network(str(runs / "mine")).temperature == 1.7
    assert find_network("rnn").name == "rnn", "the project's own are found wherever runs are kept"


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("best.params", None, "only the results of this run are kept"),
        ("results.json", None, "not a finished run"),
        ("config.json", "{", "not JSON"),
        ("calibration.json", '{"temprature": 2}', "temperature is missing"),
        ("calibration.json", '{"temperature": 2, "parameters": ""}', "seal is missing"),
        ("calibration.json", {"temperature": 0}, "temperature 0.0 is not from 0.01 to 100"),
        ("calibration.json", {"temperature": 1e9}, "is not from"),
        ("calibration.json", {"parameters": "0" * 64}, "of another network"),
    ],
)
def test_a_damaged_directory_is_refused_with_a_sentence(name, content, words, runs):
    path = runs / "mine" / name
    if content is None:
        path.unlink()
    elif isinstance(content, str):
        path.write_text(content)
    else:
        artifacts.write_sealed(path, calibration(find_network(runs / "mine"), **content))
    with pytest.raises(InputError, match=words):
        find_network(runs / "mine")


def test_a_calibration_that_cannot_be_read_is_not_passed_over(runs):
    (runs / "mine" / "calibration.json").symlink_to("nowhere")
    with pytest.raises(InputError, match="no regular file"):
        find_network(runs / "mine")


@pytest.mark.parametrize(
    ("change", "words"),
    [({"parameters": "0" * 64}, "of another network"), ({"seal": "0"}, "does not have the digest"),
     ({"seal": None}, "seal is missing")],
)  # fmt: skip
def test_a_judgement_of_another_network_or_one_that_was_changed_is_refused(runs, change, words):
    found, path = find_network(runs / "mine"), runs / "mine" / "judged.json"
    assert found.textbook_accuracy is None
    judged = {"parameters": found.run.results.files["best.params"], "textbook": {"accuracy": 0.5}}
    artifacts.write_sealed(path, judged)
    assert found.textbook_accuracy == 0.5
    row = {**judged, "seal": artifacts.seal_of({**judged, **change}), **change}
    artifacts.write_json(path, {name: value for name, value in row.items() if value is not None})
    with pytest.raises(InputError, match=words):
        _ = found.textbook_accuracy


def test_a_name_that_is_nothing(tmp_path):
    with pytest.raises(InputError, match="neither a directory nor a network of this project \\(.*rnn"):
        find_network("treelstm")
    with pytest.raises(InputError, match="not a finished run"):
        find_network(tmp_path)
