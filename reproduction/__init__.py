"""A reproduction of "Combining Symbolic Expressions and Black-box Function Evaluations in Neural Programs"."""

VERSION = "0.2.0"  # as in pyproject.toml; every data set and every run names it
