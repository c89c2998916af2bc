"""`check EQUATION`: the oracle's verdict on one equation, and the evidence."""

import json

from ..artifacts import CACHE
from ..commands import extra_functions
from ..judges.oracle import CORRECT, INCORRECT, Judgement, Oracle, explanation
from ..judges.sympy_pool import TIME_LIMIT_SECONDS
from ..language.parsing import parse_statement
from ..language.printing import print_equation

HELP = "say whether an equation is correct, and why"


def add_arguments(parser) -> None:
    parser.add_argument("equation", help="for instance 'sin(x)^2 + cos(x)^2 = 1'")
    parser.add_argument("--json", action="store_true", help="print one JSON object: equation, verdict, evidence")
    parser.add_argument("--extra-functions", default="", metavar="NAMES", help="switch on log, atan2 or log,atan2")


def _negation(judgement: Judgement) -> Judgement:
    opposite = {CORRECT: INCORRECT, INCORRECT: CORRECT}
    return Judgement(opposite.get(judgement.verdict, judgement.verdict), judgement.evidence)


def run(arguments) -> int:
    equation, negated = parse_statement(arguments.equation, extra_functions(arguments))
    with Oracle(CACHE / "sympy.sqlite", seconds=TIME_LIMIT_SECONDS) as oracle:
        judgement = oracle.judge(equation)
    judgement = _negation(judgement) if negated else judgement
    text = print_equation(equation).replace(" = ", " != ") if negated else print_equation(equation)
    if arguments.json:
        answer = {"equation": text, "verdict": judgement.verdict, "evidence": judgement.evidence}
        print(json.dumps(answer, ensure_ascii=False))
    else:
        print(f"{text}\n{judgement.verdict}: {explanation(judgement.evidence)}")
    return 0
