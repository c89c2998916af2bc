"""Identities that nobody listed: many small expressions grouped by their values, and claims that values settle.

forms.txt has expressions and claims with f, g and h for functions; every choice of functions is one to be looked at.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations, permutations, product
from pathlib import Path
from random import Random

from .. import artifacts
from ..language.expression import Equation, Expression
from ..language.grammar import CIRCULAR, UNARY
from ..language.parsing import parse_equation, parse_expression
from .values import signatures

FORMS = Path(__file__).with_name("forms.txt")
NAMES = tuple(function.name for function in UNARY)
WITH_SPECIAL_VALUES = (*CIRCULAR, *(f"a{name}" for name in CIRCULAR), "sinh", "cosh", "tanh", "exp", "asinh", "atanh")
FAMILIES = (CIRCULAR, (*(f"{name}h" for name in CIRCULAR), "exp"))
PAIRS_OF_A_GROUP = 60
POINTS_SHARE = 0.15  # of claims about values at points, against those about pairs of functions

_PLACEHOLDER = re.compile(r"\b[fgh](?=\()")


def read_forms(path: Path = FORMS) -> dict[str, list[str]]:
    """The texts of each section."""
    forms: dict[str, list[str]] = defaultdict(list)
    section = ""
    for line in artifacts.read_text(path).splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif line and not line.startswith("#"):
            forms[section].append(line)
    return forms


def filled(form: str, *functions: str) -> str:
    """The form with these functions for f, g and h."""
    named = dict(zip("fgh", functions, strict=False))
    return _PLACEHOLDER.sub(lambda found: named[found[0]], form)


def _texts(forms: dict[str, list[str]]) -> Iterator[str]:
    yield from forms["no function"]
    yield from (filled(form, name) for form in forms["one function"] for name in NAMES)
    yield from (filled(form, *pair) for form in forms["two functions"] for pair in product(NAMES, repeat=2))
    for family in FAMILIES:
        pairs = permutations(family, 2)
        yield from (filled(form, *pair) for pair in pairs for form in forms["two functions of a family"])


def groups(forms: dict[str, list[str]]) -> list[list[Expression]]:
    """Expressions of equal values, two or more in a group."""
    expressions = list(dict.fromkeys(map(parse_expression, _texts(forms))))
    by_value: dict[bytes, list[Expression]] = defaultdict(list)
    for expression, signature in zip(expressions, signatures(expressions), strict=True):
        if signature:
            by_value[signature].append(expression)
    return [group for group in by_value.values() if len(group) > 1]


def discovered(forms: dict[str, list[str]], random: Random) -> list[Equation]:
    """Equations between expressions of one group, at most so many of each."""
    found = []
    for group in groups(forms):
        pairs = list(combinations(group, 2)) if len(group) < 30 else []
        pairs = pairs or [tuple(random.sample(group, 2)) for _ in range(2 * PAIRS_OF_A_GROUP)]
        found += [Equation(*pair) for pair in random.sample(pairs, min(PAIRS_OF_A_GROUP, len(pairs)))]
    return list(dict.fromkeys(found))


def claims(forms: dict[str, list[str]], random: Random, most: int) -> list[Equation]:
    """Claims about every function, and about so many pairs and triples of functions and values at points."""
    texts = {filled(form, name) for form in forms["claims"] if "g(" not in form for name in NAMES}
    pairs = [filled(form, *pair) for form in forms["claims"] if "g(" in form for pair in product(NAMES, repeat=2)]
    triples = [
        filled(form, *triple)
        for form in forms["claims of a family"]
        for family in FAMILIES
        for triple in permutations(family, 3)
    ]
    points = [
        f"{name}({argument}) = {value}"
        for name in WITH_SPECIAL_VALUES
        for argument, value in product(forms["arguments"], forms["values"])
    ]
    for found, share in ((pairs, 1), (triples, 1), (points, POINTS_SHARE)):
        texts |= set(random.sample(found, min(round(share * most), len(found))))
    return [parse_equation(text) for text in sorted(texts)]
