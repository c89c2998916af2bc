"""`ablate`: the paper's eight optimizers against each other."""

import sys
from pathlib import Path

from .. import artifacts
from ..commands import positive_integer
from ..data.dataset import SPLIT_NAMES
from ..models import MODELS
from ..networks.optimizer_traits import OPTIMIZERS
from ..report.figures.ablation import claim_sentence
from ..report.sweeps import ablation_sweep, write_sweep
from ..report.tables.formats import to_markdown
from ..sweeps.ablation import Ablation, Sweep, final_parts, summary
from ..sweeps.cluster import Cluster
from ..sweeps.cluster import add_arguments as add_cluster_arguments
from ..sweeps.progress import failures, follow
from ..sweeps.trials import Data, data_at

HELP = "compare the paper's eight optimizers, at its grid and at learning rates tuned on dev"


def add_arguments(parser) -> None:
    parser.add_argument("--models", nargs="+", choices=tuple(MODELS), default=["tree-lstm+data"], metavar="MODEL")
    parser.add_argument("--optimizers", nargs="+", choices=tuple(OPTIMIZERS), default=tuple(OPTIMIZERS), metavar="NAME")
    parser.add_argument("--seeds", type=positive_integer, default=1, metavar="N", help="seeds 0 to N-1 (default: 1)")
    parser.add_argument("--epochs", type=positive_integer, default=25, metavar="N", help="of a run (default: 25)")
    parser.add_argument(
        "--tuning-epochs", type=positive_integer, default=10, metavar="N", help="to tune a learning rate (default: 10)"
    )
    parser.add_argument("--split", choices=SPLIT_NAMES, default="generalization")
    parser.add_argument("--data", type=Path, default=artifacts.DATA, metavar="DIR", help="the data set")
    parser.add_argument("--out", type=Path, default=artifacts.RUNS / "ablation", metavar="DIR", help="for the records")
    parser.add_argument("--figures", type=Path, default=artifacts.FIGURES, metavar="DIR", help="for table and figure")
    add_cluster_arguments(parser)


def sweep(model: str, arguments, data: Data, cluster: Cluster) -> tuple[dict, list[str]]:
    """The summary of one model's ablation, and a line for every trial that failed."""
    ablation = Ablation(
        model, arguments.split, tuple(arguments.optimizers), arguments.seeds, arguments.epochs, arguments.tuning_epochs
    )
    root = arguments.out / model
    work = Sweep(ablation, root, data, lambda trials: follow(trials, cluster))
    work.run()
    content = summary(ablation, data, work.rows)
    artifacts.write_json(root / artifacts.SUMMARY, content)
    return content, failures(work.outcomes)


def run(arguments) -> int:
    data = data_at(arguments.data, [(arguments.split, seed) for seed in range(arguments.seeds)])
    contents, failed = [], []
    with Cluster(arguments.workers, arguments.scheduler, arguments.dashboard) as cluster:
        for model in dict.fromkeys(arguments.models):
            content, lines = sweep(model, arguments, data, cluster)
            failed += lines
            if final_parts(content):
                contents.append(content)
    for made in map(ablation_sweep, contents):
        write_sweep(made, arguments.figures)
        print(to_markdown(made.table))
    if len(contents) > 1 and (sentence := claim_sentence(contents)):
        print(sentence)
    for line in failed:
        print(line, file=sys.stderr)
    print(f"written to {arguments.out} and {arguments.figures}")
    return 1 if failed else 0
