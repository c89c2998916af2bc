"""Inputs that nobody would write on purpose: texts and JSON values, from a grammar or made of good ones by damage."""

import json
from collections.abc import Callable
from random import Random

from reproduction.language.expression import Expression, OutOfBoundsError, apply, constant, number, variable
from reproduction.language.grammar import CONSTANTS, FUNCTIONS, GREEK_VARIABLES

TOKENS = (
    *FUNCTIONS, "sqrt", "√", "pi", "π", "e", "i", "x", "y2", "z_1", "θ", "lambda", "0", "1", "-1", "1/2", "0.5", ".4",
    "17", "2.00", "1e5", ".999999999999", "(", ")", "((", "))", ",", "=", "==", "!=", "≠", "+", "-", "*",
    "/", "^", "**", "×", "·", "−", " ", "\t", "?", "□", "#", "[", "]", ";", "$", "\x00", "\ud800", "²", "٣", "𝟏", "𝑥",
    "\u200b", "\u202e", "\ufeff", "\n", "\r", "\u2028", "'", '"', "\\", "ｓｉｎ", "0x1", "1_000", "inf", "nan", "None",
)  # fmt: skip
# What stands in JSON as it is, where the value is its place between @.
RAW = (
    "1e999", "9" * 5000, "[" * 100_000, "[" * 300 + "]" * 300, '{"a": 1, "a": 2}', '"\\ud800"', "01", "'x'",
)  # fmt: skip
ODD_VALUES = (
    *(f"@{place}@" for place in range(len(RAW))),
    None, True, False, 0, 1, -1, 2**63, -(2**200), 0.0, -0.0, 1e308, 5e-324, float("inf"), float("-inf"), float("nan"),
    "", "0", "1", "x", "nan", "\ud800", "\x00", "a" * 5000, [], {}, [[]], [None], {"": None}, {"x": {}}, [0] * 300,
    {"__class__": "x"}, [1, "1"], {"0": 0, "1": 1},
)  # fmt: skip


def tree(random: Random, height: int) -> Expression:
    """A tree of the grammar; leaves of every kind, every function."""
    if height == 0 or random.random() < 0.15:
        return _leaf(random)
    name = random.choice(("+", "*", "^")) if random.random() < 0.6 else random.choice(list(FUNCTIONS))
    try:
        return apply(name, *(tree(random, height - 1) for _ in range(FUNCTIONS[name].arity)))
    except OutOfBoundsError:
        return _leaf(random)


def _leaf(random: Random) -> Expression:
    kind = random.random()
    if kind < 0.4:
        return constant(random.choice(list(CONSTANTS)))
    if kind < 0.6:
        digits = "".join(random.choices("0123456789", k=random.randint(1, 12)))
        point = random.randint(0, len(digits))
        return number((digits[:point] or "0") + (f".{digits[point:]}" if digits[point:] else ""))
    return variable(random.choice(("x", "y", "Z", "x_1", "q123456", *GREEK_VARIABLES)))


def spine(random: Random, height: int) -> Expression:
    """A tree that is as deep as it may be, along one path."""
    result = _leaf(random)
    names = random.choices(list(FUNCTIONS), k=random.randint(1, 3))
    for _ in range(height):
        name = random.choice(names)
        arguments = [result, *(_leaf(random) for _ in range(FUNCTIONS[name].arity - 1))]
        random.shuffle(arguments)
        result = apply(name, *arguments)
    return result


def soup(random: Random) -> str:
    """Tokens of the language and of others, in any order."""
    tokens = random.choices(TOKENS, k=random.choice((1, 2, 3, 5, 8, 13, 30)))
    if random.random() < 0.02:
        tokens = tokens[:2] * random.choice((100, 205, 3000, 20_000))
    return random.choice(("", " ")).join(tokens)


def _replaced(least: int, most: int, make: Callable[[str, Random], str]) -> Callable[[str, Random], str]:
    """Puts something in the place of a few characters, which it may depend on."""

    def damage(text: str, random: Random) -> str:
        start, length = random.randrange(len(text) + 1), random.randint(least, most)
        return text[:start] + make(text[start : start + length], random) + text[start + length :]

    return damage


_drop = _replaced(1, 4, lambda piece, random: "")
_repeat = _replaced(1, 12, lambda piece, random: piece * random.choice((2, 2, 3, 50)))
_insert = _replaced(0, 0, lambda piece, random: random.choice(TOKENS))
_exchange = _replaced(1, 1, lambda piece, random: chr(random.choice((random.randrange(128), random.randrange(0x3000)))))
_lengthen = _replaced(0, 0, lambda piece, random: random.choice("0123456789([{-.") * random.choice((10, 5000)))
_cut = _replaced(10**6, 10**6, lambda piece, random: "")
DAMAGE = (_cut, _drop, _drop, _repeat, _insert, _insert, _exchange, _exchange)


def damaged(text: str, random: Random) -> str:
    """The text after a few small accidents, seldom a large one."""
    for _ in range(random.choice((1, 1, 1, 2, 3, 6))):
        text = (_lengthen if random.random() < 0.02 else random.choice(DAMAGE))(text, random)
    return text


def changed(value, random: Random, depth: int = 0):
    """A JSON value with something in it exchanged, removed, renamed or put deeper."""
    inside = isinstance(value, dict | list) and value and (depth == 0 or random.random() < 0.75)
    if not inside:
        return _odd(value, random)
    if isinstance(value, list):
        place, result = random.randrange(len(value)), list(value)
        if random.random() < 0.15:
            return result[:place] + result[place + 1 :]
        result[place] = changed(result[place], random, depth + 1)
        return result
    name, result = random.choice(list(value)), dict(value)
    kind = random.random()
    if kind < 0.1:
        del result[name]
    elif kind < 0.2:
        result[random.choice((name + "x", "", "0", "-1", "\ud800", name.upper()))] = result.pop(name)
    else:
        result[name] = changed(result[name], random, depth + 1)
    return result


def _odd(value, random: Random):
    kind = random.random()
    if kind < 0.5:
        return random.choice(ODD_VALUES)
    if kind < 0.65 and isinstance(value, int | float):
        return value * random.choice((-1, 0, 10**30, 0.5)) if value == value else 0
    if kind < 0.8 and isinstance(value, str):
        return damaged(value, random)
    return random.choice(([value], {"x": value}, str(value), [value, value]))


def spelt(value, **options) -> str:
    """JSON, with what stands between @ as it is."""
    text = json.dumps(value, **options)
    for place, raw in enumerate(RAW):
        text = text.replace(f'"@{place}@"', raw)
    return text


def json_text(good, random: Random) -> str:
    """JSON that is nearly as it should be, or a text that is nearly JSON."""
    for _ in range(random.choice((0, 1, 1, 1, 2, 4))):
        good = changed(good, random)
    text = spelt(good, ensure_ascii=random.random() < 0.7)
    if random.random() < 0.3:
        text = damaged(text, random)
    return text


def content(text: str, random: Random) -> bytes:
    """The bytes of a file: UTF-8, or nearly."""
    data = text.encode("utf-8", "surrogatepass")
    if random.random() < 0.03 and data:
        place = random.randrange(len(data))
        data = data[:place] + bytes([random.randrange(256)]) + data[place + 1 :]
    return data
