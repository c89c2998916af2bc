"""What the paper reports, as data; the sections, tables and figures are those of the ICLR 2018 version.

Accuracies, precisions and recalls are in per cent. What comes from the authors' poster says so in its name.
"""

from typing import NamedTuple

# Section 4: symbolic equations in all, and by depth. Depth 1 is printed as 39, but the total and the test-set sizes
# of Table 3 need 32.
SYMBOLIC_TOTAL, SYMBOLIC_CORRECT = 17632, 8902
SYMBOLIC_BY_DEPTH = {1: 32, 2: 2547, 3: 12217, 4: 2836}
# The share of correct equations by depth, from the majority rows of Tables 3 and 4.
CORRECT_SHARE_BY_DEPTH = {2: 0.438, 3: 0.533, 4: 0.448}

NUMERIC_TOTAL, NUMERIC_CORRECT = 2000, 1029
NUMERIC_BY_DEPTH = {1: 2, 2: 831, 3: 1128}
NUMBERS_SHARE = 0.30  # of the two-decimal numbers in the range
NUMBERS_RANGE = (-3.14, 3.14)


class Generalization(NamedTuple):
    """A row of Table 3: symbolic accuracy, error of function evaluation, accuracy at depths 1 to 4."""

    accuracy: float
    mse: float | None
    depth_1: float
    depth_2: float
    depth_3: float
    depth_4: float


class Extrapolation(NamedTuple):
    """One half of a row of Table 4."""

    accuracy: float
    precision: float
    recall: float


TABLE_3_TEST_SIZES = Generalization(3527, 401, 7, 542, 2416, 563)

TABLE_3 = {
    "majority": Generalization(50.24, None, 28.57, 45.75, 52.85, 43.69),
    "sympy": Generalization(81.74, None, 85.71, 89.11, 82.98, 69.44),
    "rnn": Generalization(66.37, None, 57.14, 62.93, 65.13, 72.32),
    "lstm": Generalization(81.71, None, 85.71, 79.49, 80.81, 83.86),
    "tree-nn": Generalization(92.06, None, 100.0, 95.37, 94.16, 87.45),
    "tree-lstm": Generalization(95.18, None, 85.71, 96.50, 95.07, 94.50),
    "tree-nn+data": Generalization(93.60, 0.191, 100.0, 94.1, 93.13, 95.11),
    "tree-lstm+data": Generalization(97.20, 0.047, 71.42, 98.29, 97.45, 96.00),
}

# The row of TreeLSTM + data is the poster's, and its accuracies disagree with its own precisions and recalls.
TABLE_4 = {
    "extrapolate-4": {
        "majority": Extrapolation(55.22, 0, 0),
        "rnn": Extrapolation(65.15, 68.61, 75.51),
        "lstm": Extrapolation(76.40, 71.62, 78.35),
        "tree-nn": Extrapolation(88.36, 87.87, 85.86),
        "tree-lstm": Extrapolation(93.27, 90.20, 95.33),
        "tree-nn+data": Extrapolation(93.34, 90.34, 95.33),
        "tree-lstm+data": Extrapolation(96.17, 92.97, 97.15),
    },
    "extrapolate-2": {
        "majority": Extrapolation(56.21, 0, 0),
        "rnn": Extrapolation(71.27, 82.98, 43.27),
        "lstm": Extrapolation(79.31, 75.27, 79.31),
        "tree-nn": Extrapolation(92.58, 89.04, 94.71),
        "tree-lstm": Extrapolation(94.78, 94.15, 93.90),
        "tree-nn+data": Extrapolation(93.36, 89.75, 95.78),
        "tree-lstm+data": Extrapolation(97.37, 96.08, 96.86),
    },
}

# Fingerprints of the original's data beside Sympy's row of Table 3: of a smaller run of the authors' generator that
# they released, 6,096 symbolic equations. Means at depths 2, 3 and 4: per cent of the equations, or nodes without "=".
SAMPLE_BY_DEPTH = {
    "correct": {
        "variable": (25, 46, 74),
        "unary": (1, 29, 72),
        "trigonometric": (0, 10, 51),
        "other_unary": (0, 19, 21),
        "same_root": (58, 61, 62),
        "shared_child": (68, 48, 36),
        "nodes": (5.7, 7.8, 9.7),
    },
    "incorrect": {
        "variable": (24, 46, 89),
        "unary": (3, 50, 84),
        "trigonometric": (1, 17, 66),
        "other_unary": (1, 34, 31),
        "same_root": (35, 38, 35),
        "shared_child": (51, 35, 16),
        "nodes": (5.4, 7.4, 10.0),
    },
}
# Per cent of the leaves and of the nodes with a function.
SAMPLE_LEAVES = {
    "1": 19, "0": 19, "x": 13, "-1": 9, "2": 8, "3": 8, "1/2": 7, "pi": 5, "4": 5, "0.7": 4, "y": 2, "10": 2, "z": 0.5,
}  # fmt: skip
SAMPLE_FUNCTIONS = {"*": 36, "+": 30, "^": 23}
SAMPLE_USES = (12.8,)  # of a distinct subtree
# Test accuracies on random splits, from and to, and the share of the test equations with a twin in training.
SAMPLE_BAG_OF_SYMBOLS, SAMPLE_LOOKUP, SAMPLE_TWINS = (74, 78), (85, 91), (19,)

# Figure 3a, symbolic completion: top-k accuracy for k = 1 to 10, read off the poster, where the curves are legible.
POSTER_COMPLETION = {
    "rnn": (37, 41, 45, 49, 51, 53, 55, 56, 58, 58),
    "lstm": (32, 36, 39, 44, 46, 49, 50, 53, 54, 57),
    "tree-nn": (65, 74, 79, 81, 83, 84, 86, 86, 87, 88),
    "tree-lstm": (77, 85, 88, 91, 92, 93, 93, 94, 95, 95),
    "tree-nn+data": (79, 85, 87, 88, 89, 89, 89, 90, 90, 90),
    "tree-lstm+data": (95, 96, 96, 96, 96, 97, 97, 97, 97, 98),
}

# F Eval on the poster is an accuracy: numeric equations told right from wrong.
POSTER_EVALUATION_ACCURACY = {"tree-nn+data": 92.81, "tree-lstm+data": 97.17}

# Table 1 as printed: the names are those of the grammar.
TABLE_1_UNARY = (
    ("sin", "cos", "csc", "sec", "tan"),
    ("cot", "asin", "acos", "acsc", "asec"),
    ("atan", "acot", "sinh", "cosh", "csch"),
    ("sech", "tanh", "coth", "asinh", "acosh"),
    ("acsch", "asech", "atanh", "acoth", "exp"),
)
TABLE_1_TERMINALS = (("0", "1"), ("2", "3"), ("4", "10"), ("1/2", "-1"), ("0.4", "0.7"), ("pi", "x"))
TABLE_1_BINARY = ("+", "*", "^")

# Table 2, as LaTeX.
TABLE_2_CORRECT = (
    r"1^2 = x^{-1\times 0}",
    r"(\arctan(10))^{2^2} = (\arctan(10))^{3+1}",
    r"x \times (-1 + x) = x \times (x - 1)",
    r"x^1 = x+0",
)
TABLE_2_INCORRECT = (
    r"0.5^{x+2} = \sin(0.5)^{x+2}",
    r"\pi \times \csc(x) = -\csc(x)",
    r"-4 = -4^{x}",
    r"\frac{\sqrt{2}}{2}\times\sqrt{x} = \sqrt{x}",
)

# Table 5, the appendix: functions, the equality sign, constants and variables, row by row.
TABLE_5 = (
    ("sin", "cos", "csc", "sec", "tan", "cot"),
    ("asin", "acos", "acsc", "asec", "atan", "acot"),
    ("sinh", "cosh", "csch", "sech", "tanh", "coth"),
    ("asinh", "acosh", "acsch", "asech", "atanh", "acoth"),
    ("atan2", "exp", "+", "*", "^", "log"),
    ("=", "pi", "0", "1", "2", "3"),
    ("4", "10", "1/2", "-1", "x", "y"),
)

# Figure 1: the equations whose trees are drawn there; the third is a number as a decimal tree.
FIGURE_1 = ("sin(theta)^2 + cos(theta)^2 = 1", "sin(-2.5) = -0.6", "2.5 = 2 * 10^0 + 5 * 10^(-1)")

# The follow-up, arXiv 1911.01545 (first version): accuracy on depths 8 to 13 of its own data, trained on depths 1 to 7;
# mean over three seeds. A network with a stack, without normalization and no-op, is not one of ours.
FOLLOW_UP = {
    "majority-column": 51.71,
    "tree-nn": 80.67,
    "tree-nn+stack": 78.02,
    "tree-lstm": 83.64,
    "tree-lstm+stack": 85.24,
    "tree-smu": 86.01,
}
