"""Answers as JSON objects: what the network and the judges say, with the formulas typeset."""

from math import isfinite
from typing import NamedTuple

from ..judges.oracle import Judgement, explanation
from ..language.expression import Equation
from ..language.grammar import CONSTANTS, FUNCTIONS, GREEK_VARIABLES, MULTIPLY
from ..language.printing import print_equation
from ..use.answers import Node
from ..use.network import Network
from .typesetting import blank_mathml, equation_mathml, expression_mathml

FILLINGS = 12
SIGNS = {**GREEK_VARIABLES, MULTIPLY: "×", "pi": "π"}


def _row(record: NamedTuple) -> dict:
    """A record as an object; JSON has no word for a number that is too large or none."""
    return {
        name: None if isinstance(value, float) and not isfinite(value) else value
        for name, value in record._asdict().items()
    }


def _node_row(node: Node) -> dict:
    """A node of the drawn tree: what stands in it, and what kind of symbol that is."""
    symbol = node.symbol
    is_variable = symbol[0].isalpha() and symbol not in FUNCTIONS and symbol not in CONSTANTS
    label = SIGNS.get(symbol, symbol.replace("-", "−"))
    return {**_row(node), "label": label, "kind": "variable" if is_variable else "symbol"}


def verification(network: Network, text: str) -> dict:
    """The probability of an equation, and of every subtree that it equals the other side, with its values."""
    [answer] = network.verify([text])
    nodes = [_node_row(node) for node in network.subtrees(text).nodes]
    return {**_row(answer), "verdict": answer.verdict, "mathml": equation_mathml(text), "nodes": nodes}


def completion(network: Network, text: str) -> dict:
    """The best fillings of a blank, each typeset, alone and in its place."""
    answer = network.complete(text, FILLINGS)
    fillings = [
        {
            **_row(filling),
            "mathml": expression_mathml(filling.expression),
            "equation_mathml": equation_mathml(filling.equation),
        }
        for filling in answer.fillings
    ]
    return {**_row(answer), "fillings": fillings, "mathml": blank_mathml(text)}


def evaluation(network: Network, text: str) -> dict:
    """The decoded and the true value of an expression."""
    return {**_row(network.evaluate(text)), "mathml": expression_mathml(text)}


def judgement_row(equation: Equation, judgement: Judgement) -> dict:
    """The judges' verdict, the evidence as a sentence, and the counterexample where there is one."""
    evidence = judgement.evidence
    return {
        "equation": print_equation(equation),
        "verdict": judgement.verdict.lower(),
        "sentence": explanation(evidence),
        "counterexample": {name: evidence[name] for name in ("point", "left", "right")} if "left" in evidence else None,
    }
