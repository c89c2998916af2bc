"""What each remedy did, seed by seed beside the reference runs, in numbers and in words."""

from collections.abc import Iterable, Sequence
from statistics import fmean

from ..completion.store import read_completion
from ..data.dataset import SPLIT_TITLES
from ..measures import ACCURACY, MSE, Measure
from ..models import MODELS
from ..sweeps.remedies import BLANKS, FIRST_ERROR, FIRST_GUESS, Remedy
from ..training.run_directory import FinishedRun
from .claims import CLAIMS, paper_value
from .results import COMPLETION, Archive

_WORDS = {ACCURACY: "test", MSE: "MSE", FIRST_GUESS: "first guess", FIRST_ERROR: "MSE of the first guess"}


def _score(run: FinishedRun, measure: Measure) -> float | None:
    completion = read_completion(run) if measure in BLANKS else None
    return (completion.measures if completion else run.measures()).get(measure)


def _dev_accuracy(run: FinishedRun) -> float:
    return run.results.dev.measures[ACCURACY]


def described(remedy: Remedy) -> str:
    return f"{MODELS[remedy.model].title}, {SPLIT_TITLES[remedy.split]}: {remedy.words}"


def remedy_result(remedy: Remedy, archive: Archive, trained: Iterable[FinishedRun]) -> dict | None:
    """What a remedy did in the seeds that have a reference run too; None without any."""
    references = {run.seed: run for run in archive.select(remedy.split, remedy.model)}
    pairs = [(references[run.seed], run) for run in trained if run.seed in references]
    pairs = [pair for pair in pairs if None not in (_score(each, remedy.measure) for each in pair)]
    if not pairs:
        return None
    seeds = [run.seed for _, run in pairs]
    place = COMPLETION if remedy.measure in BLANKS else remedy.split
    rivals = archive.values(remedy.rival, place, remedy.measure)
    result = {
        "claim": next(claim.statement for claim in CLAIMS if claim.key == remedy.claim),
        "remedy": described(remedy),
        "settings": dict(remedy.settings),
        "seeds": seeds,
        "measure": remedy.measure.name,
        "dev_accuracies": [[_dev_accuracy(run) for run in pair] for pair in pairs],
        "scores": [[_score(run, remedy.measure) for run in pair] for pair in pairs],
        "rival": MODELS[remedy.rival].title,
        "rival_scores": [rivals[seed] for seed in seeds if seed in rivals],
        "paper": paper_value(archive, remedy.model, place, remedy.measure),
    }
    return {**result, "outcome": outcome_text(result, remedy.measure)}


def _means(pairs: Sequence[Sequence[float]], decimals: int) -> str:
    return " → ".join(f"{fmean(column):.{decimals}f}" for column in zip(*pairs, strict=True))


def outcome_text(result: dict, measure: Measure) -> str:
    """`dev 97.93 → 98.10 %, test 83.92 → 84.71 % (paper 96.17 %; TreeLSTM 96.45 %); 2 seeds`."""
    dev, scores = _means(result["dev_accuracies"], ACCURACY.decimals), _means(result["scores"], measure.decimals)
    beside = [f"paper {measure.text(result['paper'])}"] if result["paper"] is not None else []
    rivals = result["rival_scores"]
    beside += [f"{result['rival']} {measure.text(fmean(rivals))}"] if rivals else []
    seeds = "one seed" if len(result["seeds"]) == 1 else f"{len(result['seeds'])} seeds"
    text = f"dev {dev}{ACCURACY.unit}, {_WORDS[measure]} {scores}{measure.unit}"
    return f"{text} ({'; '.join(beside)}); {seeds}" if beside else f"{text}; {seeds}"
