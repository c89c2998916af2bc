"""`check EQUATION`: the oracle's verdict on one equation, and the evidence."""

import json

from ..commands import add_options, extra_functions, sympy_answers
from ..judges.oracle import CORRECT, INCORRECT, Judgement, Oracle, explanation
from ..language.parsing import parse_statement
from ..language.printing import print_equation

HELP = "say whether an equation is correct, and why"


def add_arguments(parser) -> None:
    parser.add_argument("equation", help="for instance 'sin(x)^2 + cos(x)^2 = 1'")
    parser.add_argument("--json", action="store_true", help="print one JSON object: equation, verdict, evidence")
    add_options(parser, "extra-functions")


def _negation(judgement: Judgement) -> Judgement:
    opposite = {CORRECT: INCORRECT, INCORRECT: CORRECT}
    return Judgement(opposite.get(judgement.verdict, judgement.verdict), judgement.evidence)


def run(arguments) -> int:
    equation, negated = parse_statement(arguments.equation, extra_functions(arguments))
    with Oracle(sympy_answers(), thorough=True) as oracle:
        judgement = oracle.judge(equation)
    judgement = _negation(judgement) if negated else judgement
    text = print_equation(equation).replace(" = ", " != ") if negated else print_equation(equation)
    if arguments.json:
        answer = {"equation": text, "verdict": judgement.verdict, "evidence": judgement.evidence}
        print(json.dumps(answer, ensure_ascii=False))
    else:
        print(f"{text}\n{judgement.verdict}: {explanation(judgement.evidence)}")
    return 0
