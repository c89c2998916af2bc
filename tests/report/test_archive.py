"""Reading rows: parts of the training set stay apart, and what is of other data is refused."""

import json

import pytest
from support import made_up_rows, synthetic_runs

from reproduction import artifacts
from reproduction.data.dataset import GENERALIZATION
from reproduction.errors import InputError
from reproduction.measures import ACCURACY, MSE, TOP_K
from reproduction.report.registry import chosen, make
from reproduction.report.results import BEST_ON_TEST, Archive, read_archive
from reproduction.rows import read_rows, rows_file, write_rows


@pytest.fixture
def runs(copied):
    return copied


def changed(runs, study: str, **more) -> None:
    """The first row of a study is another one, with its own seal."""
    path = rows_file(runs, study)
    first, *others = read_rows(path)
    write_rows(path, [first | more, *others])


@pytest.mark.parametrize("study", ["experiments", "protocol", "ablation", "search"])
def test_rows_of_another_data_set_are_refused(runs, study):
    assert read_archive(runs).rows(study)
    changed(runs, study, data_fingerprint="another")
    with pytest.raises(InputError, match=f"{study}.jsonl: made with the data set another"):
        read_archive(runs).rows(study)


def test_rows_of_another_split_are_refused(runs):
    changed(runs, "experiments", split_checksum="another")
    with pytest.raises(InputError, match="learned from another"):
        read_archive(runs).rows("experiments")


def test_rows_of_an_earlier_data_set_are_refused(runs):
    synthetic_runs.write_dataset(runs / "data", synthetic_runs.tiny_dataset(3), range(2))
    with pytest.raises(InputError, match="make it again"):
        read_archive(runs).rows("experiments")


def test_rows_of_two_data_sets_are_refused_where_none_is_there(tmp_path):
    rows = [made_up_rows.training("rnn", seed=seed, data_fingerprint=f"data {seed}") for seed in range(2)]
    made_up_rows.write(tmp_path, rows)
    with pytest.raises(InputError, match="rows of two data sets, data 0 and data 1"):
        read_archive(tmp_path).rows("experiments")


def test_a_rung_of_the_ladder_that_is_the_data_set_beside_it_has_its_fingerprint(runs):
    manifest = artifacts.read_json(runs / "data" / "manifest.json")
    artifacts.write_sealed(runs / "data" / "manifest.json", {**manifest, "made_with": {"recipe": {"name": "paper"}}})
    own = {"study": "ladder", "data": "ladder/paper/data", "rung": "paper", "place": 0}
    write_rows(rows_file(runs, "ladder"), [made_up_rows.training("tree-lstm") | own | {"data_fingerprint": "another"}])
    with pytest.raises(InputError, match="made with the data set another"):
        read_archive(runs).rows("ladder")


@pytest.mark.parametrize("name", ["baselines.json", "sympy-times.json"])
@pytest.mark.parametrize("stated", [{"data_fingerprint": "another"}, {}])
def test_what_lies_beside_the_rows_is_of_their_data(runs, name, stated):
    artifacts.write_sealed(runs / name, {"splits": {}, **stated})
    with pytest.raises(InputError, match=f"{name}: made with the data set"):
        read_archive(runs).beside(name)


def test_a_changed_row_is_refused(runs):
    path = rows_file(runs, "experiments")
    first, *others = path.read_text().splitlines()
    path.write_text("\n".join([json.dumps(json.loads(first) | {"accuracy": 99.9}), *others, ""]))
    with pytest.raises(InputError, match="line 1: changed or damaged"):
        read_archive(runs).rows("experiments")


def test_two_rows_of_one_training_are_refused():
    archive = made_up_rows.archive_of(experiments=[made_up_rows.training("rnn"), made_up_rows.training("rnn")])
    with pytest.raises(InputError, match="two rows of rnn, generalization, seed 0"):
        archive.values("rnn", GENERALIZATION, ACCURACY)


def test_parts_of_the_training_set_do_not_get_into_the_tables():
    rows = [made_up_rows.training("rnn"), made_up_rows.training("rnn", fraction=0.5, accuracy=1.0)]
    archive = made_up_rows.archive_of(experiments=rows)
    assert archive.values("rnn", GENERALIZATION, ACCURACY) == {0: rows[0]["accuracy"]}


def test_each_way_to_choose_the_epoch_has_its_own_scores():
    row = made_up_rows.training("tree-nn+data", mse=0.3, best_on_test_mse=0.2)
    archive = made_up_rows.archive_of(experiments=[row])
    assert archive.values("tree-nn+data", GENERALIZATION, MSE) == {0: 0.3}
    assert archive.values("tree-nn+data", GENERALIZATION, MSE, BEST_ON_TEST) == {0: 0.2}
    assert archive.values("tree-nn+data", GENERALIZATION, TOP_K[0], BEST_ON_TEST) == {0: row["top_1"]}


def test_baselines_are_in_per_cent_and_have_no_epochs():
    scores = {"accuracy": 0.5, "precision": 0.25, "recall": 1.0, "by_depth": {"2": {"accuracy": 0.75, "count": 4}}}
    archive = Archive(kept={"experiments": (), "baselines.json": {"splits": {"strict": {"3": {"lookup": scores}}}}})
    for choice in ("dev-chosen", BEST_ON_TEST):
        assert archive.values("lookup", "strict", ACCURACY, choice) == {3: 50.0}


def test_predictions_of_another_test_set_are_refused(runs):
    archive = read_archive(runs)
    kept = [row | {"probabilities": [0.5]} for row in archive.details("experiments")]
    archive.kept["experiments details"] = kept
    with pytest.raises(InputError, match="predictions of another test set"):
        make(chosen(["reliability"])[0], archive)


def test_nothing_at_all_is_an_empty_archive(tmp_path):
    archive = read_archive(tmp_path / "nowhere")
    assert archive.whole == () and archive.beside("baselines.json") == {} and archive.dataset is None
    assert archive.values("rnn", GENERALIZATION, ACCURACY) == {} and archive.second is None
