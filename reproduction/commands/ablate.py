"""`ablate`: the paper's eight optimizers against each other."""

from .. import artifacts
from ..commands import add_options, check_writable, place, positive_integer
from ..models import MODELS
from ..networks.optimizer_traits import OPTIMIZERS
from ..report.figures.ablation import claim_sentence
from ..report.sweeps import ablation_sweep, write_sweep
from ..report.tables.formats import to_markdown
from ..sweeps.ablation import Ablation, final_parts
from ..sweeps.cluster import Cluster
from ..sweeps.cluster import add_arguments as add_cluster_arguments
from ..sweeps.progress import exit_code, follow
from ..sweeps.study import Study
from ..sweeps.trials import data_at

HELP = "compare the paper's eight optimizers, at its grid and at learning rates tuned on dev"


def add_arguments(parser) -> None:
    parser.add_argument("--models", nargs="+", choices=tuple(MODELS), default=["tree-lstm+data"], metavar="MODEL")
    parser.add_argument("--optimizers", nargs="+", choices=tuple(OPTIMIZERS), default=tuple(OPTIMIZERS), metavar="NAME")
    parser.add_argument(
        "--tuning-epochs", type=positive_integer, default=10, metavar="N", help="to tune a learning rate (default: 10)"
    )
    parser.add_argument("--out", type=place, default=artifacts.RUNS / "ablation", metavar="DIR", help="for the records")
    add_options(parser, "epochs", default=25, help="of a run (default: 25)")
    add_options(parser, "seeds", "split", "cell", "data", "figures")
    add_cluster_arguments(parser)


def run(arguments) -> int:
    data = data_at(arguments.data, [(arguments.split, seed) for seed in range(arguments.seeds)])
    settings = (tuple(arguments.optimizers), arguments.seeds, arguments.epochs, arguments.tuning_epochs)
    summaries, results = [], []
    check_writable(arguments.out, arguments.figures)
    with Cluster(arguments.workers, arguments.scheduler, arguments.dashboard) as cluster:
        for model in dict.fromkeys(arguments.models):
            ablation = Ablation(model, arguments.split, *settings, arguments.cell if MODELS[model].is_tree else None)
            study = Study(arguments.out / model, data, lambda trials: follow(trials, cluster))
            ablation.run(study)
            summaries.append(ablation.summary(study))
            artifacts.write_sealed(arguments.out / model / artifacts.SUMMARY, summaries[-1])
            results += study.results
    shown = [summary for summary in summaries if final_parts(summary)]
    for sweep in map(ablation_sweep, shown):
        write_sweep(sweep, arguments.figures)
        print(to_markdown(sweep.table))
    if len(shown) > 1 and (sentence := claim_sentence(shown)):
        print(sentence)
    print(f"written to {arguments.out} and {arguments.figures}")
    return exit_code(results)
