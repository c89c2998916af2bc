"""Figures: layout of trees, what is drawn from rows, the same bytes each time, and small files."""

import csv
import io

import pytest

from reproduction.data.dataset import GENERALIZATION, Dataset, Record, load
from reproduction.language.parsing import parse_equation
from reproduction.measures import ACCURACY
from reproduction.models import MODELS, paper_models
from reproduction.report.drawing import LOOKS
from reproduction.report.outputs import examples
from reproduction.report.outputs.predictions import known_parts, reliability, unseen_parts
from reproduction.report.results import read_archive

FROM_ROWS = {
    "overview", "accuracy-by-depth", "accuracy-by-novelty", "accuracy-by-function", "reliability", "learning-curves",
    "training-curves", "figure-3a", "figure-3b", "figure-4", "figure-4c-all", "completion-by-blank", "ablation-all",
    "search-all", "search-effects",
}  # fmt: skip


def rows_of(reported, name: str) -> list[dict]:
    return list(csv.DictReader(io.StringIO((reported / f"{name}.csv").read_text())))


def nodes(placed):
    return [placed, *(node for child in placed.children for node in nodes(child))]


def test_no_two_nodes_of_a_tree_share_a_place_and_parents_stand_in_the_middle():
    symbolic, numeric, _ = examples.figure_1_equations()
    for tree in (examples.equation_node(symbolic), examples.evaluation_node(numeric)):
        everything = nodes(examples.place(tree)[0])
        assert len({(node.x, node.y) for node in everything}) == len(everything)
        leaves = [node.x for node in everything if not node.children]
        assert leaves == sorted(leaves) == list(range(len(leaves)))
        for node in everything:
            assert all(child.y == node.y + 1 for child in node.children)
            assert not node.children or node.x == (node.children[0].x + node.children[-1].x) / 2


def test_figures_1_and_2_show_the_papers_trees_with_a_block_for_every_node():
    symbolic, numeric, _ = equations = examples.figure_1_equations()
    assert [equation.depth for equation in equations] == [4, 3, 4] and "theta" in symbolic.variables()
    assert [child.label for child in examples.verification_node(symbolic).children] == ["LSTM\n+", "symbol"]
    assert examples.network_node(numeric.left).children[0].children[1].label == "number"


def test_parts_are_unseen_when_no_equation_of_the_trained_depths_has_them():
    texts = ("sin(x) + y = y + sin(x)", "cos(x * y) + 1 = 1", "cos(x * y) + 2 = 2")
    equations = [parse_equation(text) for text in texts]
    records = [Record(f"s{i}", each, 1, "symbolic", each.depth, "") for i, each in enumerate(equations)]
    known = known_parts(Dataset(tuple(records[:2]), (), "made up"))
    assert [unseen_parts(each, known) for each in equations] == [0, 3, 3]  # x * y, cos(x * y), and 1 or 2


def test_every_figure_is_written_with_its_numbers(made_up, reported):
    for name in FROM_ROWS:
        assert all((reported / f"{name}.{suffix}").is_file() for suffix in ("png", "svg", "csv")), name
    rows = rows_of(reported, "overview")
    assert len(rows) == 3 * len(paper_models())
    row = next(row for row in rows if (row["split"], row["model"]) == (GENERALIZATION, "TreeLSTM + data"))
    values = read_archive(made_up).values("tree-lstm+data", GENERALIZATION, ACCURACY)
    assert float(row["ours_mean"]) == pytest.approx(sum(values.values()) / len(values), rel=1e-5)
    assert float(row["paper"]) == 97.2


def test_curves_have_the_posters_numbers_deeper_equations_and_parts_of_the_training_set(reported):
    row = next(row for row in rows_of(reported, "figure-3a") if row["ranking"] == "TreeLSTM + data" and row["k"] == "1")
    assert row["poster"] == "95" and row["seeds"] == "5"
    rankings = {row["ranking"] for row in rows_of(reported, "figure-3b")}
    assert rankings == {"TreeNN + data", "TreeLSTM + data", "exact values", "random order"}
    assert {row["depth"] for row in rows_of(reported, "accuracy-by-depth")} >= {"2", "3", "5", "6", "7"}
    assert [row["fraction_of_train"] for row in rows_of(reported, "learning-curves")] == ["0.25", "0.5", "1.0"]


def test_a_prediction_is_right_on_its_side_of_one_half(reported):
    """Made-up predictions are 0.9 for correct equations and 0.2 for others."""
    for name in ("accuracy-by-function", "accuracy-by-novelty"):
        assert {row["ours_mean"] for row in rows_of(reported, name)} == {"100"}


def test_reliability_is_how_far_probabilities_are_from_shares(made_up):
    right, *_, wrong = sorted(load(made_up / "data").symbolic, key=lambda record: -record.label)
    bins, error = reliability([[(right, 1.0), (wrong, 0.95), (wrong, 0.0)], [(wrong, 0.0)]])
    assert [(round(mean, 6), share, count) for mean, share, count in bins] == [(0.0, 0.0, 2), (0.975, 0.5, 2)]
    assert error == pytest.approx(0.2375)


def test_errors_are_written_as_in_the_paper():
    assert [examples.scientific(error) for error in (0, 1.84e-5, 0.2)] == ["0", "1.8e-5", "2.0e-1"]


def test_every_model_has_a_look_of_its_own():
    assert list(LOOKS) == list(MODELS) and len({look.colour for look in LOOKS.values()}) == len(LOOKS)
    assert len({(look.marker, look.line) for look in LOOKS.values()}) == len(LOOKS)
