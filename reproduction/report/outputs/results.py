"""Tables 3 and 4, ours beside the paper's, the results in short, and what goes beyond them."""

import itertools
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

from ... import paper
from ...data import baselines
from ...data.dataset import DEPTH_2_OUT, DEPTH_4_OUT, GENERALIZATION, SPLIT_TITLES, STRICT
from ...measures import ACCURACY, EVALUATION_ACCURACY, MSE, MSE_ALL, PRECISION, RECALL, TOP_K, depth_measure
from ...models import MODELS, paper_models
from ...rows import Row, select
from ...training.configuration import PAPER, PRESETS, make_configuration
from ..claims import TOLERANCES
from ..formats import NOTHING, POSTER, Line, Table, section
from ..registry import TEXTBOOK, table
from ..results import BEST_ON_TEST, CHOICES, DEV_CHOSEN, OURS, PAPERS, PROTOCOLS, Archive, settings_of
from ..views import Number, View, view_table

APPROACH_NAMES = {
    baselines.MAJORITY_OF_TRAIN: "Majority (of the training set)",
    baselines.MAJORITY_OF_COLUMN: "Majority (of each column)",
    baselines.SYMPY_AUTO: "Sympy (undecided is wrong)",
    baselines.SYMPY_SIMPLIFY: "Sympy with simplify (undecided is wrong)",
    **{model.name: model.title for model in paper_models()},
    baselines.SYMPY_PROOF: "Sympy (undecided means incorrect)",
    baselines.BAG_OF_SYMBOLS: "bag of symbols",
    baselines.LOOKUP: "lookup",
}
# Lines of another group than the one before stand apart; the paper has no numbers on the last one.
_REFERENCES, _CHAINS, _TREES, _WITH_DATA, BEYOND = range(5)
GROUPS = {
    **dict.fromkeys(APPROACH_NAMES, _REFERENCES),
    **{model.name: _WITH_DATA if model.has_data else _TREES if model.is_tree else _CHAINS for model in paper_models()},
    **dict.fromkeys((baselines.SYMPY_PROOF, baselines.BAG_OF_SYMBOLS, baselines.LOOKUP), BEYOND),
}
NETWORKS = {model.name: model.title for model in reversed(paper_models())}  # the best first

CHOICE_TITLES = {DEV_CHOSEN: "epoch chosen on dev", BEST_ON_TEST: "best epoch on test, the paper's way"}
HOW_TO_READ = (
    "Ours is the mean ± standard deviation over seeds; in brackets the paper's number and the difference. "
    "✓ close to the paper's, ▲ better than close, ▼ worse than close."
)
SYMPY_NOTE = (
    "Sympy: undecided is wrong, as in the paper, but in its last row, where undecided means incorrect. Correct labels "
    "needed a proof by Sympy, so that its recall with simplify is 100 % by construction."
)

TABLE_3_COLUMNS = (
    Number("Sym"),
    Number("F Eval (MSE)", MSE),
    Number("depth 1 (noise)", depth_measure(1)),
    *(Number(f"depth {depth}", depth_measure(depth)) for depth in (2, 3, 4)),
)
HALVES = {DEPTH_4_OUT: "1, 2, 3 → 4", DEPTH_2_OUT: "1, 3, 4 → 2"}
HEADLINES = (
    Number("random split, %", ACCURACY, {"split": GENERALIZATION}),
    Number("depth 4 unseen, %", ACCURACY, {"split": DEPTH_4_OUT}),
    Number("depth 2 unseen, %", ACCURACY, {"split": DEPTH_2_OUT}),
    Number("evaluations, MSE", MSE, {"split": GENERALIZATION}),
    Number("blanks, first guess, %", TOP_K[0], {"split": GENERALIZATION}, decimals=1, source=POSTER),
)
TRIED = (Number("strict split, %", ACCURACY, {"split": STRICT}), *HEADLINES)

Sections = Mapping[str, Mapping[str, Any]]


def by_protocol(archive: Archive, sections: Sections) -> Sections:
    """The sections under each protocol that is shown; its name stands before their titles if there are several."""
    protocols = archive.protocols
    if len(protocols) == 1:
        return {title: {"protocol": protocols[0], **where} for title, where in sections.items()}
    return {
        ": ".join(filter(None, (PROTOCOLS[protocol], title))): {"protocol": protocol, **where}
        for protocol, (title, where) in itertools.product(protocols, sections.items())
    }


def _sections(splits: Iterable[str], choices: Iterable[str]) -> Sections:
    return {
        f"{SPLIT_TITLES[split].capitalize()}, {CHOICE_TITLES[choice]}": {"split": split, "choice": choice}
        for split, choice in itertools.product(splits, choices)
    }


def _approaches_view(archive: Archive, columns: Sequence[Number], sections: Sections, notes: Sequence[str]) -> View:
    """A line an approach, on axioms of their own one that was scored; the notes say how to compare, if anything."""
    scored, (head, closeness, *others) = {row["model"] for row in archive.scored}, notes
    lines = {name: title for name, title in APPROACH_NAMES.items() if name in scored or not archive.own_axioms}
    compared = (archive.own_axioms,) if archive.own_axioms else (HOW_TO_READ, closeness)
    return View(
        "model", columns, "", lines=lines, sections=by_protocol(archive, sections), groups=GROUPS, beyond=BEYOND,
        paper=True, notes=(f"{head} {compared[0]}", *compared[1:], *others),
    )  # fmt: skip


def _networks_view(archive: Archive, columns: Sequence[Number], lines=NETWORKS, **more: Any) -> View:
    """A line a network, the best first."""
    return View("model", columns, "", lines=lines, paper=True, **{"sections": by_protocol(archive, {"": {}}), **more})


@table("headline", "The results in short", "results")
def headline(archive: Archive) -> View:
    return _networks_view(archive, HEADLINES, notes=(archive.own_axioms or HOW_TO_READ,))


@table("table-3", "Table 3. Generalization to unseen equations of known depths", "results")
def table_3(archive: Archive) -> Table | None:
    splits = archive.shown(GENERALIZATION, STRICT) or (GENERALIZATION,)
    close, close_depth, close_error = (TOLERANCES[GENERALIZATION, each] for each in (ACCURACY, depth_measure(2), MSE))
    notes = (
        "Accuracy on symbolic equations in per cent, over all (Sym) and by depth; F Eval is the mean squared error "
        "of function evaluations.",
        f"Close: Sym within {close:.1f} point, depths 2 to 4 within {close_depth:g}, MSE within {close_error:g}. "
        "Depth 1, a handful of equations, is not judged. The test-set size of F Eval counts numeric equations of both "
        "labels; the error is that on the correct function evaluations among them.",
        "In the strict split, equations that are equal up to mirroring and renaming of variables stay on the same "
        "side; the paper has no such numbers.",
        SYMPY_NOTE,
        *archive.gaps(*splits),
    )
    view = _approaches_view(archive, TABLE_3_COLUMNS, _sections(splits, CHOICES), notes)
    if (found := view_table(view, archive)) is None:
        return None
    sized = [
        section._replace(rows=[_sizes(archive.under(where["protocol"]), where["split"]), *section.rows])
        for section, where in zip(found.sections, view.sections.values(), strict=True)
    ]
    return found._replace(sections=sized)


def _sizes(archive: Archive, split: str) -> Line:
    """How many test equations each column has in the first seed there is: ours, and in brackets the paper's."""
    rows, texts = sorted(select(archive.whole, split=split), key=lambda row: row["seed"]), []
    keys = {ACCURACY.name: "count", MSE.name: "count_mse_all"}
    reported = paper.TABLE_3_TEST_SIZES if split == GENERALIZATION and not archive.own_axioms else None
    for name in (number.name for number in TABLE_3_COLUMNS):
        key = keys.get(name, f"count_{name}")
        ours = next((f"{row[key]:,}" for row in rows if row.get(key) is not None), NOTHING)
        theirs = getattr(reported, name, None)
        texts.append(ours if theirs is None else f"{ours} ({theirs:,})")
    return Line("Test set size", texts, -1)


@table("table-4", "Table 4. Extrapolation to an unseen depth", "results")
def table_4(archive: Archive) -> View:
    splits = archive.shown(*HALVES) or tuple(HALVES)
    columns = [
        Number(f"{measure.title.capitalize()}, {HALVES[split]}", measure, {"split": split})
        for split, measure in itertools.product(splits, (ACCURACY, PRECISION, RECALL))
    ]
    notes = (
        "All numbers in per cent.",
        f"Close: within {TOLERANCES[DEPTH_4_OUT, ACCURACY]:g} points. The paper's row of TreeLSTM + data is the "
        "poster's, and its accuracies disagree with its own precisions and recalls.",
        SYMPY_NOTE,
        *archive.gaps(*splits),
    )
    sections = {f"Train depths → test depth, {CHOICE_TITLES[choice]}": {"choice": choice} for choice in CHOICES}
    return _approaches_view(archive, columns, sections, notes)


def trained(rows: Iterable[Row], but: Container[str] = ()) -> dict[str, str]:
    """The titles of the networks of some rows, in their order."""
    names = {row["model"] for row in rows}
    return {model.name: model.title for model in MODELS.values() if model.name in names and model.name not in but}


@table("table-protocol", "Every network at the paper's own protocol", "results", [PAPERS], folded=True)
def protocol_table(archive: Archive) -> View | None:
    """The headline numbers at the paper's own protocol."""
    rows = archive.under(PAPERS).whole
    if not rows:
        return None
    diverged = ", ".join(f"{row['model']} {row['split']} {row['seed']}" for row in rows if row.get("diverged"))
    used = make_configuration(rows[0]["model"], rows[0]["split"], rows[0]["seed"], **settings_of(rows[0]))
    settings = ", ".join(f"{name.replace('_', ' ')} {getattr(used, name)}" for name in PRESETS[PAPER])
    notes = (
        f"Settings of all networks, one point of the paper's grid: {settings}. Ours are still that dev chooses the "
        "epoch, and what the paper leaves open: leaves, masks of dropout, a linear decoder.",
        archive.own_axioms or HOW_TO_READ,
        *([f"Diverged: {diverged}."] if diverged else ()),
    )
    columns = (HEADLINES[0], TRIED[0], *HEADLINES[1:])
    sections = {CHOICE_TITLES[choice].capitalize(): {"choice": choice, "protocol": PAPERS} for choice in CHOICES}
    return _networks_view(archive, columns, sections=sections, notes=notes)


EVALUATION = (
    Number("MSE, function evaluations", MSE, decimals=4),
    Number("MSE, all numeric equations", MSE_ALL, decimals=4),
    Number("Accuracy, right or wrong", EVALUATION_ACCURACY, source=POSTER),
)


@table("table-evaluation", "Function evaluation, three ways to measure it", "results", folded=True)
def evaluation_table(archive: Archive) -> View:
    """The error on evaluations, the one on all numeric equations, and the poster's accuracy."""
    lines = {model.name: model.title for model in paper_models() if model.has_data}
    sections = _sections((GENERALIZATION, STRICT), (DEV_CHOSEN,))
    note = (
        "The paper does not say which MSE it prints. The poster reports how many numeric equations are told right from "
        "wrong; ours compares the decoded value with the literal, with a threshold chosen on dev."
    )
    return _networks_view(archive, EVALUATION, lines, sections=sections, beyond=2, notes=(note,))


COSTS = (
    Number("parameters", "parameters", decimals=0),
    Number("best epoch", "best_epoch", decimals=0),
    Number("training (s)", "train_seconds", decimals=0),
    *(Number(f"to {goal} % on dev (s)", f"seconds_to_{goal}", decimals=0) for goal in (90, 95, 97)),
    Number("equations/s", "equations_per_second", decimals=0),
    Number("memory (MB)", "peak_memory_mb", decimals=0),
)


@table("table-cost", "What the models cost", "run")
def cost_table(archive: Archive) -> View | None:
    """What each model costs on the random split: parameters, time, speed, memory."""
    lines = trained(select(archive.whole, split=GENERALIZATION))
    note = (
        "Random split, mean ± standard deviation over seeds, as measured when the runs were made; times to an accuracy "
        "are over the seeds that reach it."
    )
    where = {"split": GENERALIZATION}
    return View("model", COSTS, "", lines=lines, where=where, beyond=1, notes=(note,)) if lines else None


@table("table-textbook", "The networks on equations of textbooks", "results", needs=(TEXTBOOK,))
def textbook_table(archive: Archive) -> Table:
    """How much of mathematics as people write it each kept network gets right."""
    lines = []
    for row in sorted(archive.rows("textbook"), key=lambda row: list(MODELS).index(row["model"])):
        counts = [(row[f"{kind}_right"], row[kind]) for kind in ("identities", "near_misses")]
        right, read = (sum(each) for each in zip(*counts, strict=True))
        shown = (f"{of_kind} of {count}" for of_kind, count in counts)
        on_test = archive.under(OURS).values(row["model"], row["split"], ACCURACY).get(row["seed"])
        cells = (*shown, f"{100 * right / read:.1f}", str(row["listed"] - read))
        lines.append(Line(MODELS[row["model"]].title, (*cells, NOTHING if on_test is None else f"{on_test:.1f}")))
    headings = ("Network", "Identities called correct", "Near misses called incorrect", "Right, %", "Not read",
                "Right on its test set, %")  # fmt: skip
    note = (
        "Networks of runs/pretrained, the best seed of each on dev. No network was trained on the lists in "
        "runs/textbook, which were written by hand. A chain does not read numbers that its training does not have."
    )
    return Table([section("", headings, lines)], (note,))
