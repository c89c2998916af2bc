"""What tables and figures say of ablations: ties, who is as good, and what is to be known of the numbers."""

from itertools import pairwise

import pytest
from matplotlib import pyplot as plt
from support import synthetic_runs

from reproduction.models import MODELS
from reproduction.networks.optimizer_traits import OPTIMIZERS, PAPER_OPTIMIZERS
from reproduction.report.figures.ablation import OPTIMIZER_LOOKS, ablation_figure, overall_figure
from reproduction.report.tables.ablation import ablation_table, overall_table, ranking_sentence
from reproduction.report.tables.ablation_claim import claim_sentence
from reproduction.report.tables.ablation_notes import (
    collapsed_sentence,
    delay_sentence,
    diverged_sentence,
    end_sentence,
    worse_sentence,
)
from reproduction.report.tables.formats import to_latex, to_markdown
from reproduction.sweeps.ablation import GRID, TUNED, TUNING
from reproduction.sweeps.ablation_results import View

ADAM_FIRST = ("adam", *(name for name in PAPER_OPTIMIZERS if name != "adam"))  # by a point each, Adam the best


def ablation(model: str = "tree-nn", optimizers: tuple[str, ...] = ADAM_FIRST, seeds: int = 2) -> dict:
    return synthetic_runs.ablation_summary(model, optimizers, seeds)


def changed(content: dict, optimizer: str, part: str | None = None, **values) -> dict:
    """The summary with other values for an optimizer; a function makes one of the row."""

    def new(row: dict) -> dict:
        made = {name: value(row) if callable(value) else value for name, value in values.items()}
        return {**row, **made} if row["optimizer"] == optimizer and part in (None, row["part"]) else row

    return {**content, "rows": [new(row) for row in content["rows"]]}


def with_rows(content: dict, *rows: dict) -> dict:
    return {**content, "rows": [*content["rows"], *({**content["rows"][0], **row} for row in rows)]}


def test_the_claim_counts_networks_and_says_after_how_many_epochs():
    said = claim_sentence([ablation(name) for name in MODELS])
    assert "At the paper's grid this holds here: Adam is best on dev for 6 of 6 networks, and best or at most" in said
    assert "behind for 6, after 3 epochs. At tuned learning rates it is best for 6 of 6" in said


def test_lengths_are_told_apart_by_the_kind_of_cells():
    longer = ablation("lstm")
    longer["regimes"][0]["epochs"] = 9
    assert "after 3 epochs (9 with LSTM cells)" in claim_sentence([ablation("rnn"), longer])
    assert "after 3 to 9 epochs" in claim_sentence([ablation("tree-lstm"), longer])


def test_a_tie_is_a_tie_and_no_win():
    tied = changed(ablation(), "sgld", dev_accuracy=95.0)
    said = claim_sentence([tied])
    assert "does not hold here: Adam is best on dev for 0 of 1 network (TreeNN), Adam and SGLD tied for 1" in said
    assert "behind for 1, after" in said
    assert "Adam 95.00 = SGLD 95.00, SGD 94.00" in ranking_sentence(tied, View(GRID, 1))
    assert "Adam is number 1 of 8, and first in 0 of 2 seeds." in ranking_sentence(tied, View(GRID, 1))
    assert to_markdown(overall_table([tied, ablation("rnn")])).count(" ★ |") == 2 * 2 + 2 * 1


@pytest.mark.parametrize(("behind", "near"), [((1.0, -0.5), 1), ((1.0, 0.9), 0)])
def test_near_is_within_the_spread_of_differences_by_seed(behind, near):
    """Whose mean is within one standard deviation is decided by seeds, not by the spread of each alone."""
    content = changed(ablation(), "adadelta", dev_accuracy=lambda row: 95.0 + behind[row["seed"]])
    said = claim_sentence([content])
    assert "for 0 of 1 network (TreeNN), AdaDelta for 1, and best or at most one standard deviation (over seeds" in said
    assert f", paired) behind for {near}, after 3 epochs." in said


def test_optimizers_beyond_the_papers_change_no_verdict():
    alone, more = ablation(), ablation(optimizers=("nadam", *ADAM_FIRST))
    assert claim_sentence([more]) == claim_sentence([alone])
    table = to_markdown(overall_table([more, alone]))
    assert "| Adam | 94.00 ± 0.00 (0.01) ★ |" in table
    assert not any("★" in line for line in table.splitlines() if line.startswith("| Nadam"))
    said = ranking_sentence(more, View(GRID, 1))
    assert said.endswith("beyond the paper's: Nadam 95.00. Adam is number 1 of 8, and first in 2 of 2 seeds.")


def test_a_verdict_needs_all_eight():
    few = ablation("rnn", ("adam", "sgd"))
    assert claim_sentence([few]).endswith("Whether this holds here needs all eight of its optimizers at its grid.")
    assert claim_sentence([few, ablation()]) == claim_sentence([ablation()])
    assert claim_sentence([ablation("rnn", ("sgd", "nag"))]) is None and claim_sentence([]) is None


def test_dcasgd_is_compared_with_sgd_at_the_grid_alone():
    near = changed(ablation(), "dcasgd", GRID, dev_accuracy=lambda row: 94.07)
    said = delay_sentence([changed(near, "dcasgd", TUNED, dev_accuracy=50.0)])
    assert "at the grid the two are at most 0.07 points apart on dev here" in said and "in 2 pairs of runs" in said
    assert "At large rates tiny differences grow, and tuned rows may have other rates." in said


def test_where_tuned_is_worse_than_the_grid_it_is_named_with_the_reason():
    assert worse_sentence([ablation()]) is None
    worse = changed(changed(ablation(), "sgd", TUNED, dev_accuracy=90.5), "adagrad", GRID, dev_accuracy=99.0)
    tuning = {"part": TUNING, "optimizer": "sgd", "epochs": 1}
    said = worse_sentence([with_rows(worse, tuning)])
    assert said.startswith("Tuned is worse than the grid, in points on dev: SGD by 3.50, AdaGrad by 8.00. Rates were")
    assert said.endswith("tuned with one seed, after only 1 epochs, with momentum fixed at 0.7.")
    whole = worse_sentence([with_rows(worse, {**tuning, "epochs": 3})])  # chosen after as many as it has
    assert whole.endswith("with one seed, with momentum fixed at 0.7.")
    both = worse_sentence([worse, ablation("rnn")])
    assert "points on dev: TreeNN: SGD by 3.50" in both and "RNN" not in both


def test_a_rate_at_the_end_of_what_was_tried_is_marked():
    tried = [{"part": TUNING, "optimizer": "adam", "learning_rate": rate, "epochs": 1} for rate in (0.001, 0.01)]
    at_end = with_rows(ablation(), *tried)
    assert "| Adam | 0.01, end |" in to_markdown(ablation_table(at_end)) and "marked “end”" in end_sentence([at_end])
    assert "(0.01, end) ★" in to_markdown(overall_table([at_end, ablation("rnn")]))
    inside = with_rows(at_end, {**tried[0], "learning_rate": 0.1})
    assert ", end" not in to_markdown(ablation_table(inside)) and end_sentence([inside]) is None


def test_what_was_best_at_once_and_lost_it_is_named_as_collapsed():
    assert collapsed_sentence([ablation()]) is None
    fallen = changed(ablation(), "sgld", GRID, best_epoch=2, epochs=20, curve=[50.0, 88.0, 82.0])
    assert collapsed_sentence([fallen]).endswith("SGLD in 2 of 2 seeds (grid, batches of 1).")
    late = changed(fallen, "sgld", GRID, best_epoch=3)
    assert collapsed_sentence([late]) is None
    assert "lower in the last: TreeNN: SGLD in 2" in "\n".join(overall_table([fallen, ablation("rnn")]).notes)


def test_what_did_not_diverge_is_said_too():
    content = ablation()
    assert "Nothing diverged, in 32 trials." in to_markdown(ablation_table(content))
    broken = changed(content, "sgd", TUNED, diverged=2)
    assert diverged_sentence([broken]) == ""
    assert diverged_sentence([broken, ablation("rnn")]) == "Trials that diverged: TreeNN: 2 of 32; RNN: none."


def test_large_batches_are_said_to_be_averaged():
    content = ablation()
    content["regimes"].append({"batch_size": 256, "epochs": 5, "tuning_epochs": 2, "is_paper": False})
    text = to_markdown(ablation_table(content))
    assert "Batches of 256: 5 epochs, 2 to tune a rate, the model's own dropout, L2 and averaging" in text
    assert (
        "each step keeps 0.998" in text and to_latex(overall_table([content, ablation("rnn")])).count(r"\bigstar") > 2
    )


def test_no_optimizer_has_the_mark_of_divergence():
    assert "x" not in {look.marker for look in OPTIMIZER_LOOKS.values()} and len(OPTIMIZER_LOOKS) == len(OPTIMIZERS)


def test_crosses_at_one_place_do_not_cover_each_other():
    content = ablation()
    for name in ("sgd", "nag", "dcasgd"):
        content = with_rows(content, {"part": TUNING, "optimizer": name, "epochs": 1, "diverged": 1})
    figure = ablation_figure(content).figure
    figure.draw_without_rendering()
    crosses = [line for line in figure.axes[2].get_lines() if line.get_marker() == "x"]
    heights = sorted(line.get_transform().transform((0.01, 95.0))[1] for line in crosses)
    assert len(crosses) == 3 and min(b - a for a, b in pairwise(heights)) > 5
    plt.close(figure)


def test_optimizers_of_a_network_stand_beside_each_other_with_their_spread():
    contents = [ablation(), ablation("rnn")]
    drawing = overall_figure(contents)
    places = [bars.lines[0].get_xdata()[0] for bars in drawing.figure.axes[0].containers]
    assert len(places) == len(set(places)) == 2 * len(PAPER_OPTIMIZERS)
    assert drawing.data[0][-1] == "dev_std" and len(drawing.data) == 1 + 2 * 2 * len(PAPER_OPTIMIZERS)
    plt.close(drawing.figure)
