"""The one table of functions and terminals (paper, Table 1 and Table 5); every other list is derived from it."""

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
