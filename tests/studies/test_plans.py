"""What each study asks for: the trainings of the committed rows, and dev alone chooses."""

import argparse
import itertools
import json
from collections import Counter
from pathlib import Path

import pytest
from support.stand_in_data import write_stand_in_data

from reproduction import artifacts
from reproduction.__main__ import main
from reproduction.commands.study import add_study
from reproduction.data.dataset import SPLIT_NAMES, load
from reproduction.data.splits import split_parts, stored_split
from reproduction.errors import InputError
from reproduction.models import paper_models
from reproduction.rows import by_seed, key_of, read_rows, rows_file, select
from reproduction.studies import ablation, beyond, deeper, effect, ladder, remedies, search
from reproduction.studies.core import best_first, generate_words, studies
from reproduction.studies.search import PAPER_SPACE, RANDOM, drawn, points_of, read_space, rounds
from reproduction.training.configuration import DECODE, PAPER, VERIFY, make_configuration
from reproduction.training.learners import wanted

RUNS = artifacts.ROOT / "runs"


def asked(name: str, *words: str, runs: Path = RUNS) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_study(parser)
    return parser.parse_args([name, f"--runs={runs}", f"--data={runs / 'data'}", *words])


def planned(name: str, *words: str, runs: Path = RUNS) -> list:
    """The cases of the first round."""
    return list(next(studies()[name].plan(asked(name, *words, runs=runs))))


def carried_out(plan, answer):
    """The cases of a plan with their rows, where a function of a case gives its row."""
    found, rows = [], None
    while True:
        try:
            cases = plan.send(rows)
        except StopIteration:
            return found
        rows = [answer(case) for case in cases]
        found += zip(cases, rows, strict=True)


@pytest.mark.parametrize(
    ("name", "words", "count"),
    [
        ("experiments", ("--seeds", "5"), 210),
        ("protocol", ("--seeds", "5"), 120),
        ("ablation", ("--seeds", "3"), 1174),
        ("search", ("--models", "tree-nn", "rnn"), 732),
        ("data-study", (), 280),
    ],
)
def test_a_plan_asks_for_the_trainings_of_the_committed_rows(name, words, count):
    """Answered with these rows, every choice of the plan is the one that was made then."""
    stored = [row for row in read_rows(rows_file(RUNS, name)) if "seed" in row]
    names = ("epochs", "batch_size", "optimizer", "learning_rate", "momentum", "dropout", "l2", "schedule", "averaging",
             "hidden", "numeric_weight", "numeric_task", "fraction", "numeric_fraction", "cell", "clip")  # fmt: skip

    def answer(case):
        head = case.head(name)
        coordinates = ("study", "model", "split", "seed", "data", *case.keys)
        if coordinates not in indexes:
            indexes[coordinates] = {key_of(row, coordinates): row for row in stored}
        row = indexes[coordinates].get(key_of(head, coordinates))
        if row is not None:
            assert key_of({**case.settings(), **head}, names) == key_of(row, names)
        return row

    indexes: dict[tuple, dict] = {}
    done = carried_out(studies()[name].plan(asked(name, *words)), answer)
    missing = [case for case, row in done if row is None]
    assert len({id(row) for _, row in done if row is not None}) == count
    # of the ways that dev did not choose, the data study once kept only the mean
    assert not missing if name != "data-study" else len(missing) == len(done) - count


# ------------------------------------------------------------------------------ dev chooses, whatever test says


def scored(case, dev: float, **more) -> dict:
    """A row on which test runs against dev."""
    return {**case.head("a"), **case.settings(), "dev_accuracy": dev, "accuracy": 100 - dev, **more}


def test_the_best_on_dev_go_on_and_one_that_diverged_is_worse_than_any_other():
    rows = {
        "a": {"dev_accuracy": 90.0, "accuracy": 1.0}, "b": {"dev_accuracy": 99.0, "accuracy": 99.0, "diverged": 3},
        "c": {"dev_accuracy": 95.0, "accuracy": 0.0}, "d": {"dev_accuracy": 90.0, "accuracy": 50.0}, "e": None,
    }  # fmt: skip
    assert best_first(rows) == ["c", "a", "d", "b"]


def test_networks_beyond_the_paper_are_tuned_on_other_data_step_by_step_and_trained_on_every_split(monkeypatch):
    monkeypatch.setattr(beyond, "tuning_data", lambda arguments: RUNS / remedies.DATA)

    def answer(case):
        asked = case.configuration
        return scored(case, asked.learning_rate - asked.hidden + asked.dropout)

    done = [case for case, _ in carried_out(beyond.plan(asked("beyond", "--seeds", "2")), answer)]
    tuning, tables = ([case for case in done if case.keys["part"] == part] for part in beyond.PARTS)
    assert {case.data for case in tuning} == {remedies.DATA} and {case.data for case in tables} == {"data"}
    points = [tuple(case.keys[name] for name in ("rung", "hidden", "learning_rate", "dropout")) for case in tuning]
    rates, dropouts = [(0, 136, rate, 0.1) for rate in (0.001, 0.002, 0.004, 0.008)], (0.0, 0.1, 0.2, 0.3)
    assert points == [*rates, (1, 96, 0.008, 0.1), (1, 136, 0.008, 0.1), *((2, 96, 0.008, each) for each in dropouts)]
    places = Counter((case.configuration.model, case.configuration.split) for case in tables)
    networks = ("transformer", "transformer-tree")
    assert places == dict.fromkeys(itertools.product(networks, SPLIT_NAMES), 2)
    assert not {model.name for model in paper_models()} & set(networks)


def test_the_transformers_have_the_settings_that_dev_chose():
    tried = [row for row in read_rows(rows_file(RUNS, "beyond")) if row["part"] == beyond.TUNING]
    if not tried:
        pytest.skip("no tuning is committed")
    last = select(tried, rung=len(beyond.STEPS) - 1)
    (best, *_) = best_first({tuple(row[name] for name in beyond.START): row for row in last})
    for name in beyond.TRANSFORMERS:
        settings = make_configuration(name, "generalization", 0)
        assert tuple(getattr(settings, each) for each in beyond.START) == best


HALVED = ("--models", "rnn", "--split", "strict", "--epochs", "9", "--fewest-epochs", "1", "--space")


def searched(tmp_path, answer, *words, **space):
    path = tmp_path / "space.json"
    path.write_text(json.dumps(space))
    return carried_out(search.plan(asked("search", *HALVED, str(path), *words)), answer)


def test_successive_halving_promotes_by_dev_and_continues_checkpoints(tmp_path):
    def answer(case):
        return scored(case, case.configuration.hidden + case.configuration.learning_rate)

    done = searched(tmp_path, answer, hidden=[5, 10, 20], learning_rate=[0.01, 0.1, 0.3])
    of_rung = {rung: [case for case, _ in done if case.keys.get("rung") == rung] for rung in (0, 1, 2)}
    assert [len(cases) for cases in of_rung.values()] == [9, 3, 1]
    assert {case.keys["hidden"] for case in of_rung[1]} == {20}
    assert (of_rung[2][0].keys["learning_rate"], of_rung[2][0].configuration.epochs) == (0.3, 9)
    assert of_rung[1][0].earlier in [case.configuration for case in of_rung[0]]
    assert all(case.is_continued for case in of_rung[0]) and not of_rung[2][0].is_continued
    compared = [case.keys["way"] for case, _ in done if case.keys["part"] == "compared"]
    assert compared == ["the paper's best", "our defaults"]


def test_the_best_of_the_last_round_are_trained_to_the_end(tmp_path):
    def answer(case):
        return scored(case, case.configuration.hidden)

    done = searched(tmp_path, answer, "--finalists", "2", "--factor", "2", hidden=[4, 5, 10, 20, 30, 40, 50, 60])
    finalists = [case for case, _ in done if case.keys["part"] == "finalists"]
    assert [(case.keys["hidden"], case.configuration.epochs) for case in finalists] == [(60, 100)]
    assert finalists[0].earlier.epochs == 9 and not finalists[0].is_continued


def test_points_that_failed_do_not_go_on_and_a_falling_rate_begins_anew(tmp_path):
    def answer(case):
        return None if case.configuration.hidden == 20 else scored(case, case.configuration.hidden)

    done = searched(tmp_path, answer, schedule=["late"], hidden=[5, 10, 20])
    later = [case for case, _ in done if case.keys.get("rung") == 1]
    assert [(case.keys["hidden"], case.earlier) for case in later] == [(10, None)]


def test_rounds_and_draws():
    assert rounds(252, 81, 3, 3) == [(252, 3), (84, 9), (28, 27), (9, 81)]
    assert rounds(2, 81, 3, 3) == [(2, 81)]
    points = points_of(PAPER_SPACE)
    some = drawn(points, RANDOM, None, 0)
    assert len(set(some)) == 20 and search.PAPERS_SETTINGS in some
    assert some == drawn(points, RANDOM, 20, 0) != drawn(points, RANDOM, 20, 1)
    with pytest.raises(InputError, match="--factor 1"):
        next(search.plan(asked("search", "--factor", "1")))


def test_a_space_of_ones_own_may_vary_whatever_the_papers_does(tmp_path):
    path = tmp_path / "space.json"
    path.write_text(json.dumps(PAPER_SPACE))
    assert read_space(path) == PAPER_SPACE
    for text in ('{"hidden": [5.5]}', '{"colour": [1]}', '{"optimizer": ["x"]}', '{"hidden": 5}', "[]", '{"l2": [-1]}'):
        path.write_text(text)
        with pytest.raises(InputError, match="space.json"):
            read_space(path)


@pytest.mark.parametrize(("given", "seeds"), [("2", [0, 1]), ("5-6", [5, 6])])
def test_rates_are_tuned_on_dev_with_seed_0_and_a_diverged_rate_is_never_chosen(given, seeds):
    words = ("--models", "tree-nn", "--optimizers", "sgd", "--batches", "large", "--seeds", given)

    def answer(case):
        rate = case.configuration.learning_rate
        return scored(case, 99.0, diverged=2) if rate >= 3 else scored(case, 80 - abs(rate - 0.3))

    done = carried_out(ablation.plan(asked("ablation", *words)), answer)
    tuned = [case for case, _ in done if case.keys["part"] == ablation.TUNED]
    assert [(case.configuration.learning_rate, case.configuration.seed) for case in tuned] == [(0.3, s) for s in seeds]
    assert {case.configuration.seed for case, _ in done if case.keys["part"] == ablation.TUNING} == {0}


@pytest.mark.parametrize("name", ["experiments", "release", "factors", "data-study", "data-seeds"])
def test_a_range_of_seeds_is_trained_without_those_before_it(name):
    assert {case.configuration.seed for case in planned(name, "--seeds", "5-7")} == {5, 6, 7}
    assert {case.configuration.seed for case in planned(name, "--seeds", "3")} == {0, 1, 2}


def test_a_range_of_seeds_has_two_ends_in_order():
    for wrong in ("7-5", "5-", "-5", "5-9-1", "5-10000", "0"):
        with pytest.raises(SystemExit):
            asked("experiments", f"--seeds={wrong}")


# ------------------------------------------------------------------------------ data sets of their own


@pytest.fixture
def runs(tmp_path):
    write_stand_in_data(tmp_path / "data", content="tables", seed=1, recipe={"name": "hard"}, split_seeds=3)
    return tmp_path


def test_remedies_are_tried_on_data_of_another_seed_with_the_seeds_of_the_tables(runs):
    words = remedies.data_sets(asked("remedies", runs=runs))["data-tuning"]
    assert "--seed=0" in words and "--recipe=hard" in words
    write_stand_in_data(runs / "data-tuning", content="tuning", seed=0)
    cases = planned("remedies", "--seeds", "2", "--claims", "data-helps", runs=runs)
    rows = [case.head("remedies") for case in cases]
    assert {row["data"] for row in rows} == {"data-tuning"}
    for place, way in itertools.product({row["place"] for row in rows}, ("remedy", "as in the tables", "rival")):
        assert sorted(by_seed(select(rows, place=place, way=way), "seed")) == [0, 1]


def test_remedies_on_the_data_of_the_tables_are_refused(runs):
    write_stand_in_data(runs / "data-tuning", content="tables", seed=1)
    with pytest.raises(InputError, match="the data set of the tables"):
        planned("remedies", runs=runs)


def test_data_like_that_of_the_tables_differ_only_in_what_is_named(runs):
    wanted = "generate --seed=7 --split-seeds=3 --scale=full --recipe=hard"
    assert generate_words(runs / "data", seed=7) == wanted.split()
    assert studies()["data-study"].data_sets(asked("data-study", runs=runs))["data-all"][-1] == "--evaluations=all"
    assert studies()["data-study"].data_sets(asked("data-study", "--parts", "shares", runs=runs)) == {}


def test_the_ladder_goes_from_paper_to_hard_and_replaces_data_of_another_recipe(runs):
    made = list(ladder.recipes())
    assert made[0] == ladder.PAPER and made[-1] == ladder.HARD
    switched = [
        {name for name in vars(one) if getattr(one, name) != getattr(other, name)} - {"name"}
        for one, other in itertools.pairwise(made)
    ]
    assert all(switched) and not any(one & other for place, one in enumerate(switched) for other in switched[:place])
    write_stand_in_data(runs / "ladder" / "paper" / "data", seed=1, recipe={"name": "other"})
    words = ladder.data_sets(asked("ladder", "--rungs", "paper", "all-axioms", runs=runs))
    assert "--replace" in words["ladder/paper/data"] and "--replace" not in words["ladder/all-axioms/data"]


# ------------------------------------------------------------------------------ deeper


def test_dev_chooses_the_rate_of_every_network_and_all_seeds_have_it():
    wanted = {"tree-nn": 0.02, "tree-lstm": 0.01}

    def answer(case):
        asked = case.configuration
        return scored(case, 90.0 + (asked.learning_rate == wanted[asked.model]))

    words = ("--models", *wanted, "--seeds", "3", "--epochs", "2")
    done = [case for case, _ in carried_out(deeper.plan(asked("deeper", *words)), answer)]
    tried, trained = ([case.configuration for case in done if case.keys["part"] == part] for part in deeper.PARTS)
    assert {(each.model, each.learning_rate) for each in tried} == set(itertools.product(wanted, (0.01, 0.02)))
    assert {each.seed for each in tried} == {0} and {each.split for each in (*tried, *trained)} == {"deeper"}
    assert [(each.model, each.seed, each.learning_rate) for each in trained] == [
        (model, seed, wanted[model]) for seed in range(3) for model in wanted
    ]
    assert {case.data for case in done} == {"data-deeper"}


def test_beside_the_trainings_stand_baselines_and_how_equations_were_made(tmp_path, monkeypatch):
    monkeypatch.setattr(artifacts, "CACHE", tmp_path)
    monkeypatch.setattr(deeper, "COUNTS", {2: 40, 3: 20, 8: 6})
    arguments = asked("deeper", runs=tmp_path)
    ((name, words),) = deeper.data_sets(arguments).items()
    assert main([*words, f"--out={tmp_path / name}"]) == 0
    rows, dataset = deeper.beside(arguments), load(tmp_path / name)
    test = [record.label for record in dataset.symbolic if record.depth == 8]
    (majority,) = select(rows, model="majority-column")
    assert majority["accuracy"] == majority["depth_8"] == 100 * max(test.count(0), test.count(1)) / len(test)
    made = {row["part"]: row for row in select(rows, model="generator") if "part" in row}
    for depth, count in deeper.COUNTS.items():
        labels = Counter(record.label for record in dataset.symbolic if record.depth == depth)
        assert (made[depth]["correct"], made[depth]["incorrect"]) == (labels[1], labels[0])
        assert labels.total() + made[depth]["missing"] == count and made[depth]["sympy_seconds"] >= 0
    assert next(row["judged"] for row in rows if "judged" in row) >= sum(row["correct"] for row in made.values())


def test_without_a_word_the_networks_of_the_paper_are_trained():
    for name in ("experiments", "release", "protocol", "ablation", "search"):
        assert set(asked(name).models) == {model.name for model in paper_models()}
        assert asked(name, "--models", "tree-smu").models == ["tree-smu"]


# ------------------------------------------------------------------------------ single plans


def test_the_protocol_is_the_papers_text():
    (case, *_) = planned("protocol", "--models", "tree-lstm+data", "--splits", "strict")
    made = case.configuration
    assert (made.batch_size, made.optimizer, made.learning_rate, made.dropout, made.l2) == (1, "adam", 0.001, 0.2, 1e-5)
    assert (made.epochs, made.schedule, made.averaging, case.keys["preset"]) == (100, "constant", 0.0, PAPER)


def test_experiments_take_the_settings_beside_the_data_and_another_cell(runs):
    (runs / "data" / "settings.json").write_text('{"tree-nn": {"learning_rate": 0.5}}')
    words = ("--models", "tree-nn", "lstm", "--splits", "strict", "--cell", "tree-gru", "--seeds", "2")
    made = [case.configuration for case in planned("experiments", *words, runs=runs)]
    assert [(each.model, each.seed, each.cell) for each in made] == [
        ("tree-nn", 0, "tree-gru"), ("lstm", 0, None), ("tree-nn", 1, "tree-gru"), ("lstm", 1, None),
    ]  # fmt: skip
    assert [each.learning_rate for each in made] == [0.5, 0.01, 0.5, 0.01]
    (runs / "data" / "settings.json").write_text('{"tree-nn": {"colour": 1}}')
    with pytest.raises(InputError, match="colour is unknown"):
        planned("experiments", runs=runs)


# ------------------------------------------------------------------------------ the effect of data


def test_factors_cross_leaf_dropout_and_data_in_every_seed():
    cases = planned("factors", "--seeds", "2")
    assert len({case.configuration for case in cases}) == len(cases) == 2 * 2 * 2 * 3 * 2 * 3
    found = Counter((case.keys["numbers"], case.configuration.model, case.configuration.numeric_task) for case in cases)
    kinds = (("none", "", DECODE), ("decoded", "+data", DECODE), ("verified", "+data", VERIFY))
    assert found == {
        (numbers, network + data, task): 24 for network in ("tree-lstm", "tree-nn") for numbers, data, task in kinds
    }


def test_a_corner_of_the_factors_is_the_training_of_the_authors_protocol():
    """So it is trained once for both studies."""
    released = {case.configuration for case in planned("release") if case.configuration.kind.is_tree}
    plain = [case.configuration for case in planned("factors", "--seeds", "1", "--leaves", "sigmoid")]
    assert len(released & set(plain)) == 2 * 2 * 2  # two networks, two splits, without data and decoded


@pytest.fixture
def sample(tmp_path):
    """Runs in which our data set passes for that of the authors."""
    for name in (effect.SAMPLE, "data"):
        (tmp_path / name).symlink_to(RUNS / "data")
    return tmp_path


def test_the_twin_without_data_takes_as_many_steps(sample):
    cases = planned("authors", "--seeds", "1", "--protocols", "release", runs=sample)
    assert {(case.configuration.split, case.keys["network"]) for case in cases} == set(
        itertools.product(SPLIT_NAMES, effect.NETWORKS)
    )
    dataset = load(RUNS / "data")
    by_way = {case.keys["way"]: case.configuration for case in cases if case.configuration.split == SPLIT_NAMES[0]}
    train = split_parts(dataset, stored_split(dataset, RUNS / "data", SPLIT_NAMES[0], 0)).train
    steps = {way: each.epochs * wanted(train, each, training=True).count for way, each in by_way.items()}
    assert by_way[effect.WITH].epochs == by_way[effect.WITHOUT].epochs
    assert steps[effect.WITH] <= steps[effect.AS_MANY_STEPS] < steps[effect.WITH] + len(train.symbolic)


def test_the_authors_sample_has_the_settings_with_data_and_is_named(sample, tmp_path):
    cases = planned("authors", "--seeds", "1", "--protocols", "experiments", runs=sample)
    with_data = next(case.configuration for case in cases if case.keys["way"] == effect.WITH)
    assert with_data == make_configuration(with_data.model, with_data.split, 0)
    with pytest.raises(InputError, match="--file"):
        effect.authors_data(asked("authors", runs=tmp_path / "none"))
