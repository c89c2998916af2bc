"""Random trees as strategies for hypothesis."""

from hypothesis import strategies as st

from reproduction.language.expression import OutOfBoundsError, apply, constant, number, variable
from reproduction.language.grammar import CONSTANTS, FUNCTIONS, GREEK_VARIABLES, MAXIMUM_DIGITS


def or_none(make, *parts):
    try:
        return make(*parts)
    except (OutOfBoundsError, ValueError):
        return None


NAMES = st.one_of(st.sampled_from(list(GREEK_VARIABLES)), st.from_regex(r"[A-Za-z](_?[0-9]{1,6})?", fullmatch=True))
DIGITS = st.text("0123456789", min_size=1, max_size=MAXIMUM_DIGITS + 2)
WRITTEN_NUMBERS = st.one_of(DIGITS, st.tuples(st.one_of(st.just(""), DIGITS), DIGITS).map(".".join))
LEAVES = st.one_of(
    st.sampled_from(list(CONSTANTS)).map(constant),
    st.sampled_from(["1", "2", "-1", "1/2", "-1/2"]).map(constant),  # their spelling is easily confused
    WRITTEN_NUMBERS.map(lambda text: or_none(number, text)).filter(bool),
    NAMES.map(lambda name: or_none(variable, name)).filter(bool),
)


def _applied(below):
    return st.sampled_from(["+", "*", "^"] * 5 + list(FUNCTIONS)).flatmap(
        lambda name: st.tuples(*[below] * FUNCTIONS[name].arity).map(lambda arguments: apply(name, *arguments))
    )


TREES = st.recursive(LEAVES, _applied, max_leaves=8)
