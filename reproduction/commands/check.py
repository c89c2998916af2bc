"""`check EQUATION…`: the verdict of the judges on equations, and the evidence; no network is asked."""

import json
import sys

from ..commands import sympy_answers
from ..errors import InputError
from ..judges.oracle import CORRECT, INCORRECT, Judgement, Oracle, explanation
from ..language.printing import print_equation
from ..language.reading import Reading, read_statement

HELP = "say whether equations are correct, and why"


def add_arguments(parser) -> None:
    parser.add_argument(
        "equations", nargs="+", metavar="EQUATION", help="for instance 'sin(x)^2 + cos(x)^2 = 1', 'x != 2x' or LaTeX"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object a line")


def _negation(judgement: Judgement) -> Judgement:
    opposite = {CORRECT: INCORRECT, INCORRECT: CORRECT}
    return Judgement(opposite.get(judgement.verdict, judgement.verdict), judgement.evidence)


def _readings(texts: list[str]) -> tuple[list[Reading], list[str]]:
    """What can be read, and what is wrong with the rest."""
    readings, complaints = [], []
    for text in texts:
        try:
            readings.append(read_statement(text))
        except InputError as error:
            complaints.append(str(error))
    return readings, complaints


def _shown(reading: Reading, judgement: Judgement, as_json: bool) -> str:
    text = print_equation(reading.equation)
    if reading.is_negated:
        text, judgement = text.replace(" = ", " != "), _negation(judgement)
    if as_json:
        answer = {"equation": text, "judge_verdict": judgement.verdict.lower(), "evidence": judgement.evidence,
                  "notes": [reading.note] if reading.note else []}  # fmt: skip
        return json.dumps(answer, ensure_ascii=False)
    return f"{text}\n{judgement.verdict}: {explanation(judgement.evidence)}"


def run(arguments) -> int:
    readings, complaints = _readings(arguments.equations)
    with Oracle(sympy_answers(), thorough=True) as oracle:
        judgements = oracle.judge_many([reading.equation for reading in readings])
    for reading, judgement in zip(readings, judgements, strict=True):
        print(_shown(reading, judgement, arguments.json))
    if len(complaints) == 1:
        raise InputError(complaints[0])
    for complaint in complaints:
        sys.stderr.write(f"error: {complaint}\n")
    return 2 if complaints else 0
