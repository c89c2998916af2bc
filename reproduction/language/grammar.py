"""The one table of functions and terminals (paper, Table 1 and Table 5); every other list is derived from it."""

import re
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Function:
    """A function symbol: its name in text, the names people also type, Sympy's name and its LaTeX form."""

    name: str
    arity: int
    sympy: str
    latex: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class Constant:
    """A terminal with a value; pi is the one without an exact rational value."""

    name: str
    latex: str
    value: Fraction | None


def _plain(name: str) -> Function:
    return Function(name, 1, name, rf"\{name}")


def _upright(name: str, latex: str, *aliases: str) -> Function:
    return Function(name, 1, name, rf"\operatorname{{{latex}}}", aliases)


CIRCULAR = ("sin", "cos", "csc", "sec", "tan", "cot")
_HYPERBOLIC = tuple(f"{name}h" for name in CIRCULAR)

UNARY = (
    *map(_plain, CIRCULAR),
    *(_upright(f"a{name}", f"arc{name}", f"arc{name}") for name in CIRCULAR),
    *(_upright(name, name) if name in ("csch", "sech") else _plain(name) for name in _HYPERBOLIC),
    *(_upright(f"a{name}", f"ar{name}", f"ar{name}", f"arc{name}") for name in _HYPERBOLIC),
    _plain("exp"),
)

ADD, MULTIPLY, POWER = "+", "*", "^"

BINARY = (
    Function(ADD, 2, "Add", "+"),
    Function(MULTIPLY, 2, "Mul", r"\times", ("×",)),
    Function(POWER, 2, "Pow", r"\wedge", ("**",)),
)

# The appendix lists these two, the paper's count of 28 does not: they are switched on by name.
EXTRA = (
    Function("log", 1, "log", r"\log", ("ln",)),
    Function("atan2", 2, "atan2", r"\operatorname{atan2}", ("arctan2",)),
)

FUNCTIONS = {function.name: function for function in UNARY + BINARY + EXTRA}
TABLE_1_FUNCTIONS = tuple(function.name for function in UNARY + BINARY)
EXTRA_FUNCTIONS = tuple(function.name for function in EXTRA)


def _constant(name: str, latex: str | None = None) -> Constant:
    return Constant(name, latex or name, None if name == "pi" else Fraction(name))


_TABLE_1 = (*map(_constant, ("0", "1", "2", "3", "4", "10")), _constant("1/2", r"\frac{1}{2}"),
            *map(_constant, ("-1", "0.4", "0.7")), _constant("pi", r"\pi"))  # fmt: skip
# The axioms need the first three, decimal trees the digits.
_BEYOND_TABLE_1 = (*map(_constant, ("-2", "-3")), _constant("-1/2", r"-\frac{1}{2}"), *map(_constant, "56789"))

CONSTANTS = {constant.name: constant for constant in _TABLE_1 + _BEYOND_TABLE_1}
TABLE_1_CONSTANTS = tuple(constant.name for constant in _TABLE_1)  # what the generator may draw at random

GREEK_VARIABLES = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "theta": "θ", "phi": "φ", "psi": "ψ", "omega": "ω",
    "lambda": "λ", "mu": "μ", "rho": "ρ", "sigma": "σ", "tau": "τ",
}  # fmt: skip
NOT_VARIABLES = {
    "e": "'e' is not a name here: write exp(1), or exp(x) for its powers",
    "i": "'i' is not a name here: variables are real and there is no imaginary unit",
}
_VARIABLE = re.compile(r"[A-Za-z](_?[0-9]{1,6})?")


def is_variable(name: str) -> bool:
    """Whether a variable may have this name: a letter with or without an index, or a Greek letter's."""
    return name in GREEK_VARIABLES or bool(_VARIABLE.fullmatch(name) and name.lower() not in NOT_VARIABLES)


# What a tree may have. Every tree within these bounds can be printed as a text that is read back as the same tree.
MAXIMUM_HEIGHT = 100  # edges from the root to the deepest leaf
MAXIMUM_SIZE = 2_000  # nodes
MAXIMUM_DIGITS = 12  # of a number, zeros in front not counted
MAXIMUM_LENGTH = 50_000  # characters of an equation's text: no node takes more than 12 of them
