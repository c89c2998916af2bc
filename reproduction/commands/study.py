"""Many trainings: `study NAME` makes them and their rows, `score` fills blanks with them, `keep-best` chooses some."""

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from pathlib import Path

from tqdm import tqdm

from .. import artifacts, benchmark
from ..artifacts import owned
from ..completion.evaluation import Task, evaluate, make_task
from ..completion.store import heading, is_done, write_results
from ..data import dataset
from ..data.axioms import Axiom, chosen, read_axioms, read_textbook
from ..data.dataset import GENERALIZATION, SPLIT_NAMES, STRICT
from ..data.manifest import is_whole, read_manifest
from ..data.splits import stored_split
from ..errors import InputError, place, positive_integer, whole_number
from ..judges.oracle import Oracle
from ..language.expression import Equation
from ..paper import SYMBOLIC_BY_DEPTH
from ..report.outputs.leaderboard import compared, standings
from ..report.results import read_archive
from ..rows import FINGERPRINT, Row, merged, read_rows, rows_file, write_rows
from ..studies import cluster
from ..studies.core import studies, trained
from ..studies.running import record_scores, run_study
from ..training.configuration import MOST_EPOCHS
from ..training.run_directory import CHECKSUM, CONFIG, DEEP, HISTORY, PARAMETERS, RESULTS, FinishedRun, trained_run
from ..use.consistency import CHANGES, CONSISTENCY, rows_of
from ..use.network import SHOWCASE, Found, Network, find_network
from . import add_options, check_writable, refuse_other_data, seeds, sympy_answers
from .data import add_generate, add_import_authors, generate, import_authors

FORM = """A line of a file of predictions is {"id": "s17", "probability": 0.93}, one for each symbolic equation of the
test part (null for undecided, which is wrong). A correct numeric equation may have {"id": "n5", "decoded": 0.6}, the
number that its other side is: then the mean squared error is computed, too. With --completion a line is
{"id": "s17", "guesses": ["x", "2", "sin(x)"]}, for each line of blanks.jsonl, the best guess first."""

BLANKS, DEEPER, TEXTBOOK = "blanks", "deep", "textbook"
DEEPEST = max(SYMBOLIC_BY_DEPTH)
PRETRAINED = "pretrained"
VERDICTS, KINDS = ("incorrect", "correct"), ("near_misses", "identities")  # by label
EXPERIMENTS = "experiments"  # the study whose trainings are scored, and whose rows get the scores
KEPT = (CONFIG, HISTORY, PARAMETERS, CHECKSUM, RESULTS)  # the results last, as everywhere

# ------------------------------------------------------------------------------------------------ study


def add_study(parser: argparse.ArgumentParser) -> None:
    names = parser.add_subparsers(dest="study", metavar="NAME", required=True, title="studies")
    for each in studies().values():
        below = names.add_parser(each.name, help=each.help, description=each.help, allow_abbrev=False)
        each.options(below)
        text = f"seeds 0 to N-1, or A to B (default: {each.seeds})" if each.seeds else "without effect: see --seed"
        below.add_argument("--seeds", type=seeds, default=str(each.seeds or 1), metavar="N|A-B", help=text)
        epochs = "another number of epochs than each network's own, as a trial"
        below.add_argument("--epochs", type=whole_number(1, MOST_EPOCHS), metavar="N", help=epochs)
        add_options(below, "data")
        add_options(below, "runs", help="for the rows and the trainings (default: the workspace's)")
        add_options(below, "replace", help="also if that removes rows or changes their settings")
        cluster.add_arguments(below)
        if artifacts.IS_SMOKE:
            below.set_defaults(**each.smoke)


def study(arguments: argparse.Namespace) -> int:
    """Makes the trainings of a study and their rows; finished ones are recognised, interrupted ones go on."""
    asked = studies()[arguments.study]
    if artifacts.resolved(arguments.runs) == artifacts.resolved(artifacts.RUNS):
        refuse_other_data(arguments.data, "name a directory for the rows with --runs, or ")
    check_writable(arguments.runs)
    for name, words in asked.data_sets(arguments).items():
        _make_data(arguments.runs / name, words)
    with cluster.asked_cluster(arguments) as machines:
        return run_study(asked, arguments, machines, complete_runs)


def _make_data(directory: Path, words: Sequence[str]) -> None:
    """Makes a data set by `generate` or `import-authors`; an existing one is kept unless the words say --replace."""
    if is_whole(directory) and "--replace" not in words:
        print(f"{directory}: this data set is kept")
        return
    parser = argparse.ArgumentParser()
    add, make = {"generate": (add_generate, generate), "import-authors": (add_import_authors, import_authors)}[words[0]]
    add(parser)
    make(parser.parse_args([*words[1:], f"--out={directory}"]))


# ------------------------------------------------------------------------------------------------ score


def add_score(parser: argparse.ArgumentParser) -> None:
    parser.epilog = FORM
    runs = "directories that `train` made (default: the experiments), or a JSON-lines file of predictions"
    parser.add_argument("run_directories", type=place, nargs="*", metavar="RUN_OR_FILE", help=runs)
    only = (
        "blanks, deeper equations, equations of runs/textbook, or consistency: verdicts that change though the truth "
        "does not (the last two by default of the networks of runs/pretrained)"
    )
    parser.add_argument("--only", choices=(BLANKS, DEEPER, TEXTBOOK, CONSISTENCY), help=only)
    add_options(parser, "data", "runs")
    made = "the deeper equations, which `generate --deep` makes (default: the workspace's runs/data-deep)"
    parser.add_argument("--deep-data", type=place, default=artifacts.RUNS / "data-deep", metavar="DIR", help=made)
    limit = "only the first N blanks, as a trial"
    parser.add_argument("--limit", type=positive_integer, metavar="N", help=limit)
    parser.add_argument("--again", action="store_true", help="score runs again that have their scores")
    file = parser.add_argument_group("for a file of predictions")
    file.add_argument("--split", choices=SPLIT_NAMES, default=STRICT, help="(default: strict)")
    add_options(file, "seed", help="of the split (default: 0)")
    file.add_argument("--recipe", choices=benchmark.RECIPES, default=benchmark.PAPER, help="(default: paper)")
    file.add_argument("--completion", action="store_true", help="the file has guesses for blanks")
    file.add_argument("--json", action="store_true", help="one JSON object instead of a table")


def score(arguments: argparse.Namespace) -> int:
    """Scores finished runs on blanks and deeper equations, or a file of anybody's predictions."""
    files = [path for path in arguments.run_directories if path.is_file() or path.suffix in (".jsonl", ".gz")]
    if files:
        if len(arguments.run_directories) > 1:
            raise InputError(f"{files[0]}: a file of predictions is scored alone, name nothing beside it")
        _score_file(files[0], arguments)
        return 0
    if arguments.only == TEXTBOOK:
        _score_textbook(arguments)
        return 0
    if arguments.only == CONSISTENCY:
        _score_consistency(arguments)
        return 0
    blanks = deeper = None
    if arguments.only != DEEPER:
        blanks = _chosen(arguments, SPLIT_NAMES if arguments.run_directories else (GENERALIZATION,))
        complete_runs([run.directory for run in blanks], arguments.data, arguments.limit, arguments.again)
    if arguments.only == DEEPER or (arguments.only is None and arguments.deep_data.is_dir()):
        deeper = _chosen(arguments, (GENERALIZATION, STRICT))
        _score_deep(deeper, arguments.deep_data, arguments.again)
    if not blanks and not deeper:
        raise InputError(f"{arguments.runs}: there is no finished training with its parameters to score")
    record_scores(arguments.runs, studies()[EXPERIMENTS])
    return 0


def _chosen(arguments: argparse.Namespace, splits: Sequence[str]) -> list[FinishedRun]:
    """The named runs, or the experiments on these splits, by seed: runs of one seed share their blanks."""
    if arguments.run_directories:
        runs = [trained_run(directory) for directory in arguments.run_directories]
        return [run for run in runs if run.split in splits]
    return sorted(_experiments(arguments.runs, splits), key=lambda run: run.seed)


def _experiments(runs: Path, splits: Sequence[str]) -> list[FinishedRun]:
    """The experiments on whole training sets of these splits whose parameters are there."""
    rows = [(row, run) for row, run in trained(runs, EXPERIMENTS) if (run.directory / PARAMETERS).is_file()]
    return [run for row, run in rows if row["split"] in splits and row.get("fraction", 1) == 1]


def complete_runs(directories: Iterable[Path], data: Path, limit: int | None = None, again: bool = False) -> None:
    """Writes completion.json into the directories that lack it, or into all of them again."""
    records = dataset.load(data)
    watch = partial(tqdm, desc="truth", unit="blank", disable=None)

    @lru_cache(maxsize=1)
    def task_of(name: str, seed: int) -> Task:
        return make_task(records, stored_split(records, data, name, seed), artifacts.CACHE, limit, watch)

    for directory in directories:
        run = trained_run(directory)
        if run.data_fingerprint != records.fingerprint:
            raise InputError(f"{directory}: learned from another data set than {data} (name its own with --data)")
        head = heading(run, records, limit)
        if not again and is_done(directory, head):
            print(f"{directory}: done already")
            continue
        task = task_of(run.split, run.seed)
        if task.split.checksum != run.split_checksum:
            raise InputError(f"{directory}: learned from another split {run.split} of seed {run.seed} than {data} has")
        with owned(directory):
            _fill_blanks(run, task, head)


def _fill_blanks(run: FinishedRun, task: Task, head: dict) -> None:
    from ..completion.scorers import load_scorer  # MXNet takes two seconds to import

    started = time.monotonic()
    scorer = load_scorer(run, task.dataset.functions)
    bar = tqdm(total=len(task.symbolic), desc=run.directory.name, unit="blank", disable=None)
    with Oracle(sympy_answers()) as oracle, bar:
        results, examples = evaluate(task, scorer, run.configuration.decodes, oracle, artifacts.CACHE, bar.update)
    write_results(run.directory, head, results, examples)
    print(f"{run.directory}: {_sentence(results)}; {time.monotonic() - started:.0f} s")


def _sentence(results: dict) -> str:
    symbolic, numeric = results["symbolic"], results["numeric"]
    shares, usual = symbolic["top_k"], symbolic["most_frequent"]["top_k"]
    text = (
        f"{symbolic['equations']} blanks: top-1 accuracy {100 * shares[0]:.2f} %, top-10 {100 * shares[-1]:.2f} % "
        f"(most frequent first: {100 * usual[0]:.2f} %, {100 * usual[-1]:.2f} %), "
        f"mean reciprocal rank {symbolic['mean_reciprocal_rank']:.4f}"
    )
    if numeric:
        errors = numeric["top_k_mse"]
        text += f"; {numeric['equations']} numbers: top-1 MSE {errors[0]:.4f}, top-10 MSE {errors[-1]:.6f}"
    return text


def _score_deep(runs: Iterable[FinishedRun], data: Path, again: bool) -> None:
    """Writes deep.json, accuracy and number of equations by depth, into the directory of every run."""
    if not data.is_dir():
        raise InputError(f"{data}: there are no deeper equations; `python -m reproduction generate --deep` makes them")
    records = dataset.load(data)
    if not any(record.depth > DEEPEST for record in records.symbolic):
        raise InputError(f"{data}: no equation there is deeper than {DEEPEST}")
    from ..training.learners import evaluate_run  # MXNet takes two seconds to import

    for run in runs:
        if not again and run.stored_deep and run.stored_deep.data_fingerprint == records.fingerprint:
            print(f"{run.directory}: deeper equations are done already")
            continue
        by_depth = evaluate_run(run, records, data)["all"]["symbolic"]["by_depth"]
        deep = {depth: row for depth, row in by_depth.items() if int(depth) > DEEPEST}
        scores = {"run": run.results.run, "data_fingerprint": records.fingerprint, "by_depth": deep}
        with owned(run.directory):
            artifacts.write_sealed(run.directory / DEEP, scores)
        told = (f"depth {depth} {100 * row['accuracy']:.2f} %" for depth, row in deep.items())
        print(f"{run.directory}: {', '.join(told)}")


def _pretrained() -> list[Path]:
    """The directories of the networks that `keep-best` kept."""
    if not (kept := sorted((artifacts.RUNS / PRETRAINED).glob(f"*/{PARAMETERS}"))):
        raise InputError(f"{artifacts.RUNS / PRETRAINED}: there is no trained network; name the directory of a run")
    return [path.parent for path in kept]


def _score_textbook(arguments: argparse.Namespace) -> None:
    """Writes a row for each network: how many equations of the textbook's two lists it can read and judges rightly."""
    listed, rows = read_textbook(), []
    for directory in arguments.run_directories or _pretrained():
        network = Network(found := find_network(directory))
        counts: Counter[str] = Counter()
        for each in listed:
            with suppress(InputError):  # chains do not know every number
                (answer,) = network.verify([each.equation])
                name = KINDS[each.label]
                counts += Counter({name: 1, f"{name}_right": answer.network_verdict == VERDICTS[each.label]})
        run = found.run
        row = {"study": TEXTBOOK, "model": run.model, "split": run.split, "seed": run.seed, "data": "data", **counts}
        rows.append({**row, "listed": len(listed), FINGERPRINT: run.data_fingerprint})
        told = (f"{counts[f'{name}_right']} of {counts[name]} {name.replace('_', ' ')}" for name in KINDS)
        print(f"{found.name}: {', '.join(told)} right")
    write_rows(rows_file(arguments.runs, TEXTBOOK), rows)


def _score_consistency(arguments: argparse.Namespace) -> None:
    """A row a network and change; those of networks that are named come beside the others."""
    if artifacts.resolved(arguments.runs) == artifacts.resolved(artifacts.RUNS):
        refuse_other_data(arguments.data, "name a directory for the rows with --runs, or ")
    records, axioms = dataset.load(arguments.data), read_axioms(artifacts.AXIOMS)
    if marks := (read_manifest(arguments.data).made_with.get("recipe") or {}).get("marks"):
        axioms = chosen(axioms, marks)
    showcase = [artifacts.RUNS / SHOWCASE] if (artifacts.RUNS / SHOWCASE).is_dir() else []
    networks = [find_network(each) for each in arguments.run_directories or [*_pretrained(), *showcase]]
    rows = [row for each in networks for row in _consistency(each, records, arguments.data, axioms)]
    path = rows_file(arguments.runs, CONSISTENCY)
    kept = read_rows(path) if arguments.run_directories else []
    write_rows(path, merged(kept, rows, ("network", "split", "seed", "part")))


def _consistency(found: Found, records: dataset.Dataset, data: Path, axioms: Sequence[Axiom]) -> list[Row]:
    """The rows of one network, told in a line."""
    network = Network(found)

    def ask(equations: Sequence[Equation]) -> list[float | None]:
        return [said.probability for said in network.verify(equations)]

    own = {"network": found.name, "title": found.title}
    rows = [{**row, **own} for row in rows_of(found.run, found.knowledge, ask, records, data, axioms)]
    shares = {row["part"]: 100 * (row["lost"] + row["won"]) / row["count"] for row in rows if "lost" in row}
    print(f"{found.name}: {', '.join(f'{CHANGES[name].title} {share:.1f} %' for name, share in shares.items())}")
    return rows


def _score_file(path: Path, arguments: argparse.Namespace) -> None:
    """Prints the scores of a file of predictions beside those of all others on the same equations."""
    data, split, seed = benchmark.load(arguments.recipe), arguments.split, arguments.seed
    scores = (data.score_completion if arguments.completion else data.score)(path, split, seed)
    if arguments.json:
        print(json.dumps({name: scored._asdict() for name, scored in scores.items()}))
        return
    print(f"{path}: {split} split, seed {seed}")
    others = {each.title: each.seed(split, seed) for each in standings(read_archive(data.directory.parent))}
    print("\n".join(compared(f"> {path.name}", scores, others)))


# ------------------------------------------------------------------------------------------------ keep-best


def add_keep_best(parser) -> None:
    add_options(parser, "runs")
    parser.add_argument("--out", type=place, default=artifacts.RUNS / PRETRAINED, metavar="DIR")


def keep_best(arguments) -> int:
    """Copies, for each network, the run that is best on dev to runs/pretrained."""
    best: dict[str, FinishedRun] = {}
    for run in _experiments(arguments.runs, (GENERALIZATION,)):
        best[run.model] = max(best.get(run.model, run), run, key=_dev_score)
    if not best:
        raise InputError(f"{arguments.runs}: there is no finished training on the random split with its parameters")
    check_writable(arguments.out)
    for model, run in best.items():
        for name in KEPT:
            artifacts.write_bytes(arguments.out / model / name, (run.directory / name).read_bytes())
        print(f"{arguments.out / model}: seed {run.seed}, {run.summary}")
    return 0


def _dev_score(run: FinishedRun) -> float:
    """Accuracy minus error of evaluations: epochs are chosen by it, too."""
    evaluations = run.results.dev.evaluations
    return run.results.dev.symbolic.accuracy - ((evaluations and evaluations.mse) or 0.0)
