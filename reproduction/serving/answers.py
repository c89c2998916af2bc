"""Answers as JSON objects: what the network and the judges say, with the formulas typeset."""

from ..judges.oracle import Judgement, explanation
from ..language.expression import Equation
from ..language.parsing import parse_equation
from ..language.printing import print_equation
from ..use.network import Network
from .typesetting import blank_mathml, equation_mathml, expression_mathml

FILLINGS = 12


def verification(network: Network, text: str) -> dict:
    """The probability of an equation, and of every subtree that it equals the other side, with its values."""
    [answer] = network.verify([text])
    nodes = [node._asdict() for node in network.subtrees(text).nodes]
    return {**answer._asdict(), "verdict": answer.verdict, "mathml": equation_mathml(text), "nodes": nodes}


def completion(network: Network, text: str) -> dict:
    """The best fillings of a blank, each typeset, alone and in its place."""
    answer = network.complete(text, FILLINGS)
    fillings = [
        {
            **filling._asdict(),
            "mathml": expression_mathml(filling.expression),
            "equation_mathml": equation_mathml(filling.equation),
        }
        for filling in answer.fillings
    ]
    return {**answer._asdict(), "fillings": fillings, "mathml": blank_mathml(text)}


def evaluation(network: Network, text: str) -> dict:
    """The decoded and the true value of an expression."""
    return {**network.evaluate(text)._asdict(), "mathml": expression_mathml(text)}


def judgement_row(equation: Equation, judgement: Judgement) -> dict:
    """The judges' verdict, the evidence as a sentence, and the counterexample where there is one."""
    evidence = judgement.evidence
    return {
        "equation": print_equation(equation),
        "verdict": judgement.verdict.lower(),
        "sentence": explanation(evidence),
        "counterexample": {name: evidence[name] for name in ("point", "left", "right")} if "left" in evidence else None,
    }
