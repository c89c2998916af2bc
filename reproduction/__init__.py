"""A reproduction of "Combining Symbolic Expressions and Black-box Function Evaluations in Neural Programs"."""
