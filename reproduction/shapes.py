"""What a JSON file says, as records: their annotations are the shape, and whatever does not fit it is refused."""

from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

from .errors import InputError

_WORDS = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}


class _Fields(NamedTuple):
    kinds: dict[str, Any]
    defaults: dict[str, Any]


@cache
def _fields(record: type) -> _Fields:
    if is_dataclass(record):
        defaults = {field.name: field.default for field in fields(record) if field.default is not MISSING}
    else:
        defaults = record._field_defaults
    return _Fields(get_type_hints(record), defaults)


def shaped(kind, value, path, field: str = ""):
    """The value as this kind: a record class, `dict[K, X]`, `tuple[X, ...]`, `X | None`, a number, a text or a truth.

    A field that is missing has its default; fields that the record does not know are passed over.
    """
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is UnionType:
        return None if value is None else shaped(arguments[0], value, path, field)
    if origin is dict:
        return {
            _key(arguments[0], key, path, field): shaped(arguments[1], each, path, _inside(field, key))
            for key, each in _checked(dict, value, path, field, "an object").items()
        }
    if origin is tuple:
        items = _checked(list, value, path, field, "a list")
        return tuple(shaped(arguments[0], each, path, _inside(field, place)) for place, each in enumerate(items))
    if kind in _WORDS:
        accepted = (int, float) if kind is float else kind
        return kind(_checked(accepted, value, path, field, _WORDS[kind], bool_fits=kind is bool))
    if kind in (dict, Any):
        return value if kind is Any else _checked(dict, value, path, field, "an object")
    return _record(kind, value, path, field)


def _record(kind: type, value, path, field: str):
    _checked(dict, value, path, field, "an object")
    kinds, defaults = _fields(kind)
    for name in kinds:
        if name not in value and name not in defaults:
            raise InputError(f"{path}: {_inside(field, name)} is missing")
    return kind(**{
        name: shaped(kinds[name], value[name], path, _inside(field, name)) for name in kinds if name in value
    })  # fmt: skip


def _inside(field: str, name) -> str:
    return f"{field}.{name}" if field else str(name)


def _key(kind: type, key: str, path, field: str):
    try:
        return kind(key)
    except ValueError:
        raise InputError(f"{path}: {_inside(field, key)} is not named by {_WORDS[kind]}") from None


def _checked(accepted, value, path, field: str, words: str, bool_fits: bool = False):
    if not isinstance(value, accepted) or (isinstance(value, bool) and not bool_fits):
        raise InputError(f"{path}: {field or 'the content'} is {str(value)[:40]!r}, not {words}")
    return value
