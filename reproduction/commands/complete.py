"""`complete`: what a trained model would put into the blank of an equation that a person types."""

import argparse
import json

from ..commands import add_options, extra_functions, place, sympy_answers
from ..completion.candidates import MARK, Blank, parse_blank
from ..completion.examples import numeric_example, symbolic_example
from ..completion.numeric import truth
from ..completion.runs import load_scorer
from ..completion.truth import CandidateJudge
from ..data.dataset import literal_value
from ..errors import InputError
from ..judges.balls import Valuation
from ..judges.oracle import Oracle
from ..language.expression import NUMBER
from ..language.grammar import TABLE_1_FUNCTIONS
from ..training.run_directory import FinishedRun, trained_run

HELP = "fill the blank in an equation with a trained model"
OF_TEST_EQUATIONS = ("source", "id", "removed")  # what an example has that is not typed


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run_directory", type=place, metavar="RUN", help="a directory that `train` made")
    parser.add_argument("equation", help="with a ? for the blank, for instance '4^tanh(0) = ?^x' or 'cos(-?) = -0.57'")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_options(parser, "extra-functions")


def _refuse_unknown(blank: Blank, run: FinishedRun) -> None:
    """A sentence about a symbol that a tree model has no place for; a sequence model takes anything."""
    known = run.config["functions"] + run.config["symbols"]
    for node in blank.equation.subexpressions() if known else ():
        if node.kind != NUMBER and node.symbol not in known:
            raise InputError(f"{node.symbol!r} is not known to this model (it knows {', '.join(known)})")


def _symbolic(blank: Blank, run: FinishedRun) -> dict:
    functions = tuple(run.config["functions"]) or TABLE_1_FUNCTIONS
    outcomes = CandidateJudge(functions).outcomes(blank)
    (logits,) = load_scorer(run, functions).logits([blank], lambda count: None)
    with Oracle(sympy_answers()) as oracle:
        return symbolic_example("typed", blank, logits, outcomes, functions, oracle)


def _numeric(blank: Blank, run: FinishedRun) -> dict:
    if not run.configuration.decodes:
        raise InputError(f"{run.directory}: {run.model} does not evaluate functions of numbers")
    if literal_value(blank.other_side) is None or blank.equation.variables():
        raise InputError(
            f"{blank.text}: an equation with numbers has one side that is a number written out, such as 0.57 or 1.00, "
            "no variable, and the blank on the other side"
        )
    (decoded,) = load_scorer(run, tuple(run.config["functions"])).decoded([blank])
    return numeric_example("typed", blank, decoded, truth(blank, Valuation()))


def _lines(example: dict):
    if "literal" in example:
        yield f"{'number':>8}  {'modelErr':>9}  {'trueErr':>9}"
        for row in example["predictions"]:
            mark = "fits" if row["fits"] else ""
            yield f"{row['text']:>8}  {row['model_error']:>9.1e}  {row['true_error']:>9.1e}  {mark}".rstrip()
        return
    width = max(len(row["text"]) for row in example["predictions"])
    for row in example["predictions"]:
        yield f"{row['text']:<{width}}  {row['probability']:.4f}  {row['verdict']}"
    yield f"correct candidates in all: {example['correct_candidates']}"


def run(arguments: argparse.Namespace) -> int:
    blank = parse_blank(arguments.equation, extra_functions(arguments))
    run = trained_run(arguments.run_directory)
    _refuse_unknown(blank, run)
    has_number = any(node.kind == NUMBER for node in blank.equation.subexpressions())
    example = (_numeric if has_number else _symbolic)(blank, run)
    if arguments.json:
        answer = {name: example[name] for name in example if name not in OF_TEST_EQUATIONS}
        print(json.dumps(answer, ensure_ascii=False))
    else:
        print(f"{example['equation']}   ({MARK} is the blank)", *_lines(example), sep="\n")
    return 0
