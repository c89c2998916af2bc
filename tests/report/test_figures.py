"""Figures: layout of trees, what is drawn from runs, the same bytes each time, and sentences for what is missing."""

import csv
import io
from dataclasses import replace
from types import SimpleNamespace

import pytest
from support import synthetic_runs

from reproduction.data.dataset import GENERALIZATION, Dataset, Record, load
from reproduction.language.parsing import parse_equation
from reproduction.measures import ACCURACY
from reproduction.models import MODELS
from reproduction.report.figures.drawing import LOOKS
from reproduction.report.figures.predictions import known_parts, reliability, unseen_parts
from reproduction.report.figures.trees import (
    equation_node,
    evaluation_node,
    figure_1_equations,
    network_node,
    place,
    verification_node,
)
from reproduction.report.outputs import write_figures
from reproduction.report.results import read_archive
from reproduction.training.records import Prediction

FROM_RUNS = {
    "overview", "accuracy-by-depth", "accuracy-by-novelty", "accuracy-by-function", "reliability", "learning-curves",
    "training-curves",
}  # fmt: skip


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    directory = tmp_path_factory.mktemp("runs")
    synthetic_runs.write_dataset(directory / "data", synthetic_runs.tiny_dataset(8), range(2))
    synthetic_runs.write_archive(directory, load(directory / "data"), seeds=2)
    return directory


@pytest.fixture(scope="module")
def drawn(runs, tmp_path_factory):
    out = tmp_path_factory.mktemp("figures")
    write_figures(read_archive(runs), out)
    return out


def nodes(placed):
    yield placed
    for child in placed.children:
        yield from nodes(child)


@pytest.mark.parametrize("tree", [equation_node(figure_1_equations()[0]), evaluation_node(figure_1_equations()[1])])
def test_no_two_nodes_of_a_tree_share_a_place_and_parents_stand_in_the_middle(tree):
    placed, _ = place(tree)
    everything = list(nodes(placed))
    assert len({(node.x, node.y) for node in everything}) == len(everything)
    leaves = [node.x for node in everything if not node.children]
    assert leaves == sorted(leaves) == list(range(len(leaves)))
    for node in everything:
        assert all(child.y == node.y + 1 for child in node.children)
        if node.children:
            assert node.x == (node.children[0].x + node.children[-1].x) / 2


def test_figure_1_shows_the_papers_trees():
    depths = [equation.depth for equation in figure_1_equations()]
    assert depths == [4, 3, 4]
    assert "theta" in figure_1_equations()[0].variables()


def test_the_network_has_a_block_for_every_node():
    symbolic, numeric, _ = figure_1_equations()
    root = verification_node(symbolic)
    assert [child.label for child in root.children] == ["LSTM\n+", "symbol"]
    assert network_node(numeric.left).children[0].children[1].label == "number"


def test_parts_are_unseen_when_no_equation_of_the_trained_depths_has_them():
    texts = ("sin(x) + y = y + sin(x)", "cos(x * y) + 1 = 1", "cos(x * y) + 2 = 2")
    equations = [parse_equation(text) for text in texts]
    records = [Record(f"s{i}", each, 1, "symbolic", each.depth, "") for i, each in enumerate(equations)]
    known = known_parts(Dataset(tuple(records[:2]), (), "made up"))
    assert [unseen_parts(each, known) for each in equations] == [0, 3, 3]  # x * y, cos(x * y), and 1 or 2


def test_every_figure_is_written_as_png_svg_and_csv(drawn):
    for name in FROM_RUNS:
        assert all((drawn / f"{name}.{suffix}").is_file() for suffix in ("png", "svg", "csv")), name
    assert (drawn / "figure-1.svg").is_file() and (drawn / "figure-2.png").is_file()


def test_the_same_runs_give_the_same_bytes(runs, drawn, tmp_path):
    write_figures(read_archive(runs), tmp_path)
    first, second = ({path.name: path.read_bytes() for path in where.iterdir()} for where in (drawn, tmp_path))
    assert first == second
    assert not any(b"<dc:date>" in content or b"Software" in content[:400] for content in first.values())


def test_the_data_of_a_figure_is_what_the_tables_have(runs, drawn):
    rows = list(csv.DictReader(io.StringIO((drawn / "overview.csv").read_text())))
    assert len(rows) == 3 * len(MODELS)
    row = next(row for row in rows if (row["split"], row["model"]) == (GENERALIZATION, "TreeLSTM + data"))
    values = read_archive(runs).values("tree-lstm+data", GENERALIZATION, ACCURACY)
    assert float(row["ours_mean"]) == pytest.approx(sum(values.values()) / len(values), rel=1e-5)
    assert float(row["paper"]) == 97.2


def test_unseen_depths_are_in_the_figure_by_depth(drawn):
    rows = list(csv.DictReader(io.StringIO((drawn / "accuracy-by-depth.csv").read_text())))
    assert {row["depth"] for row in rows} >= {"2", "3", "5", "6", "7"}


def test_the_learning_curve_ends_with_the_whole_training_set(drawn):
    rows = list(csv.DictReader(io.StringIO((drawn / "learning-curves.csv").read_text())))
    assert [row["fraction_of_train"] for row in rows if row["model"] == "TreeLSTM"] == ["0.25", "0.5", "1.0"]


def test_reliability_of_perfectly_honest_probabilities(runs):
    dataset = load(runs / "data")
    rows = [Prediction("test", r.id, float(r.label)) for r in dataset.symbolic]
    bins, error = reliability([SimpleNamespace(predictions=rows)], dataset)
    assert error == 0
    assert [(mean, share) for mean, share, _ in bins] == [(0.0, 0.0), (1.0, 1.0)]


def test_without_runs_the_trees_are_drawn_and_the_rest_says_why_not(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "overview.svg").write_text("old")
    (tmp_path / "none").mkdir()
    pictures = {each.plot.name: each for each in write_figures(read_archive(tmp_path / "none"), tmp_path / "out")}
    assert "`python -m reproduction experiments`" in pictures["overview"].caption
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "figure-1.png", "figure-1.svg", "figure-2.png", "figure-2.svg",
    }  # fmt: skip


def test_predictions_on_another_data_set_are_not_used(runs, tmp_path):
    synthetic_runs.write_dataset(tmp_path / "data", synthetic_runs.tiny_dataset(2), range(1))
    archive = replace(read_archive(runs), directory=tmp_path)
    names = ("accuracy-by-function", "reliability", "accuracy-by-novelty")
    assert [picture.drawing for picture in write_figures(archive, tmp_path / "out", names)] == [None] * 3


def test_every_model_has_a_look_of_its_own():
    assert list(LOOKS) == list(MODELS)
    assert len({look.colour for look in LOOKS.values()}) == len(LOOKS)
    assert len({(look.marker, look.line) for look in LOOKS.values()}) == len(LOOKS)


def test_one_run_of_one_model_is_enough(tmp_path):
    dataset = synthetic_runs.tiny_dataset(2)
    synthetic_runs.write_run(tmp_path / "experiments", dataset, "rnn", GENERALIZATION, 0)
    (picture,) = write_figures(read_archive(tmp_path), tmp_path / "out", ["overview"])
    assert picture.drawing and (tmp_path / "out" / "overview.svg").is_file()
