"""Floating-point values of many expressions at once, and labels of equations by them: fast, but not rigorous.

Points, branches and cuts are those of the ball arithmetic (judges/balls.py). A value that is too large, or whose digits
may have been lost by cancellation, does not count.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations, permutations, product
from math import pi
from pathlib import Path
from random import Random

import numpy as np

from .. import artifacts
from ..data.dataset import distinct_nodes
from ..judges.balls import POINT_COUNT, coordinate
from ..language.expression import FUNCTION, VARIABLE, Equation, Expression
from ..language.grammar import ADD, CIRCULAR, MULTIPLY, POWER, UNARY
from ..language.parsing import parse_equation, parse_expression

POINTS = POINT_COUNT - 1  # without the origin
TRUE, FALSE, OPEN = 1, 0, -1
LARGEST, NOISE = 1e12, 1e-13
SMALLEST_SCALE = 1e-2  # below it differences count absolutely
SAME, DIFFERENT = 1e-7, 1e-4  # relative differences: in between nothing is said
CANCELLATION = 1e8  # how much larger than the result something below it may be
FEWEST_AGREEING, FEWEST_DIFFERING = 3, 2  # points that it takes, where there are variables
AT_ONCE = 40_000  # equations, to bound memory

Array = np.ndarray


def _cut_from_below(function: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """The function with Arb's values on the cut beyond 1, where numpy has those of the other edge."""

    def value(z):
        result = function(z)
        return np.where((z.imag == 0) & (z.real > 1), result.conj(), result)

    return value


_asin, _acos, _atanh = (_cut_from_below(function) for function in (np.arcsin, np.arccos, np.arctanh))
_DIRECT: dict[str, Callable[..., Array]] = {
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh,
    "asin": _asin, "acos": _acos, "atan": lambda z: -1j * _atanh(_snapped(1j * z)),
    "asinh": lambda z: 1j * _asin(_snapped(-1j * z)), "acosh": np.arccosh, "atanh": _atanh,
}  # fmt: skip
_RECIPROCALS = {"csc": "sin", "sec": "cos", "cot": "tan", "csch": "sinh", "sech": "cosh", "coth": "tanh"}
FUNCTIONS: dict[str, Callable[..., Array]] = {
    **_DIRECT,
    **{name: lambda z, f=_DIRECT[other]: 1 / _snapped(f(z)) for name, other in _RECIPROCALS.items()},
    **{f"a{name}": lambda z, f=_DIRECT[f"a{other}"]: f(_snapped(1 / z)) for name, other in _RECIPROCALS.items()},
    "cot": lambda z: np.cos(z) / _snapped(np.sin(z)),  # which vanishes where the tangent has a pole
    "exp": np.exp,
    ADD: lambda a, b: np.where(np.abs(a + b) < NOISE * (np.abs(a) + np.abs(b)), 0, a + b),  # 0 where rounding is left
    MULTIPLY: np.multiply,
    POWER: lambda a, b: np.where(a == 0, np.where(b.real > 0, 0, np.nan), np.power(a, b)),
}


def _snapped(z: Array) -> Array:
    """The values with parts that are rounding errors set to 0, zeros positive, and NaN where they are too large."""
    real, imaginary = z.real, z.imag
    size = np.maximum(np.abs(real), np.abs(imaginary))
    noise = NOISE * np.maximum(size, 0.1)
    real, imaginary = (np.where(np.abs(part) <= noise, 0.0, part) for part in (real, imaginary))
    return np.where(size < LARGEST, real + 1j * imaginary, np.nan)


def evaluate(expressions: Sequence[Expression]) -> tuple[Array, Array]:
    """(values, scales), a row an expression, a column a point; a scale is the largest size of anything below."""
    numbers = distinct_nodes(expressions)
    values = np.zeros((len(numbers), POINTS), dtype=np.complex128)
    groups: dict[tuple[int, str], list[Expression]] = defaultdict(list)
    for node, row in numbers.items():
        if node.kind == FUNCTION:
            groups[node.height, node.symbol].append(node)
        elif node.kind == VARIABLE:
            values[row] = [float(coordinate(node.symbol, point)) for point in range(POINTS)]
        else:
            values[row] = pi if node.value is None else float(node.value)
    scales = np.abs(values)
    with np.errstate(all="ignore"):
        for (_, symbol), nodes in sorted(groups.items(), key=lambda item: item[0]):
            rows = [numbers[node] for node in nodes]
            below = [[numbers[node.children[place]] for node in nodes] for place in range(len(nodes[0].children))]
            values[rows] = _snapped(FUNCTIONS[symbol](*(values[each] for each in below)))
            scales[rows] = np.maximum.reduce([np.abs(values[rows]), *(scales[each] for each in below)])
    roots = [numbers[expression] for expression in expressions]
    return values[roots], scales[roots]


def labels(equations: Sequence[Equation]) -> Array:
    """TRUE where the sides agree wherever both have a value, FALSE where they differ, else OPEN."""
    if len(equations) > AT_ONCE:
        starts = range(0, len(equations), AT_ONCE)
        return np.concatenate([labels(equations[start : start + AT_ONCE]) for start in starts])
    left, left_scale = evaluate([equation.left for equation in equations])
    right, right_scale = evaluate([equation.right for equation in equations])
    with np.errstate(invalid="ignore"):
        size = np.maximum(np.maximum(np.abs(left), np.abs(right)), SMALLEST_SCALE)
        error = np.abs(left - right) / size
        clear = np.maximum(left_scale, right_scale) < CANCELLATION * size
        agreeing = np.sum(clear & (error < SAME), axis=1)
        differing = np.sum(clear & (error > DIFFERENT), axis=1)
    closed = np.array([equation.left.closed and equation.right.closed for equation in equations])
    enough = np.where(closed, POINTS, FEWEST_DIFFERING)
    agreed = (agreeing >= np.where(closed, POINTS, FEWEST_AGREEING)) & (differing == 0)
    return np.where(agreed, TRUE, np.where(differing >= enough, FALSE, OPEN))


def signatures(expressions: Sequence[Expression], digits: int = 8) -> list[bytes]:
    """Equal bytes for expressions of equal values, up to rare accidents of rounding; empty where a value is missing."""
    found = []
    for start in range(0, len(expressions), AT_ONCE):
        values, _ = evaluate(expressions[start : start + AT_ONCE])
        size = np.maximum(np.abs(values), SMALLEST_SCALE)
        with np.errstate(all="ignore"):
            unit = 10.0 ** (np.floor(np.log10(size)) - digits)
            rounded = np.round(values / unit) * unit + (0 + 0j)
        whole = np.isfinite(values).all(axis=1)
        found += [row.tobytes() if there else b"" for row, there in zip(rounded, whole, strict=True)]
    return found


FORMS = Path(__file__).with_name("forms.txt")
NAMES = tuple(function.name for function in UNARY)
WITH_SPECIAL_VALUES = (*CIRCULAR, *(f"a{name}" for name in CIRCULAR), "sinh", "cosh", "tanh", "exp", "asinh", "atanh")
FAMILIES = (CIRCULAR, (*(f"{name}h" for name in CIRCULAR), "exp"))
PAIRS_OF_A_GROUP = 60
POINTS_SHARE = 0.15  # of claims about values at points, against those about pairs of functions

_PLACEHOLDER = re.compile(r"\b[fgh](?=\()")


def read_forms(path: Path = FORMS) -> dict[str, list[str]]:
    """The texts of each section."""
    forms: dict[str, list[str]] = {}
    for line in artifacts.read_text(path).splitlines():
        if line.startswith("["):
            section = forms.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            section.append(line)
    return forms


def filled(forms: Iterable[str], functions: Sequence[Sequence[str]]) -> list[str]:
    """The forms with these functions for f, g and h."""

    def one(form: str, names: Sequence[str]) -> str:
        return _PLACEHOLDER.sub(lambda found: names["fgh".index(found[0])], form)

    return [one(form, names) for form in forms for names in functions]


ONE, TWO = [(name,) for name in NAMES], list(product(NAMES, repeat=2))
TWO_OF_A_FAMILY, THREE_OF_A_FAMILY = ([each for f in FAMILIES for each in permutations(f, n)] for n in (2, 3))


def by_value(expressions: Sequence[Expression], least: int) -> list[list[Expression]]:
    """Groups of expressions whose values are equal, so many or more in each."""
    groups: dict[bytes, list[Expression]] = defaultdict(list)
    for expression, signature in zip(expressions, signatures(expressions), strict=True):
        groups[signature].append(expression)
    return [group for signature, group in groups.items() if signature and len(group) >= least]


def discovered(forms: dict[str, list[str]], random: Random) -> list[Equation]:
    """Equations between forms of equal values, at most PAIRS_OF_A_GROUP of each group."""
    texts = forms["no function"] + filled(forms["one function"], ONE) + filled(forms["two functions"], TWO)
    texts += [text for pair in TWO_OF_A_FAMILY for text in filled(forms["two functions of a family"], [pair])]
    found = []
    for group in by_value(list(dict.fromkeys(map(parse_expression, texts))), least=2):
        pairs: list[tuple[Expression, ...]] = list(combinations(group, 2)) if len(group) < 30 else []
        drawn = pairs or [tuple(random.sample(group, 2)) for _ in range(2 * PAIRS_OF_A_GROUP)]
        found += [Equation(*pair) for pair in random.sample(drawn, min(PAIRS_OF_A_GROUP, len(drawn)))]
    return list(dict.fromkeys(found))


def claims(forms: dict[str, list[str]], random: Random, most: int) -> list[Equation]:
    """Claims about every function, and about so many pairs and triples of functions and values at points."""
    two = [form for form in forms["claims"] if "g(" in form]
    texts = set(filled((form for form in forms["claims"] if form not in two), ONE))
    pairs, triples = filled(two, TWO), filled(forms["claims of a family"], THREE_OF_A_FAMILY)
    points = [
        f"{name}({argument}) = {value}"
        for name in WITH_SPECIAL_VALUES
        for argument, value in product(forms["arguments"], forms["values"])
    ]
    for found, share in ((pairs, 1), (triples, 1), (points, POINTS_SHARE)):
        texts |= set(random.sample(found, min(round(share * most), len(found))))
    return [parse_equation(text) for text in sorted(texts)]
