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
    in_table_1: bool = True


@dataclass(frozen=True)
class Constant:
    """A terminal with a value; pi is the one without an exact rational value."""

    name: str
    latex: str
    value: Fraction | None


def _trigonometric(name):
    return Function(name, 1, name, rf"\{name}")


def _inverse(name, latex, *aliases):
    return Function(name, 1, name, rf"\operatorname{{{latex}}}", aliases)


UNARY = (
    *(_trigonometric(name) for name in ("sin", "cos", "csc", "sec", "tan", "cot")),
    *(_inverse(f"a{name}", f"arc{name}", f"arc{name}") for name in ("sin", "cos", "csc", "sec", "tan", "cot")),
    *(_trigonometric(name) for name in ("sinh", "cosh")),
    *(Function(name, 1, name, rf"\operatorname{{{name}}}") for name in ("csch", "sech")),
    *(_trigonometric(name) for name in ("tanh", "coth")),
    *(
        _inverse(f"a{name}", latex, latex, f"arc{name}")
        for name, latex in (
            ("sinh", "arsinh"),
            ("cosh", "arcosh"),
            ("csch", "arcsch"),
            ("sech", "arsech"),
            ("tanh", "artanh"),
            ("coth", "arcoth"),
        )
    ),
    Function("exp", 1, "exp", r"\exp"),
)

ADD, MULTIPLY, POWER = "+", "*", "^"

BINARY = (
    Function(ADD, 2, "Add", "+"),
    Function(MULTIPLY, 2, "Mul", r"\times", ("×",)),
    Function(POWER, 2, "Pow", r"\wedge", ("**",)),
)

# The appendix lists these two, the paper's count of 28 does not: they are switched on by name.
EXTRA = (
    Function("log", 1, "log", r"\log", ("ln",), in_table_1=False),
    Function("atan2", 2, "atan2", r"\operatorname{atan2}", ("arctan2",), in_table_1=False),
)

TABLE_1_FUNCTIONS = UNARY + BINARY
FUNCTIONS = {function.name: function for function in TABLE_1_FUNCTIONS + EXTRA}

CONSTANTS = {
    constant.name: constant
    for constant in (
        *(Constant(str(integer), str(integer), Fraction(integer)) for integer in (0, 1, 2, 3, 4, 10)),
        Constant("1/2", r"\frac{1}{2}", Fraction(1, 2)),
        Constant("-1", "-1", Fraction(-1)),
        Constant("0.4", "0.4", Fraction(2, 5)),
        Constant("0.7", "0.7", Fraction(7, 10)),
        Constant("pi", r"\pi", None),
        # Beyond Table 1: the axioms need the first three, decimal trees the digits.
        *(Constant(str(integer), str(integer), Fraction(integer)) for integer in (-2, -3)),
        Constant("-1/2", r"-\frac{1}{2}", Fraction(-1, 2)),
        *(Constant(str(digit), str(digit), Fraction(digit)) for digit in (5, 6, 7, 8, 9)),
    )
}

# What the generator may draw at random: the terminals of Table 1.
TABLE_1_CONSTANTS = ("0", "1", "2", "3", "4", "10", "1/2", "-1", "0.4", "0.7", "pi")

GREEK_VARIABLES = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "theta": "θ", "phi": "φ", "psi": "ψ", "omega": "ω",
    "lambda": "λ", "mu": "μ", "rho": "ρ", "sigma": "σ", "tau": "τ",
}  # fmt: skip
