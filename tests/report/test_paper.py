"""The paper's numbers: a second transcription, the tolerances that a number is judged by, and what must add up.

The tables below are typed from the paper's LaTeX (Tables 3 and 4) and from the spec's list of the poster's curves.
"""

import pytest

from reproduction import paper
from reproduction.data.dataset import DEPTH_2_OUT, DEPTH_4_OUT, GENERALIZATION
from reproduction.language.grammar import BINARY, CONSTANTS, FUNCTIONS, TABLE_1_CONSTANTS, UNARY
from reproduction.measures import ACCURACY, EVALUATION_ACCURACY, MSE, PRECISION, RECALL, TOP_K, TOP_K_MSE, depth_measure
from reproduction.report import claims
from reproduction.report.claims import paper_value
from reproduction.report.results import Archive

TABLE_3 = """
majority 50.24 - 28.57 45.75 52.85 43.69
sympy 81.74 - 85.71 89.11 82.98 69.44
rnn 66.37 - 57.14 62.93 65.13 72.32
lstm 81.71 - 85.71 79.49 80.81 83.86
tree-nn 92.06 - 100.0 95.37 94.16 87.45
tree-lstm 95.18 - 85.71 96.50 95.07 94.50
tree-nn+data 93.60 0.191 100.0 94.1 93.13 95.11
tree-lstm+data 97.20 0.047 71.42 98.29 97.45 96.00
"""
TABLE_4 = """
majority 55.22 0 0 56.21 0 0
rnn 65.15 68.61 75.51 71.27 82.98 43.27
lstm 76.40 71.62 78.35 79.31 75.27 79.31
tree-nn 88.36 87.87 85.86 92.58 89.04 94.71
tree-lstm 93.27 90.20 95.33 94.78 94.15 93.90
tree-nn+data 93.34 90.34 95.33 93.36 89.75 95.78
tree-lstm+data 96.17 92.97 97.15 97.37 96.08 96.86
"""
POSTER = """
rnn 37 41 45 49 51 53 55 56 58 58
lstm 32 36 39 44 46 49 50 53 54 57
tree-nn 65 74 79 81 83 84 86 86 87 88
tree-nn+data 79 85 87 88 89 89 89 90 90 90
tree-lstm 77 85 88 91 92 93 93 94 95 95
tree-lstm+data 95 96 96 96 96 97 97 97 97 98
"""


def lines(text: str, columns: slice = slice(None)) -> dict[str, tuple]:
    rows = (line.split() for line in text.strip().split("\n"))
    return {name: tuple(None if each == "-" else float(each) for each in numbers)[columns] for name, *numbers in rows}


def test_the_papers_numbers_and_the_posters_curves_are_those_that_were_read():
    for ours, printed in (
        (paper.TABLE_3, lines(TABLE_3)),
        (paper.TABLE_4[DEPTH_4_OUT], lines(TABLE_4, slice(0, 3))),
        (paper.TABLE_4[DEPTH_2_OUT], lines(TABLE_4, slice(3, 6))),
        (paper.POSTER_COMPLETION, lines(POSTER)),
    ):
        assert {name: tuple(row) for name, row in ours.items()} == printed
    assert paper.TABLE_3_TEST_SIZES == (3527, 401, 7, 542, 2416, 563)
    assert paper.Generalization._fields == ("accuracy", "mse", "depth_1", "depth_2", "depth_3", "depth_4")
    assert paper.Extrapolation._fields == ("accuracy", "precision", "recall")
    assert paper.POSTER_EVALUATION_ACCURACY == {"tree-nn+data": 92.81, "tree-lstm+data": 97.17}
    assert (paper.SYMBOLIC_TOTAL, paper.SYMBOLIC_CORRECT) == (17632, 8902)
    assert paper.SYMBOLIC_BY_DEPTH == {1: 32, 2: 2547, 3: 12217, 4: 2836}
    assert sum(paper.SYMBOLIC_BY_DEPTH.values()) == paper.SYMBOLIC_TOTAL
    assert (paper.NUMERIC_TOTAL, paper.NUMERIC_CORRECT, paper.NUMERIC_BY_DEPTH) == (2000, 1029, {1: 2, 2: 831, 3: 1128})
    assert (paper.NUMBERS_SHARE, paper.NUMBERS_RANGE) == (0.30, (-3.14, 3.14))
    assert paper.SAMPLE_BY_DEPTH["incorrect"]["variable"] == (24, 46, 89)
    assert paper.SAMPLE_BY_DEPTH["correct"]["trigonometric"] == (0, 10, 51)
    assert (paper.SAMPLE_USES, paper.SAMPLE_BAG_OF_SYMBOLS, paper.SAMPLE_LOOKUP) == ((12.8,), (74, 78), (85, 91))
    assert paper.SAMPLE_TWINS == (19,)


def test_how_near_is_close_and_how_many_seeds_decide():
    """By section 6 of the specification; a wider tolerance would make more cells green."""
    assert {
        (GENERALIZATION, ACCURACY): 1.0,
        (GENERALIZATION, MSE): 0.02,
        **{(GENERALIZATION, depth_measure(depth)): 2.0 for depth in (2, 3, 4)},
        **{(split, each): 1.5 for split in (DEPTH_4_OUT, DEPTH_2_OUT) for each in (ACCURACY, PRECISION, RECALL)},
    } == claims.TOLERANCES
    assert (claims.SEEDS_WANTED, claims.CONFIDENCE) == (5, 0.95)


@pytest.mark.parametrize(
    ("approach", "split", "measure", "expected"),
    [
        ("majority-train", GENERALIZATION, ACCURACY, 50.24), ("majority-column", GENERALIZATION, ACCURACY, None),
        ("majority-column", DEPTH_4_OUT, RECALL, 0), ("sympy-auto", GENERALIZATION, depth_measure(4), 69.44),
        ("tree-lstm+data", DEPTH_2_OUT, PRECISION, 96.08), ("tree-lstm+data", GENERALIZATION, TOP_K[0], 95),
        ("tree-nn", GENERALIZATION, TOP_K[9], 88), ("tree-lstm+data", "strict", TOP_K[0], None),
        ("tree-lstm+data", GENERALIZATION, TOP_K_MSE[0], None), ("tree-lstm+data", "strict", ACCURACY, None),
        ("tree-nn+data", GENERALIZATION, EVALUATION_ACCURACY, 92.81), ("somebodys", GENERALIZATION, ACCURACY, None),
    ],
)  # fmt: skip
def test_what_stands_beside_our_numbers(approach, split, measure, expected):
    assert paper_value(Archive(), approach, split, measure) == expected


def test_table_1_and_table_5_are_the_grammar():
    unary, terminals = (
        [each for row in rows for each in row] for rows in (paper.TABLE_1_UNARY, paper.TABLE_1_TERMINALS)
    )
    assert sorted(unary) == sorted(function.name for function in UNARY) and len(unary) == 25
    assert tuple(function.name for function in BINARY) == paper.TABLE_1_BINARY
    assert sorted(terminals) == sorted([*TABLE_1_CONSTANTS, "x"])
    assert {name for row in paper.TABLE_5 for name in row} <= {*FUNCTIONS, *CONSTANTS, "=", "x", "y"}
