"""The engine of a model: the one that is asked for, or the fastest that this machine, device and cell allow."""

from ..errors import InputError
from .engine import Engine
from .fused.engine import FusedEngine, reason_against
from .generic import GenericEngine
from .recursive import RecursiveEngine

ENGINES = {engine.name: engine for engine in (FusedEngine, GenericEngine, RecursiveEngine)}


def make_engine(name: str | None, model) -> Engine:
    """The engine of this name; without a name fused, or generic where fused cannot be had."""
    if name not in (None, *ENGINES):
        raise InputError(f"engine {name!r} is unknown (allowed: {', '.join(ENGINES)})")
    if name in (None, FusedEngine.name):
        reason = reason_against(model)
        if reason and name:
            raise InputError(f"engine 'fused' cannot be used: {reason} (take --engine generic)")
        name = GenericEngine.name if reason else FusedEngine.name
    return ENGINES[name](model)
