"""What may fill a blank: small expressions, parts of the equation, whole numbers, and what a search finds.

The network ranks the first three. The search solves the equation for the blank at one sample point and looks for two
candidates whose sum, difference, product, quotient or power has that value.
"""

from cmath import isfinite, log
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from itertools import permutations, product

from ..completion.candidates import Blank, symbolic_candidates
from ..judges.balls import POINT_COUNT, Valuation
from ..language.expression import (
    MINUS_ONE,
    NUMBER,
    VARIABLE,
    Expression,
    OutOfBoundsError,
    add,
    apply,
    constant,
    minus,
    multiply,
    negated,
    number,
    over,
    power,
    variable,
)
from ..language.grammar import ADD, CIRCULAR, CONSTANTS, FUNCTIONS, MULTIPLY, POWER
from ..language.printing import HALF, ONE, TWO, print_expression
from .reading import Knowledge

LARGEST_WHOLE = 100
MOST_PARTS, LARGEST_PART = 10, 15  # of an equation; nodes
LARGEST_OF_A_POWER = 6  # nodes
MOST_FOUND = 40  # by the search, the simplest
LARGEST_NUMBER, LARGEST_DENOMINATOR = 10**6, 12
OF_A_CONSTANT, UNTIDY = 3, 0.5  # leaves that a function of a constant and an unusual order weigh
DIGITS = 9  # that two values have in common where they are taken for equal
COMPANIONS = ("1", "2", "3", "1/2", "-1")  # numbers that parts of the equation are combined with
HYPERBOLIC = tuple(f"{name}h" for name in CIRCULAR)
_ARCS = {name: f"a{name}" for name in FUNCTIONS if f"a{name}" in FUNCTIONS}
INVERSES = {**_ARCS, **{arc: name for name, arc in _ARCS.items()}, "exp": "log", "log": "exp"}
COMBINATIONS = (add, minus, multiply, over, power)

Values = dict[complex, tuple[complex, Expression]]  # expressions by their rounded values, with the values


def whole_number(value: int) -> Expression:
    """17, or -17 as the parser reads it: a constant where there is one, otherwise a number, with a factor -1."""
    if str(value) in CONSTANTS:
        return constant(str(value))
    return negated(whole_number(-value)) if value < 0 else number(Decimal(value))


def _outside(blank: Blank) -> Iterator[Expression]:
    """The largest parts of the equation outside the blank's path."""
    yield blank.other_side
    yield from (sibling for ancestor in blank.ancestors for sibling in ancestor.siblings)


def parts(blank: Blank) -> list[Expression]:
    """The smallest function applications of the equation, the plainest first."""
    nodes = dict.fromkeys(node for part in _outside(blank) for node in part.subexpressions())
    return sorted((node for node in nodes if node.children and node.size <= LARGEST_PART), key=weight)[:MOST_PARTS]


def _from_parts(blank: Blank, functions: tuple[str, ...]) -> Iterator[Expression]:
    """Parts of the equation, functions of them, and combinations of two parts, of a part and a leaf, or of leaves."""
    terminals = [node for part in _outside(blank) for node in part.subexpressions() if not node.children]
    own, leaves = parts(blank), list(dict.fromkeys([*terminals, *map(constant, COMPANIONS)]))
    yield from leaves
    arguments = [combine(*pair) for combine in COMBINATIONS for pair in permutations(leaves, 2)]
    unary, present = [name for name in functions if FUNCTIONS[name].arity == 1], blank.equation.functions()
    yield from (apply(name, each) for name in unary if name in present for each in arguments)
    mates = [name for family in (CIRCULAR, HYPERBOLIC) if set(family) & set(present) for name in family]
    yield from (apply(name, each) for name in mates if name in unary for each in _angles(blank.variables))
    yield from own
    yield from (apply(name, part) for name in unary for part in own)
    for combine in COMBINATIONS:
        pairs = [*product(own, [*own, *leaves]), *product(leaves, own)]
        yield from (combine(left, right) for left, right in pairs if left is not right or combine in (add, multiply))


def _angles(variables: tuple[str, ...]) -> Iterator[Expression]:
    """What textbooks take sin and its like of."""
    names = list(map(variable, variables))
    for name in names:
        yield from (negated(name), multiply(TWO, name), multiply(constant("3"), name), over(name, TWO))
    for first, second in permutations(names, 2):
        yield from (add(first, second), minus(first, second))


def pool(blank: Blank, knowledge: Knowledge, valuation: Valuation) -> tuple[list[Expression], dict[str, int]]:
    """The candidates that the network ranks for a blank, and their numbers by kind; one constant for each value."""
    functions = knowledge.functions
    whole = (whole_number(value) for size in range(LARGEST_WHOLE + 1) for value in (size, -size))
    groups: dict[str, Iterable[Expression]] = {
        "expressions of at most one function": symbolic_candidates(blank.variables, functions),
        "built from parts of the equation": _from_parts(blank, functions),
        f"whole numbers up to {LARGEST_WHOLE}": whole if knowledge.reads_numbers else (),
    }
    kinds: dict[Expression, str] = {}
    for kind, candidates in groups.items():
        for candidate in candidates:
            kinds.setdefault(candidate, kind)
    whole_side = blank.other_side if blank.level == 1 else None
    readable = [each for each in kinds if each is not whole_side and is_readable(each, knowledge)]
    chosen = distinct([each for each in readable if not is_padded(each)], valuation)
    counted = [kinds[each] for each in chosen]
    return chosen, {kind: counted.count(kind) for kind in groups if kind in counted}


def distinct(candidates: Iterable[Expression], valuation: Valuation) -> list[Expression]:
    """The candidates, and of constants of one value only the plainest."""
    chosen: dict[Expression | complex, Expression] = {}
    for each in candidates:
        key: Expression | complex = each
        if each.closed and not isinstance(value := valuation.value(each, 0), str):
            key = rounded(complex(value))
        if key not in chosen or weight(each) < weight(chosen[key]):
            chosen[key] = each
    return list(chosen.values())


def is_readable(candidate: Expression, knowledge: Knowledge) -> bool:
    """Whether the network has met all symbols of a candidate."""
    return all(
        node.symbol in (knowledge.functions if node.children else knowledge.constants)
        or node.kind == VARIABLE
        or (node.kind == NUMBER and knowledge.reads_numbers)
        for node in set(candidate.subexpressions())
    )


def solutions(blank: Blank) -> list[Expression]:
    """The equation solved for the blank: one function after the other is undone, an even power by both roots.

    A solution may contain log, which networks do not read, or hold on one branch only; the judges decide.
    """
    found = [blank.other_side]
    for ancestor in reversed(blank.ancestors):
        found = [undone for value in found for undone in _undone(*ancestor, value)]
    return found


def _undone(function: str, place: int, siblings: tuple[Expression, ...], value: Expression) -> Iterator[Expression]:
    """Arguments at this place for which the function has this value."""
    if function == ADD:
        yield minus(value, siblings[0])
    elif function == MULTIPLY:
        yield over(value, siblings[0])
    elif function == POWER and place == 0:
        root = power(value, over(ONE, siblings[0]) if siblings[0].value != -1 else MINUS_ONE)
        yield root
        if siblings[0].value is not None and siblings[0].value % 2 == 0:
            yield negated(root)
    elif function == POWER:
        yield over(apply("log", value), apply("log", siblings[0]))
    elif function in INVERSES:
        yield apply(INVERSES[function], value)


def search(blank: Blank, candidates: Iterable[Expression], valuation: Valuation) -> list[Expression]:
    """Fractions and pairs of candidates that fit at a sample point, the simplest first; then the equation rearranged.

    Whether they fit everywhere is left to the judges.
    """
    try:
        solved = solutions(blank)
    except OutOfBoundsError:
        return []
    points = range(POINT_COUNT if blank.variables else 1)
    found = ((point, _by_value(solved, point, valuation)) for point in points)
    point, targets = next(((point, values) for point, values in found if values), (0, {}))
    plain = [each for each in candidates if not is_padded(each)]
    small = [each for each in plain if not each.closed and each.size <= LARGEST_OF_A_POWER]
    powers = [
        made
        for each in small
        for made in (power(each, TWO), multiply(TWO, each), over(each, TWO), power(each, constant("3")))
    ]
    simplest = _by_value(sorted((*plain, *powers), key=weight), point, valuation)
    pairs = [pair for target, _ in targets.values() for pair in _pairs(target, simplest) if not is_padded(pair)]
    fractions = [] if blank.variables else list(filter(None, (_fraction(target) for target, _ in targets.values())))
    return sorted(dict.fromkeys(fractions + pairs), key=weight)[:MOST_FOUND] + solved


def _by_value(expressions: Iterable[Expression], point: int, valuation: Valuation) -> Values:
    """The first expression of each value."""
    found: Values = {}
    for expression in expressions:
        ball = valuation.value(expression, point)
        if not isinstance(ball, str):
            found.setdefault(rounded(complex(ball)), (complex(ball), expression))
    return found


def weight(expression: Expression) -> float:
    """How long an expression is to a reader, in leaves: pi/2 is shorter than acsc(1), 2*x than x*2."""
    if not expression.children:
        return 1 + (UNTIDY if "/" in expression.symbol else 0)
    below, symbol = sum(map(weight, expression.children)), expression.symbol
    if len(expression.children) == 1:
        return 1 + below + (OF_A_CONSTANT if expression.closed else 0)
    left, right = expression.children
    if symbol == POWER:
        return below if right.value == HALF.value else 1 + below + (UNTIDY if right.value == -1 else 0)
    if symbol == MULTIPLY and left.value == -1:
        return below  # the sign is all there is to read
    if symbol == MULTIPLY and right.symbol == POWER and right.children[1].value == -1:
        return 1 + weight(left) + weight(right.children[0])
    wrong_way = left.closed < right.closed if symbol == MULTIPLY else left.closed > right.closed or _is_negative(left)
    out_of_order = left.closed == right.closed and print_expression(left) > print_expression(right)
    return 1 + below + UNTIDY * wrong_way + UNTIDY / 2 * out_of_order


def is_padded(expression: Expression) -> bool:
    """Whether a part of the expression could be left out: + 0, * 1, ^1, two signs."""
    return any(_pads(node) for node in expression.subexpressions() if len(node.children) == 2)


def _pads(node: Expression) -> bool:
    left, right = node.children
    values = left.value, right.value
    if node.symbol == ADD:
        return 0 in values
    if node.symbol == POWER:
        return values[0] in (0, 1) or values[1] in (0, 1)
    is_reciprocal = values[0] == 1 and right.symbol == POWER and right.children[1].value == -1
    return 0 in values or (1 in values and not is_reciprocal) or all(map(_is_negative, node.children))


def _is_negative(factor: Expression) -> bool:
    return factor.value == -1 or (factor.symbol == MULTIPLY and any(child.value == -1 for child in factor.children))


def rounded(value: complex) -> complex:
    return complex(round(value.real, DIGITS), round(value.imag, DIGITS))


def _pairs(target: complex, known: Values) -> Iterator[Expression]:
    """Known expressions, and combinations of two of them, that have the target value."""
    seen = set()
    if rounded(target) in known:
        yield known[rounded(target)][1]
    for value, left in known.values():
        for combine, wanted in _wanted(target, value):
            if not isfinite(wanted) or rounded(wanted) not in known:
                continue
            right = known[rounded(wanted)][1]
            pair = frozenset((left, right)) if combine in (add, multiply) else (left, right)
            both_zero = left.closed and right.closed and left.value == right.value == 0
            if (combine, pair) not in seen and not both_zero:
                seen.add((combine, pair))
                with suppress(OutOfBoundsError):
                    yield combine(left, right)


def _wanted(target: complex, value: complex) -> Iterator[tuple[Callable, complex]]:
    """Ways to combine the value with another one, and the other one that then gives the target."""
    if value != 0:
        yield add, target - value
    if target != value and target != 0:
        yield minus, value - target
    if value not in (0, 1):
        yield multiply, target / value
        if target not in (0, value):
            yield over, value / target
            yield power, log(target) / log(value)


def _fraction(value: complex) -> Expression | None:
    """The value as a whole number or a fraction of small ones; None for any other."""
    if abs(value) >= LARGEST_NUMBER:
        return None
    fraction = Fraction(value.real).limit_denominator(LARGEST_DENOMINATOR)
    if abs(value - fraction) > 10**-DIGITS:
        return None
    top, bottom = whole_number(fraction.numerator), whole_number(fraction.denominator)
    return top if fraction.denominator == 1 else over(top, bottom)
