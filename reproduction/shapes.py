"""What a JSON file says, as records: their annotations are the shape, and whatever does not fit it is refused.

The one reader of JSON and JSON-lines files: `read` for one value, `read_rows` for a value a line.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints, is_typeddict

from . import artifacts
from .artifacts import parse_json
from .errors import InputError, excerpt

_WORDS = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}


def read(kind, path: Path, sealed: bool = False):
    """What a JSON file says, as this kind; a sealed one must have its seal."""
    value = parse_json(artifacts.read_text(path), path)
    result = shaped(kind, value, path)
    artifacts.unsealed(value, path)
    if sealed and artifacts.SEAL not in value:
        raise InputError(f"{path}: {artifacts.SEAL} is missing, so that nobody knows whether it is whole")
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

    A field that is missing has its default; fields that the record does not know are passed over. A TypedDict says what
    an object must have, and leaves it an object.
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
    """The first kind that fits; of several that do not, the last one says why."""
    if value is None and NoneType in kinds:
        return None
    *others, last = (kind for kind in kinds if kind is not NoneType)
    for kind in others:
        try:
            return shaped(kind, value, path, field)
        except InputError:
            continue
    return shaped(last, value, path, field)


def _dict(kinds: tuple, value, path, field: str) -> dict:
    return {
        _key(kinds[0], key, path, field): shaped(kinds[1], each, path, _inside(field, key))
        for key, each in _checked(dict, value, path, field, "an object").items()
        if field or key != artifacts.SEAL
    }


def _list(kinds: tuple, value, path, field: str) -> list:
    items = _checked(list, value, path, field, "a list")
    if kinds[0] in _WORDS and all(type(each) is kinds[0] for each in items):
        return list(items)
    return [shaped(kinds[0], each, path, _inside(field, place)) for place, each in enumerate(items)]


def _literal(allowed: tuple, value, path, field: str):
    if isinstance(value, (bool, float, list, dict)) or value not in allowed:
        raise InputError(
            f"{path}: {field or 'the content'} is {str(value)[:40]!r}, not one of {', '.join(map(str, allowed))}"
        )
    return value


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
    if not isinstance(value, accepted) or (isinstance(value, bool) and not bool_fits):
        raise InputError(f"{path}: {field or 'the content'} is {str(value)[:40]!r}, not {words}")
    return value


_CONTAINERS: dict[Any, Callable] = {
    UnionType: _union,
    dict: _dict,
    list: _list,
    tuple: lambda *details: tuple(_list(*details)),
    Literal: _literal,
}
