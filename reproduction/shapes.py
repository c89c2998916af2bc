"""JSON files as records: the annotations of a record class are the shape, and values of another shape are refused.

`read` is for a file with one value, `read_rows` for one with a value a line.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, NoReturn, get_args, get_origin, get_type_hints, is_typeddict

from . import artifacts
from .artifacts import parse_json
from .errors import InputError, excerpt

_WORDS = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}


def read(kind, path: Path, sealed: bool = False):
    """The value of a JSON file, as this kind; where it must be sealed, a file without a seal is refused."""
    value = parse_json(artifacts.read_text(path), path)
    result = shaped(kind, value, path)
    artifacts.unsealed(value, path)
    if sealed and artifacts.SEAL not in value:
        raise InputError(f"{path}: {artifacts.SEAL} is missing, so that the file cannot be verified")
    return result


def read_rows(kind, rows: Iterable, path: Path) -> Iterator:
    """The values of a JSON-lines file, each as this kind."""
    for number, row in enumerate(rows, 1):
        yield shaped(kind, row, f"{path}, line {number}")


@cache
def _fields(record: Any) -> tuple[dict[str, Any], frozenset[str]]:
    """The kinds of a record's fields, and those that may be missing."""
    if is_typeddict(record):
        optional = record.__optional_keys__
    elif is_dataclass(record):
        optional = (field.name for field in fields(record) if field.default is not MISSING)
    else:
        optional = record._field_defaults
    return get_type_hints(record), frozenset(optional)


def shaped(kind, value, path, field: str = ""):
    """The value as this kind: a record class, `dict[K, X]`, `tuple[X, ...]`, `list[X]`, a union, a literal, a scalar.

    A missing field gets its default, and unknown fields are passed over. A TypedDict names the fields that an object
    must have; the object keeps its other fields.
    """
    origin = get_origin(kind)
    if origin in _CONTAINERS:
        return _CONTAINERS[origin](get_args(kind), value, path, field)
    if kind in _WORDS:
        accepted = (int, float) if kind is float else kind
        return kind(_checked(accepted, value, path, field, _WORDS[kind], bool_fits=kind is bool))
    if kind in (dict, Any):
        return value if kind is Any else _checked(dict, value, path, field, "an object")
    return _record(kind, value, path, field)


def _union(kinds: tuple, value, path, field: str):
    """The value as the first kind that it fits; if there is none, the last kind gives the reason."""
    if value is None and NoneType in kinds:
        return None
    *others, last = (kind for kind in kinds if kind is not NoneType)
    for kind in others:
        with suppress(InputError):
            return shaped(kind, value, path, field)
    return shaped(last, value, path, field)


def _dict(kinds: tuple, value, path, field: str) -> dict:
    return {
        _key(kinds[0], key, path, field): shaped(kinds[1], each, path, _inside(field, key))
        for key, each in _checked(dict, value, path, field, "an object").items()
        if field or key != artifacts.SEAL
    }


def _list(kinds: tuple, value, path, field: str) -> list:
    items = _checked(list, value, path, field, "a list")
    if kinds[0] in _WORDS and all(type(each) is kinds[0] for each in items):  # long lists of numbers are quick
        return items
    return [shaped(kinds[0], each, path, _inside(field, place)) for place, each in enumerate(items)]


def _literal(allowed: tuple, value, path, field: str):
    is_one = isinstance(value, (str, int)) and not isinstance(value, bool) and value in allowed
    return value if is_one else _refuse(value, path, field, f"one of {', '.join(map(str, allowed))}")


def _record(kind: type, value, path, field: str):
    _checked(dict, value, path, field, "an object")
    kinds, optional = _fields(kind)
    for name in kinds:
        if name not in value and name not in optional:
            raise InputError(f"{path}: {_inside(field, name)} is missing")
    found = {name: shaped(kinds[name], value[name], path, _inside(field, name)) for name in kinds if name in value}
    if is_typeddict(kind):
        return {name: found.get(name, each) for name, each in value.items() if field or name != artifacts.SEAL}
    return kind(**found)


def _inside(field: str, name) -> str:
    shown = excerpt(str(name), 40)
    return f"{field}.{shown}" if field else shown


def _key(kind: type, key: str, path, field: str):
    if kind is not str and not (len(key) < 10 and key.isascii() and key.isdigit() and str(int(key)) == key):
        raise InputError(f"{path}: {_inside(field, key)} is not named by {_WORDS[kind]}")
    return kind(key)


def _checked(accepted, value, path, field: str, words: str, bool_fits: bool = False):
    fits = isinstance(value, accepted) and (bool_fits or not isinstance(value, bool))
    return value if fits else _refuse(value, path, field, words)


def _refuse(value, path, field: str, words: str) -> NoReturn:
    raise InputError(f"{path}: {field or 'the content'} is {str(value)[:40]!r}, not {words}")


_CONTAINERS: dict[Any, Callable] = {
    UnionType: _union,
    dict: _dict,
    list: _list,
    tuple: lambda *details: tuple(_list(*details)),
    Literal: _literal,
}
