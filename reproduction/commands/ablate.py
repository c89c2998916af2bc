"""`ablate`: optimizers against each other, on some networks or all."""

from pathlib import Path

from .. import artifacts
from ..commands import add_options, check_writable, number_of_epochs, place, refuse_to_lose
from ..models import MODELS
from ..networks.optimizer_traits import OPTIMIZERS, PAPER_OPTIMIZERS, check_choice
from ..report.stored import Ablation as Stored
from ..report.stored import stored, summaries
from ..report.sweeps import ablation_sweeps, write_sweep
from ..report.tables.formats import to_markdown
from ..sweeps.ablation import BATCH_SIZES, BATCHES, GRID, LARGE, SMALL, TUNED, Ablation, covered, regimes
from ..sweeps.cluster import add_arguments as add_cluster_arguments
from ..sweeps.cluster import asked_cluster
from ..sweeps.progress import exit_code, follow, say
from ..sweeps.study import Study
from ..sweeps.trials import data_at

HELP = "compare the paper's eight optimizers, at its grid and at learning rates tuned on dev"


def add_arguments(parser) -> None:
    more = [name for name in OPTIMIZERS if name not in PAPER_OPTIMIZERS]
    names = f"(default: the paper's eight; {', '.join(more)} are there, too)"
    batches = f"small: {BATCH_SIZES[SMALL]}, with the paper's grid; large: {BATCH_SIZES[LARGE]} (default: both)"
    parser.add_argument("--models", nargs="+", choices=tuple(MODELS), default=tuple(MODELS), metavar="MODEL")
    parser.add_argument("--optimizers", nargs="+", default=PAPER_OPTIMIZERS, metavar="NAME", help=names)
    parser.add_argument("--batches", nargs="+", choices=BATCHES, default=BATCHES, help=batches)
    parser.add_argument("--tuning-epochs", type=number_of_epochs, metavar="N", help="to tune a learning rate")
    parser.add_argument("--out", type=place, default=artifacts.RUNS / "ablation", metavar="DIR", help="for the records")
    add_options(parser, "seeds", "split", "cell", "data", "figures", "epochs")
    add_options(parser, "replace", help="also where that takes away results that the summary holds")
    add_cluster_arguments(parser)


def asked_ablation(arguments, model: str) -> Ablation:
    """The ablation of one model that the command line asks for."""
    for name in arguments.optimizers:
        check_choice(name, 0.0)
    lengths = regimes(model, arguments.batches, arguments.epochs, arguments.tuning_epochs)
    cell = arguments.cell if MODELS[model].is_tree else None
    return Ablation(model, arguments.split, tuple(arguments.optimizers), arguments.seeds, lengths, cell)


def _kept(path: Path) -> list[str]:
    """What the summary at this place covers."""
    rows = stored(Stored, path).get("rows", ())
    return [
        covered(*(row.get(name) for name in ("optimizer", "batch_size", "epochs", "seed")))
        for row in rows
        if row["part"] in (GRID, TUNED)
    ]


def run(arguments) -> int:
    data = data_at(arguments.data, [(arguments.split, seed) for seed in range(arguments.seeds)])
    models, results = tuple(dict.fromkeys(arguments.models)), []
    ablations = {model: asked_ablation(arguments, model) for model in models}
    for model, ablation in ablations.items():
        path = arguments.out / model / artifacts.SUMMARY
        refuse_to_lose(path, _kept(path), ablation.covered(), arguments.replace)
    check_writable(arguments.out, arguments.figures)
    with asked_cluster(arguments) as cluster:
        for number, (model, ablation) in enumerate(ablations.items(), 1):
            say(f"{model}, network {number} of {len(models)}")
            study = Study(arguments.out / model, data, lambda trials: follow(trials, cluster))
            ablation.run(study)
            artifacts.write_sealed(arguments.out / model / artifacts.SUMMARY, ablation.summary(study))
            results += study.results
    for sweep in ablation_sweeps(summaries(Stored, arguments.out)):
        write_sweep(sweep, arguments.figures)
        print(to_markdown(sweep.table))
    print(f"written to {arguments.out} and {arguments.figures}")
    return exit_code(results)
