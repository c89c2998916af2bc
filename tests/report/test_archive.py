"""Reading rows: parts of the training set stay apart, and what is of other data is refused."""

import pytest
from support import made_up_rows
from support.made_up_rows import archive_of, training

from reproduction import artifacts
from reproduction.data.dataset import GENERALIZATION
from reproduction.errors import InputError
from reproduction.measures import ACCURACY, MSE, TOP_K
from reproduction.report.registry import chosen, make
from reproduction.report.results import BEST_ON_TEST, DEV_CHOSEN, Archive, read_archive
from reproduction.rows import rows_file, write_rows


@pytest.mark.parametrize("study", ["experiments", "protocol", "ablation", "search"])
def test_rows_of_another_data_set_or_split_are_refused(copied, study):
    path = rows_file(copied, study)
    first, *others = read_archive(copied).rows(study)
    for stated, said in (("data_fingerprint", "made with the data set another"), ("split_checksum", "from another")):
        write_rows(path, [first | {stated: "another"}, *others])
        with pytest.raises(InputError, match=f"{study}.jsonl: .*{said}"):
            read_archive(copied).rows(study)


def test_rows_of_two_data_sets_are_refused_where_none_is_there(tmp_path):
    made_up_rows.write(tmp_path, [training("rnn", seed=seed, data_fingerprint=f"data {seed}") for seed in range(2)])
    with pytest.raises(InputError, match="made with the data set data 1, and data is data 0"):
        read_archive(tmp_path).rows("experiments")


def test_a_rung_of_the_ladder_that_is_the_data_set_beside_it_has_its_fingerprint(copied):
    manifest = artifacts.read_json(copied / "data" / "manifest.json")
    artifacts.write_sealed(copied / "data" / "manifest.json", {**manifest, "made_with": {"recipe": {"name": "paper"}}})
    own = {"study": "ladder", "data": "ladder/paper/data", "rung": "paper", "place": 0, "data_fingerprint": "another"}
    write_rows(rows_file(copied, "ladder"), [training("tree-lstm") | own])
    with pytest.raises(InputError, match="made with the data set another"):
        read_archive(copied).rows("ladder")


@pytest.mark.parametrize("name", ["baselines.json", "sympy-times.json"])
def test_what_lies_beside_the_rows_is_of_their_data(copied, name):
    for stated in ({"data_fingerprint": "another"}, {}):
        artifacts.write_sealed(copied / name, {"splits": {}, **stated})
        with pytest.raises(InputError, match=f"{name}: made with the data set"):
            read_archive(copied).beside(name)


def test_predictions_of_another_test_set_are_refused(copied):
    archive = read_archive(copied)
    kept = [row | {"probabilities": [0.5]} for row in archive.details("experiments")]
    archive.kept["experiments details"] = kept
    with pytest.raises(InputError, match="predictions of another test set"):
        make(chosen(["reliability"])[0], archive)


def test_two_rows_of_one_training_are_refused():
    with pytest.raises(InputError, match="two rows of rnn, generalization, seed 0"):
        archive_of(experiments=[training("rnn"), training("rnn")]).values("rnn", GENERALIZATION, ACCURACY)


def test_parts_of_the_training_set_do_not_get_into_the_tables():
    rows = [training("rnn", accuracy=70.0), training("rnn", fraction=0.5, accuracy=1.0)]
    assert archive_of(experiments=rows).values("rnn", GENERALIZATION, ACCURACY) == {0: 70.0}


def test_each_way_to_choose_the_epoch_has_its_own_scores_but_of_blanks():
    row = training("tree-nn+data", mse=0.3, best_on_test_mse=0.2, top_1=70.0)
    archive = archive_of(experiments=[row])
    for choice, mse in ((DEV_CHOSEN, 0.3), (BEST_ON_TEST, 0.2)):
        assert archive.values("tree-nn+data", GENERALIZATION, MSE, choice) == {0: mse}
        assert archive.values("tree-nn+data", GENERALIZATION, TOP_K[0], choice) == {0: 70.0}


def test_baselines_are_in_per_cent_and_have_no_epochs():
    scores = {"accuracy": 0.5, "precision": 0.25, "recall": 1.0, "by_depth": {"2": {"accuracy": 0.75, "count": 4}}}
    archive = Archive(kept={"experiments": (), "baselines.json": {"splits": {"strict": {"3": {"lookup": scores}}}}})
    for choice in (DEV_CHOSEN, BEST_ON_TEST):
        assert archive.values("lookup", "strict", ACCURACY, choice) == {3: 50.0}


def test_nothing_at_all_is_an_empty_archive(tmp_path):
    archive = read_archive(tmp_path / "nowhere")
    assert archive.whole == () and archive.beside("baselines.json") == {} and archive.dataset is None
    assert archive.values("rnn", GENERALIZATION, ACCURACY) == {} and archive.second is None
