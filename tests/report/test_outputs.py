"""The list of outputs: a new one is one entry, only what is asked for is built, and what is missing is said."""

import csv
import io
import runpy
from dataclasses import replace
from itertools import product

import pytest
from support import made_up_rows

from reproduction import models
from reproduction.__main__ import main
from reproduction.data.dataset import DEPTH_4_OUT, GENERALIZATION, SYMBOLIC, Record
from reproduction.data.writing import fingerprints
from reproduction.errors import InputError
from reproduction.language.parsing import parse_equation
from reproduction.measures import ACCURACY, MSE, PRECISION
from reproduction.report import registry
from reproduction.report.drawing import LOOKS, Look, style
from reproduction.report.formats import Table, to_csv, to_markdown
from reproduction.report.outputs import completion, consistency, results
from reproduction.report.outputs.data_set import fingerprint_table
from reproduction.report.outputs.leaderboard import leaderboard_table
from reproduction.report.registry import FIGURE, TABLE, Output, register
from reproduction.report.results import BEST_ON_TEST, Archive, read_archive
from reproduction.report.views import Number, View, view_table


@pytest.fixture
def outputs_restored(monkeypatch):
    registry.outputs()
    monkeypatch.setattr(registry, "_OUTPUTS", dict(registry._OUTPUTS))


def table(name: str, archive: Archive) -> Table:
    return registry.make(registry.chosen([name])[0], archive).table


MINE = """
from reproduction.report.registry import TABLE, Output, register
from reproduction.report.views import View

register(Output("table-mine", "Accuracy of mine by way", TABLE, View("way", "split", "mine"), needs=("mine",)))
"""


def test_a_table_of_somebody_elses_study_is_one_entry_in_one_file(tmp_path, outputs_restored):
    ways = {"slow": (90.0, 92.0), "fast": (80.0, 84.0)}
    rows = [
        made_up_rows.training("rnn", split, seed, "mine", way=way, accuracy=accuracy - 10 * (split == DEPTH_4_OUT))
        for split in (GENERALIZATION, DEPTH_4_OUT) for way, pair in ways.items() for seed, accuracy in enumerate(pair)
    ]  # fmt: skip
    made_up_rows.write(tmp_path / "runs", rows)
    (tmp_path / "mine.py").write_text(MINE)
    runpy.run_path(str(tmp_path / "mine.py"))
    assert main(["report", "table-mine", "--runs", str(tmp_path / "runs"), "--out", str(tmp_path / "out")]) == 0
    lines = (tmp_path / "out" / "table-mine.md").read_text().splitlines()
    assert "| way | extrapolate-4 | generalization |" in lines
    assert "| slow | 81.00 ± 1.41 | 91.00 ± 1.41 |" in lines and "| fast | 72.00 ± 2.83 | 82.00 ± 2.83 |" in lines
    assert {path.suffix for path in (tmp_path / "out").iterdir()} == {".md", ".csv", ".tex"}
    assert main(["report", "--runs", str(tmp_path / "runs"), "--out", str(tmp_path / "out")]) == 0
    page = (tmp_path / "out" / "report.html").read_text()
    assert 'id="table-mine"' in page and 'download="table-mine.csv"' in page
    assert "[table-mine](table-mine.md)" in (tmp_path / "out" / "README.md").read_text()


def test_a_column_more_in_table_3_is_one_entry(monkeypatch):
    archive = made_up_rows.archive_of(experiments=made_up_rows.trainings())
    monkeypatch.setattr(results, "TABLE_3_COLUMNS", (*results.TABLE_3_COLUMNS, Number("Precision", PRECISION)))
    rows = list(csv.DictReader(io.StringIO(to_csv(results.table_3(archive)))))
    here = [row for row in rows if row["column"] == "Precision" and row["row"] == "TreeNN"]
    assert len(here) == 4 and all(float(row["ours_mean"]) > 80 and row["paper"] == "" for row in here)


def test_a_name_that_is_taken_or_a_section_that_is_none_is_refused(outputs_restored):
    for name, section, said in (("table-3", "run", "table-3: there is one of this name"), ("x", "nowhere", "sections")):
        with pytest.raises(InputError, match=said):
            register(Output(name, "Mine", TABLE, View("model", "split"), section=section))


def test_only_what_is_asked_for_is_built(made_up, tmp_path, monkeypatch, outputs_restored):
    for name, output in registry._OUTPUTS.items():
        if name not in ("table-4", "overview"):
            registry._OUTPUTS[name] = replace(output, make=lambda archive: pytest.fail("built without being asked for"))
    assert main(["report", "table-4", "overview", "--runs", str(made_up), "--out", str(tmp_path)]) == 0
    files = {"table-4": ("md", "csv", "tex"), "overview": ("png", "svg", "csv")}
    assert {path.name for path in tmp_path.iterdir()} == {f"{name}.{each}" for name in files for each in files[name]}


def test_the_list_is_for_programs_and_an_unknown_name_is_refused_with_those_that_there_are(made_up, tmp_path, capsys):
    assert main(["report", "--list"]) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    found = {name: (kind, needs) for name, kind, needs, _ in rows}
    assert found["table-3"] == (TABLE, "experiments") and found["figure-1"] == (FIGURE, "-")
    assert found["benchmark"] == (FIGURE, "benchmark.json") and found["table-ladder"] == (TABLE, "ladder")
    assert len(found) == len(rows) == len(registry.outputs())
    assert main(["report", "table-9", "--runs", str(made_up), "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert "'table-9'" in said and "table-3, " in said and not (tmp_path / "out").exists()


def test_without_any_result_only_what_needs_none_is_written(tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    out = tmp_path / "out"
    for place, said in (("nowhere", "there is no such directory"), ("empty", "study experiments")):
        for names in ([], ["table-3"], ["overview", "table-1"]):
            assert main(["report", *names, "--runs", str(tmp_path / place), "--out", str(out)]) == 2
            assert said in capsys.readouterr().err and not out.exists()
    assert main(["report", "table-1", "table-5", "figure-1", "--runs", str(tmp_path / "none"), "--out", str(out)]) == 0
    assert {path.stem for path in out.iterdir()} == {"table-1", "table-5", "figure-1"}


def test_an_old_file_does_not_pass_for_a_new_one(tmp_path):
    made_up_rows.write(tmp_path, made_up_rows.trainings(1, models=["rnn"], splits=[GENERALIZATION]))
    out = tmp_path / "out"
    out.mkdir()
    for name in ("learning-curves.png", "table-ladder.md"):
        (out / name).write_text("old")
    archive = read_archive(tmp_path)
    made = [registry.write(each, archive, out) for each in registry.chosen(["learning-curves", "table-ladder"])]
    assert [each.is_there for each in made] == [False, False] and not list(out.iterdir())
    assert made[1].missing == "`python -m reproduction study ladder` makes what it needs."


def test_a_view_takes_the_epoch_that_it_names_and_refuses_rows_that_it_cannot_tell_apart():
    row = made_up_rows.training("rnn", accuracy=60.0, best_on_test_accuracy=61.0)
    view = View("model", (Number("a"),), sections={"dev": {}, "test": {"choice": BEST_ON_TEST}})
    made = view_table(view, made_up_rows.archive_of(experiments=[row]))
    assert [section.rows[0].cells[0].ours.mean for section in made.sections] == [60.0, 61.0]
    with pytest.raises(InputError, match="seed 0 has several rows"):
        view_table(view, made_up_rows.archive_of(experiments=[row, made_up_rows.training("rnn", DEPTH_4_OUT)]))
    assert view_table(view, Archive()) is None


def test_networks_beyond_the_paper_have_a_table_of_their_own(monkeypatch):
    mine = models.Model("mine", "My network", build="nowhere:build", has_data=True)
    monkeypatch.setitem(models.MODELS, "mine", mine)
    rows = made_up_rows.trainings(models=[*made_up_rows.LEVELS, "mine"])
    archive = made_up_rows.archive_of(experiments=rows)
    monkeypatch.setitem(LOOKS, "mine", Look("My network", *mine.look))
    made = made_of(archive)
    for name in ("table-3", "table-4", "headline", "table-evaluation"):
        assert "My network" not in to_markdown(made[name].table)
    assert "My network" in to_markdown(made["table-cost"].table)
    assert "| My network |" in to_markdown(made["table-beyond"].table)
    assert all(made[name].is_there for name in ("accuracy-by-depth", "overview", "figure-3a", "table-beyond"))


def test_what_the_study_of_other_networks_trained_stands_beside_the_papers():
    rows = made_up_rows.trainings(2, "beyond", {"transformer": 0.9}, part="tables")
    points = [{"rung": 0, "place": place, "learning_rate": rate} for place, rate in enumerate((0.001, 0.002))]
    tried = [made_up_rows.training("transformer", study="beyond", part="tuning", **point) for point in points]
    parts = [made_up_rows.training(model, fraction=0.5) for model in ("tree-lstm", "transformer")]
    archive = made_up_rows.archive_of(experiments=[*made_up_rows.trainings(), *parts], beyond=[*rows, *tried])
    text = to_markdown(table("table-beyond", archive))
    for title in ("Transformer", "TreeLSTM", "LSTM"):
        assert text.count(f"\n| {title} |") == 2  # accuracies, and costs
    assert "| TreeNN |" not in text and "learning rate 0.001: " in text and "learning rate 0.002: " in text
    assert "Transformer" not in to_markdown(table("table-3", archive))
    assert "| Transformer | this project |" in to_markdown(leaderboard_table(archive))
    with style():
        drawing = registry.make(registry.chosen(["accuracy-by-parameters"])[0], archive).drawing
    assert [row[1] for row in drawing.data].count("Transformer") == 4  # splits
    twice = made_up_rows.archive_of(experiments=[*made_up_rows.trainings(), *rows], beyond=rows)
    assert len(twice.with_others.rows("experiments")) == len(twice.rows("experiments"))


def test_what_the_authors_ran_stands_first_when_it_was_studied():
    ours = made_up_rows.trainings()
    theirs = [row | {"accuracy": row["accuracy"] - 1} for row in made_up_rows.trainings(study="release")]
    one, both = made_up_rows.archive_of(experiments=ours), made_up_rows.archive_of(experiments=ours, release=theirs)
    for name, count in (("table-3", 4), ("table-4", 2), ("headline", 1)):
        (single, double) = ([section.title for section in table(name, archive).sections] for archive in (one, both))
        assert len(single) == count
        names = product(("As the authors ran it", "Our settings"), single)
        assert double == [": ".join(filter(None, name)) for name in names]
    rows = list(csv.DictReader(io.StringIO(to_csv(table("headline", both)))))
    here = [float(row["ours_mean"]) for row in rows if row["row"] == "RNN" and row["column"] == "random split, %"]
    means = [both.under(name).values("rnn", GENERALIZATION, ACCURACY) for name in ("release", "experiments")]
    assert here == pytest.approx([sum(each.values()) / 5 for each in means], abs=1e-3)
    for name in ("overview", "figure-3a"):
        made = registry.make(registry.chosen([name])[0], both)
        places = list(dict.fromkeys(row[0] for row in made.drawing.data[1:]))
        assert places[0] == f"{GENERALIZATION}, release" and f"{GENERALIZATION}, experiments" in places


def made_of(archive: Archive) -> dict[str, registry.Made]:
    """Every output of these results, by name; the leaderboard asks for files."""
    with style():
        return {each.name: registry.make(each, archive) for each in registry.chosen([]) if each.name != "leaderboard"}


def test_what_the_authors_ran_is_enough():
    """Everything is made or left out without our own settings."""
    made = made_of(made_up_rows.archive_of(release=made_up_rows.trainings(study="release")))
    assert all(made[name].is_there for name in ("table-3", "table-4", "headline", "verdicts", "overview", "figure-3a"))
    assert made["table-3"].table.sections[0].title == "Random split, epoch chosen on dev"


def test_errors_are_better_when_they_are_lower():
    rows = [made_up_rows.training("tree-lstm+data", seed=seed, mse=0.01) for seed in range(5)]
    made = table("headline", made_up_rows.archive_of(experiments=rows))
    cell = next(row for row in made.sections[0].rows if row.name == "TreeLSTM + data").cells[3]
    assert (cell.paper, cell.closeness, MSE.lower_is_better) == (0.047, "better", True)


def test_textbook_answers_are_counted_of_what_a_network_reads():
    counts = {"identities": 4, "identities_right": 1, "near_misses": 6, "near_misses_right": 5, "listed": 12}
    row = made_up_rows.training("rnn", GENERALIZATION, 0, "textbook", **counts)
    tested = [made_up_rows.training("rnn", seed=seed, accuracy=80.0 + seed) for seed in (1, 0)]
    archive = made_up_rows.archive_of(textbook=[row], experiments=tested)
    ((line,),) = (each.rows for each in results.textbook_table(archive).sections)
    assert (line.name, *line.cells) == ("RNN", "1 of 4", "5 of 6", "60.0", "2", "80.0")


@pytest.mark.parametrize(
    ("exact", "random", "said"),
    [
        ([0.3, 0.1], [0.6, 0.2], "From k = 2 on"),
        ([0.3, 0.1], [0.3, 0.4], ""),
        ([0.3, 0.1], [0.4, 0.2], "From k = 1 on"),
    ],
)
def test_random_order_that_is_ahead_of_all_networks_is_told(exact, random, said):
    curves = {"a": [0.5, 0.3], "b": [0.7, 0.4], "exact values": exact, "random order": random}
    found = [
        completion.Ranking(
            name, {}, [completion.averaged({0: each}) for each in curve], None, [], group=int(len(name) > 1)
        )
        for name, curve in curves.items()
    ]
    told = completion._beside_references(found)
    assert told.startswith(" Exact values have 0.300 at k = 1.") and said in told
    assert told.endswith("ahead of all networks.") == bool(said)
    assert completion._beside_references(found[:2]) == ""


def test_changes_of_mind_are_shown_as_shares_of_right_and_wrong_verdicts():
    def row(part: str, title: str, **counts) -> dict:
        return made_up_rows.training("tree-nn", GENERALIZATION, 0, "consistency", part=part, title=title, **counts)

    moved = {"count": 20, "right": 16, "lost": 4, "won": 1}
    rows = [row("swapped", "mine (TreeNN)", **moved), row("swapped", "TreeNN", **moved, fixed=True)]
    rows += [row("productivity-2", "TreeNN", **moved), row("systematicity", "TreeNN", count=4, right=3, others=2.0)]
    found = consistency.consistency_table(made_up_rows.archive_of(consistency=rows)).sections
    lines = [[(line.name, *line.cells) for line in each.rows] for each in found]
    assert lines[0][0][:3] == ("TreeNN", "0 (by construction)", "–")
    assert lines[0][1][:2] == ("mine (TreeNN)", "25.0 (25.0 / 25.0)")
    assert lines[1][0][-2] == "25.0 (25.0 / 25.0)"
    assert lines[2][1][1] == "80.0 → 65.0"
    assert lines[4] == [("TreeNN", "4", "75.0", "50.0")]
    with style():
        drawing = consistency.consistency(made_up_rows.archive_of(consistency=rows))
    assert ("TreeNN", "productivity-2", 20, 16, 4, 1, "") in drawing.data


EQUATION = parse_equation("x + 0 = x")
STATISTICS = {
    "fingerprints": fingerprints([Record("s0", EQUATION, 1, SYMBOLIC, 2, "")]),
    "baselines": {"generalization": {}},
    "twins_of_test_in_train": {"generalization": 0.25},
    "uses_of_a_distinct_subtree": 4 / 3,
}
ANSWERS = [
    {"depth": depth, "label": label, "answer": answer, "auto": count}
    for depth, label, answer, count in (
        (2, 1, "true", 2),
        (2, 0, "true", 1),
        (2, 0, "undecided", 1),
        (3, 0, "false", 1),
    )
]


def fingerprint_cells(archive):
    return {row.name: tuple(row.cells) for row in fingerprint_table(archive).sections[0].rows}


def test_fingerprints_stand_beside_the_originals():
    cells = fingerprint_cells(
        Archive(kept={"statistics.json": STATISTICS, "baselines.json": {"sympy_answers": ANSWERS}})
    )
    assert cells["Sympy alone, accuracy"] == ("89.1 / 83.0 / 69.4", "50.0 / 100.0 / –")
    assert cells["correct: with a variable"] == ("25 / 46 / 74", "100 / – / –")
    assert cells["correct: nodes, mean"] == ("5.7 / 7.8 / 9.7", "4.0 / – / –")
    assert cells["incorrect: nodes, mean"] == ("5.4 / 7.4 / 10.0", "– / – / –")
    assert cells["functions, %"] == ("* 36, + 30, ^ 23", "* 0, + 100, ^ 0")
    assert cells["uses of a distinct subtree"] == ("12.8", "1.3")
    assert cells["lookup, accuracy"] == ("85–91", "–")
    assert cells["test equations with a twin in training, %"] == ("19", "25.0")
    archive = Archive(kept={"statistics.json": STATISTICS})  # nothing of Sympy
    assert fingerprint_cells(archive)["Sympy alone, accuracy"] == ("89.1 / 83.0 / 69.4", "– / – / –")
    assert fingerprint_table(Archive()) is None
