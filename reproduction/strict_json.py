"""JSON without what Python alone would take: NaN, a name twice, endless digits or nesting, half characters."""

import json
import math
from typing import Any

from .errors import InputError

MOST_DIGITS, MOST_NESTED = 18, 60  # of a whole number, and of lists and objects in each other


class _RefusedError(ValueError):
    """What Python's reader would take."""


def _integer(text: str) -> int:
    if len(text) > MOST_DIGITS:
        raise _RefusedError(f"the number {text[:12]}… has more than {MOST_DIGITS} digits")
    return int(text)


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise _RefusedError(f"{text[:40]} is no number")
    return value


def _object(pairs: list[tuple]) -> dict:
    value = dict(pairs)
    if len(value) < len(pairs):
        names = [name for name, _ in pairs]
        raise _RefusedError(
            f"the name {next(name for name in names if names.count(name) > 1)[:40]!r} stands there twice"
        )
    return value


_HOOKS: dict[str, Any] = {
    "parse_int": _integer,
    "parse_float": _float,
    "parse_constant": _float,
    "object_pairs_hook": _object,
}


def parse_json(text: str, where, number: int | None = None):
    """The value of a JSON text, or of line `number` of one that has a value a line; anything but JSON is refused."""
    place = f"{where}" if number is None else f"{where}, line {number}"
    try:
        value = json.loads(text, **_HOOKS)
        _refuse_nesting(value, text)
        if "\\ud" in text.lower():
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except json.JSONDecodeError as error:
        place = f"{where}, line {number or error.lineno}, column {error.colno}"
        raise InputError(f"{place}: not JSON ({error.msg})") from None
    except RecursionError:
        raise InputError(f"{place}: nested too deep, more than {MOST_NESTED}") from None
    except UnicodeEncodeError:
        raise InputError(f"{place}: half a character (\\ud800 to \\udfff alone)") from None
    except _RefusedError as error:
        raise InputError(f"{place}: {error}") from None
    return value


def _refuse_nesting(value, text: str) -> None:
    if text.count("[") + text.count("{") <= MOST_NESTED:
        return
    level = [value]
    for _ in range(MOST_NESTED):
        level = [
            inner
            for each in level
            if isinstance(each, (dict, list))
            for inner in (each.values() if isinstance(each, dict) else each)
            if isinstance(inner, (dict, list))
        ]
        if not level:
            return
    raise RecursionError
