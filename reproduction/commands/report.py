"""What is made of finished data and results: `export`, `recheck`, `baselines`, and `report`, all tables and figures."""

import os
import platform
from collections import Counter
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version

from tqdm import tqdm

from .. import artifacts, benchmark
from ..completion.ranking import exported_blanks
from ..data import baselines as methods
from ..data.dataset import GENERALIZATION, SPLIT_NAMES, load, load_unsure, split_path, stored_seeds
from ..data.export import FORMATS, write_export
from ..data.function_evaluations import disagreements, judge_records, way
from ..data.splits import stored_split, twin_trouble
from ..errors import InputError, place
from ..judges.oracle import Oracle
from ..judges.sympy_pool import PATIENT_SECONDS
from ..report.page import FILES, render, rewritten_files
from ..report.registry import chosen, index, listed, write
from ..report.results import SYMPY_TIMES, read_archive
from ..rows import FINGERPRINT
from . import add_options, check_files, check_writable, progress, refuse_other_data, sympy_answers

SHOWN = 20  # disagreements
PACKAGES = ("mxnet", "mxnet-cu112", "numpy", "gluonnlp", "sympy", "mpmath", "python-flint", "matplotlib")

# ------------------------------------------------------------------------------------------------ export, recheck


def add_export(parser) -> None:
    parser.add_argument("--out", type=place, required=True, metavar="DIR", help="a new directory, or an earlier export")
    parser.add_argument("--recipe", choices=benchmark.RECIPES, default="paper", help="which data set (default: paper)")
    add_options(parser, "data", default=None, help="another data set, instead of a recipe's")
    parser.add_argument("--format", choices=FORMATS, default="jsonl", help="(default: jsonl)")
    add_options(parser, "seeds", help="seeds 0 to N-1 (default: all)")


def export(arguments) -> int:
    """Writes a data set as files for other frameworks, with a data card, Croissant metadata and a gallery."""
    data = arguments.data or benchmark.data_of(arguments.recipe)
    check_writable(arguments.out)
    if arguments.seeds and arguments.seeds > (stored := len(stored_seeds(data, GENERALIZATION))):
        raise InputError(f"--seeds {arguments.seeds}: {data} has splits of {stored} seeds")
    count = write_export(data, arguments.out, arguments.format, arguments.seeds, exported_blanks)
    print(f"{count} files of equations, README.md, gallery.html and croissant.json written to {arguments.out}")
    return 0


def add_recheck(parser) -> None:
    add_options(parser, "data", "workers")
    parser.add_argument("--fresh", action="store_true", help="ask Sympy again instead of reading its stored answers")


def recheck(arguments) -> int:
    """Judges every label of a data set again, at points that its maker did not see, and checks its splits."""
    dataset = load(arguments.data)
    records = dataset.symbolic + dataset.numeric
    if not dataset.symbolic:
        raise InputError(f"{arguments.data}: there is no symbolic equation to judge")
    for name in dataset.splits:
        for seed in stored_seeds(arguments.data, name):
            if trouble := twin_trouble(dataset, stored_split(dataset, arguments.data, name, seed), name):
                raise InputError(f"{split_path(arguments.data, name, seed)}: {trouble}")
    cache = None if arguments.fresh else sympy_answers()
    with (
        Oracle(cache, arguments.workers, thorough=True, seconds=PATIENT_SECONDS) as oracle,
        progress(len(records)) as bar,
    ):
        judgements = judge_records(records, oracle, bar.update)
    for words, count in sorted(Counter(map(way, records, judgements)).items()):
        print(f"{words:<48}{count:>8,}")
    found = disagreements(records, judgements)
    count, total = len(found), len(records)
    for disagreement in found[:SHOWN]:
        print(disagreement.text)
    if count > SHOWN:
        print(f"… and {count - SHOWN:,} more")
    print(f"{count:,} of {total:,} labels do not stand" if count else f"all {total:,} labels stand")
    return 1 if count else 0


# ------------------------------------------------------------------------------------------------ baselines


def add_baselines(parser) -> None:
    add_options(parser, "data", "workers")


def baselines(arguments) -> int:
    """Scores majority, Sympy, a bag of symbols and a lookup on every stored split.

    While the scores stay the same, the files keep Sympy's times and the machine of the first run.
    """
    data, out = arguments.data, artifacts.RUNS / "baselines.json"
    refuse_other_data(data, "")
    dataset = load(data)
    if not stored_seeds(data, GENERALIZATION):
        raise InputError(f"{data}: no splits are stored there (make them with `generate`)")
    check_writable(artifacts.RUNS)
    asked = dataset.symbolic + load_unsure(data)
    with progress(len(asked)) as bar:
        answers = methods.ask_sympy(asked, sympy_answers(), arguments.workers, bar.update)
    scores = {
        name: {
            str(seed): methods.split_scores(dataset, stored_split(dataset, data, name, seed), answers)
            for seed in stored_seeds(data, name)
        }
        for name in SPLIT_NAMES
    }
    true = [record for record in asked if record.label]
    row = {
        "data_fingerprint": dataset.fingerprint,
        "sympy": version("sympy"),
        "splits": scores,
        "sympy_answers": methods.sympy_replies(dataset.symbolic, answers),
        "true_identities_left_open": methods.true_identities_left_open(true, answers),
    }
    before = out.read_bytes() if out.is_file() else b""
    artifacts.write_sealed(out, row)
    times = methods.seconds_per_equation(dataset.symbolic, answers)
    if out.read_bytes() != before or not (artifacts.RUNS / SYMPY_TIMES).is_file():
        artifacts.write_sealed(artifacts.RUNS / SYMPY_TIMES, {FINGERPRINT: dataset.fingerprint, **times})
        artifacts.write_sealed(artifacts.RUNS / "machine.json", _machine())
    each = ", ".join(f"{1000 * seconds:.1f} ms with {way}" for way, seconds in times["all"].items())
    print(f"Sympy answered {len(asked):,} equations: {each} each; written to {out}")
    return 0


def _machine() -> dict:
    """The size of the machine and the versions of packages; nothing that names the machine."""
    packages = {}
    for name in PACKAGES:
        with suppress(PackageNotFoundError):
            packages[name] = version(name)
    return {
        "cores": os.cpu_count(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "packages": packages,
    }


# ------------------------------------------------------------------------------------------------ report


def add_report(parser) -> None:
    names = "only these, such as table-3 or figure-3a (default: all)"
    parser.add_argument("names", nargs="*", metavar="NAME", help=names)
    add_options(parser, "runs")
    parser.add_argument("--out", type=place, default=artifacts.FIGURES, metavar="DIR")
    listing = "print name, kind, needs and title of every table and figure, and stop"
    parser.add_argument("--list", action="store_true", help=listing)
    marked = "also rewrite the marked parts of these files (default: README.md and those in docs/)"
    parser.add_argument("--readme", type=place, nargs="*", metavar="FILE", help=marked)


def report(arguments) -> int:
    if arguments.list:
        print(listed())
        return 0
    check_writable(arguments.out)
    wanted, out, runs = chosen(arguments.names), arguments.out, arguments.runs
    archive, needing = read_archive(runs), [each for each in wanted if each.needs]
    if needing and not runs.is_dir():
        raise InputError(f"--runs {runs}: there is no such directory")
    if needing and all(each.missing(archive) for each in needing):
        makes_some = "`python -m reproduction study experiments` makes some"
        raise InputError(f"--runs {runs}: no results of what was asked for; {makes_some}")
    files = () if arguments.readme is None else arguments.readme or FILES
    check_files(*files)
    texts = rewritten_files(files, archive)
    made = [write(each, archive, out) for each in tqdm(wanted, unit="output", disable=None)]
    for each in made:
        if not each.is_there and (arguments.names or each.output.needs):
            print(f"{each.output.name} is left out: {each.missing}")
    if not arguments.names:
        artifacts.write_text(out / "README.md", index(made))
        artifacts.write_text(out / "report.html", render(archive, made, out))
    for path, text in texts.items():
        artifacts.write_text(path, text)
    print(f"{sum(each.is_there for each in made)} of {len(made)} tables and figures are in {out}")
    return 0
