"""What tables, figures and the README say of searches: of all or of some configurations, and beside what."""

import dataclasses

import pytest
from matplotlib import pyplot as plt
from support import synthetic_runs

from reproduction.models import MODELS
from reproduction.report.figures.search import overall_search_figure, search_figure
from reproduction.report.readme import rewritten
from reproduction.report.results import Archive
from reproduction.report.tables.formats import to_markdown
from reproduction.report.tables.search import overall_search_table, search_table
from reproduction.report.tables.search_words import (
    BEST_OF_ALL,
    BEST_TRIED,
    compared_rows,
    noise_sentence,
    search_sentence,
)
from reproduction.sweeps.search import OUR_DEFAULTS, PAPERS_BEST, PAPERS_SETTINGS, marginals
from reproduction.sweeps.search_space import PAPER_SPACE

POINTS = [dict(point) for point in PAPER_SPACE.points()]
ADADELTA = next(point for point in POINTS if point["optimizer"] == "adadelta")
SGD = next(point for point in POINTS if point["optimizer"] == "sgd")


def row(settings: dict, dev: float, epochs: int = 9, **more) -> dict:
    scores = {"dev_accuracy": dev, "test_accuracy": dev - 1, "mse": None, "best_epoch": 1, "diverged": None}
    return {"trial": "t", "epochs": epochs, "settings": settings, "seconds": 60.0, **scores, **more}


def search(model: str = "tree-lstm+data", count: int = 60, paper: float = 90.0, **correlations) -> dict:
    """A search of the paper's space by halving: two configurations go on, and AdaDelta is the best with 95 %."""
    trials = [row(point, 60.0, 3, rung=0) for point in (SGD, ADADELTA)]
    trials += [row(SGD, 80.0, rung=1), row(ADADELTA, 95.0, rung=1)]
    compared = [
        row(dict(PAPERS_SETTINGS), paper, name=PAPERS_BEST),
        row({**dict(PAPERS_SETTINGS), "dropout": 0.0}, 93.0, name=OUR_DEFAULTS),
    ]
    space = PAPER_SPACE.as_row()
    return {
        "model": model, "split": "generalization", "seed": 0, "method": "halving", "batch_size": 1, "space": space,
        "in_space": len(POINTS), "rungs": [{"count": count, "epochs": 3}, {"count": 2, "epochs": 9}],
        "rank_correlations": [{"rungs": [0, 1], "configurations": 2, "spearman": correlations.get("spearman", 0.9)}],
        "best": [], "compared": compared, "marginals": marginals(space, trials), "trials": trials,
        "data_fingerprint": "synthetic",
    }  # fmt: skip


@pytest.mark.parametrize(("count", "name"), [(60, BEST_TRIED), (len(POINTS), BEST_OF_ALL)])
def test_the_best_is_that_of_the_space_only_if_all_of_it_was_tried(count, name):
    assert [each for each, _ in compared_rows(search(count=count))] == [name, PAPERS_BEST, OUR_DEFAULTS]


def test_the_papers_best_settings_count_as_tried():
    (_, best), (_, papers), _ = compared_rows(search(paper=97.0))
    assert best is papers
    assert "counts as tried where it was not drawn" in to_markdown(search_table(search(paper=97.0)))
    (_, best), *_ = compared_rows({**search(paper=97.0), "space": {"hidden": [50]}})
    assert best["settings"] == ADADELTA  # of a space of one's own the paper's settings are no point


def test_batches_stand_beside_what_is_compared_and_what_else_differs_is_said():
    text = to_markdown(search_table(search()))
    assert "| momentum | batch | epochs |" in text
    assert "| our defaults | 50 | adam | 0 | 0.001 | 1e-05 | – | 256 | 9 |" in text
    assert "| the paper's best | 50 | adam | 0.2 | 0.001 | 1e-05 | – | 1 | 9 |" in text
    assert "batches of 256, averaging of parameters, a late schedule of the rate; the others have batches of 1" in text
    text = to_markdown(overall_search_table([search("rnn"), search()]))
    assert "averaging of parameters, a late schedule of the rate (TreeLSTM + data); the others" in text
    assert "| RNN | our defaults | 50 | adam | 0 | 0.001 | 1e-05 | – | 256 | 9 |" in text


def test_short_trainings_are_told_in_minutes():
    assert "batches of 1, 2 min of training in all." in to_markdown(search_table(search()))


@pytest.mark.parametrize(("spearman", "is_noise"), [(0.29, True), (-0.5, True), (0.31, False), (None, False)])
def test_a_ranking_that_does_not_last_is_called_noise(spearman, is_noise):
    found = search("rnn", spearman=spearman)
    assert (noise_sentence([found]) is not None) == is_noise
    said = "\n".join(overall_search_table([found, search()]).notes)
    assert (
        "is noise where it is correlated with the next by less than 0.3: RNN, from 3 to 9 epochs." in said
    ) == is_noise


def test_the_readme_says_what_searches_found_or_how_to_make_one():
    text = "<!-- search:begin --><!-- search:end -->"
    assert "`./run_all.sh search` does it." in rewritten(text, Archive())
    other = synthetic_runs.search_summary("rnn")  # of another space
    assert "`./run_all.sh search` does it." in rewritten(text, dataclasses.replace(Archive(), searches=(other,)))
    searches = (*(search(name, len(POINTS)) for name in MODELS if name != "rnn"), search("rnn", 60, 99.0))
    said = rewritten(text, dataclasses.replace(Archive(), searches=searches))
    assert "(all 252 configurations; 60 drawn for RNN) AdaDelta is best on dev for 5 of 6 networks, Adam for 1." in said
    assert "TreeLSTM + data has 95.0 % on dev with AdaDelta; on test the paper's best settings give it 89.0 %" in said
    assert "our defaults 92.0 %, after as many epochs ([all](figures/table-search-all.md))." in said


def test_optimizers_that_are_equally_good_are_tied():
    tied = search(paper=95.0)
    assert "(60 of its 252 configurations, drawn) AdaDelta and Adam tied is best" not in search_sentence([tied])
    assert "AdaDelta and Adam tied are best on dev for 1 of 1 network." in search_sentence([tied])


def test_figures_tell_equal_values_apart_and_say_none_where_there_is_no_setting():
    drawing = overall_search_figure([search(), search("rnn")])
    places = [line.get_xdata()[0] for line in drawing.figure.axes[0].get_lines()]
    assert len(places) == len(set(places)) == 6
    plt.close(drawing.figure)
    drawing = search_figure(search())
    assert [label.get_text() for label in drawing.figure.axes[1].get_xticklabels()] == ["0.001", "none"]
    plt.close(drawing.figure)
