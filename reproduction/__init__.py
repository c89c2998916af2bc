"""A reproduction of "Combining Symbolic Expressions and Black-box Function Evaluations in Neural Programs".

`from reproduction import load` gives a trained network to ask; docs/python.md shows how.
"""

__all__ = ("load",)
VERSION = "0.3.0"  # as in pyproject.toml; every data set and every run names it


def __getattr__(name: str):
    """`load`, imported when it is asked for: importing the package stays instant."""
    if name == "load":
        from .use.network import load

        return load
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
