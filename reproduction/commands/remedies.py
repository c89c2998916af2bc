"""`remedies`: other settings for the claims that do not come back, on data that no table is made of."""

from collections.abc import Iterable
from pathlib import Path

from .. import artifacts
from ..commands import add_options, check_writable, refuse_to_lose
from ..report.remedies import described, remedy_result
from ..report.results import read_archive
from ..report.stored import Remedies, stored
from ..sweeps import experiments
from ..sweeps.cluster import add_arguments as add_cluster_arguments
from ..sweeps.cluster import asked_cluster
from ..sweeps.progress import exit_code, follow
from ..sweeps.remedies import BLANKS, DATA, REMEDIES, references, trial
from ..sweeps.trials import Trial, data_at
from ..training.run_directory import read_run
from .evaluate_completion import complete_runs

HELP = "try other settings for the claims that do not come back, on a data set on which settings may be chosen"


CLAIMS = tuple(dict.fromkeys(each.claim for each in REMEDIES))


def add_arguments(parser) -> None:
    some = f"only for some of {', '.join(CLAIMS)}; the summary has no others then"
    parser.add_argument("--claims", nargs="+", choices=CLAIMS, default=CLAIMS, metavar="CLAIM", help=some)
    add_options(parser, "seeds", "epochs")
    add_options(parser, "runs", help=f"where the data set {DATA}/ is, for remedies/ and their summary")
    add_options(parser, "replace", help="also where that takes away results that the summary holds")
    add_cluster_arguments(parser)


def _kept(path: Path) -> list[str]:
    """What the summary at this place covers."""
    rows = stored(Remedies, path).get("remedies", ())
    return [f"{row['remedy']}, seed {seed}" for row in rows for seed in row.get("seeds", ())]


def run(arguments) -> int:
    runs, root, seeds = arguments.runs, arguments.runs / "remedies", range(arguments.seeds)
    remedies = [each for each in REMEDIES if each.claim in arguments.claims]
    data = data_at(runs / DATA, {(each.split, seed) for each in remedies for seed in seeds})
    usual = {
        (each.model, each.split, seed): experiments.trial(each, root / "experiments", data, arguments.epochs)
        for seed in seeds
        for each in references(remedies, seed)
    }
    changed = {
        (each.name, seed): trial(each, seed, root, data, arguments.epochs) for seed in seeds for each in remedies
    }
    path = runs / "remedies.json"
    covered = [f"{described(each)}, seed {seed}" for each in remedies for seed in seeds]
    refuse_to_lose(path, _kept(path), covered, arguments.replace)
    check_writable(runs)
    with asked_cluster(arguments) as cluster:
        results = follow((*usual.values(), *changed.values()), cluster)
    for seed in seeds:  # the blanks of a seed are the same for all
        filled = [each for each in remedies if each.measure in BLANKS]
        beside = [usual[model, each.split, seed] for each in filled for model in (each.model, each.rival)]
        complete_runs(_recorded([*beside, *(changed[each.name, seed] for each in filled)]), data.directory)
    archive = read_archive(root)
    effects = [
        remedy_result(each, archive, map(read_run, _recorded(changed[each.name, seed] for seed in seeds)))
        for each in remedies
    ]
    content = {"data_fingerprint": data.fingerprint, "remedies": [each for each in effects if each]}
    artifacts.write_sealed(path, content)
    for each in content["remedies"]:
        print(f"{each['remedy']}: {each['outcome']}")
    return exit_code(results)


def _recorded(trials: Iterable[Trial]) -> list[Path]:
    """The directories of those that have a record, each once."""
    return list(dict.fromkeys(each.directory for each in trials if each.is_recorded))
