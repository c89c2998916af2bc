"""Random trees of the whole language, for hypothesis."""

from hypothesis import strategies as st

from reproduction.language.expression import apply, constant, number, variable
from reproduction.language.grammar import CONSTANTS, FUNCTIONS, GREEK_VARIABLES

EXTRA = ("log", "atan2")

LEAVES = st.one_of(
    st.sampled_from(list(CONSTANTS)).map(constant),
    # The constants whose spelling is easily confused come up often.
    st.sampled_from(["1", "2", "-1", "1/2", "-1/2"]).map(constant),
    st.decimals(0, 999, places=2).map(abs).map(number),
    st.sampled_from(["0", "0.4", "0.5", "2", "10", "17"]).map(number),
    st.sampled_from(["x", "A", "y2", "x_1", *GREEK_VARIABLES]).map(variable),
)


def _applied(children):
    return st.sampled_from(["+", "*", "^"] * 5 + list(FUNCTIONS)).flatmap(
        lambda name: st.tuples(*[children] * FUNCTIONS[name].arity).map(lambda arguments: apply(name, *arguments))
    )


TREES = st.recursive(LEAVES, _applied, max_leaves=12)
