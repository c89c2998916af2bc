"""The engine of a model: the one that is asked for, or the fastest that this machine, device and cell allow."""

from ..errors import InputError
from .engine import Engine
from .fused.engine import FusedEngine, reason_against
from .generic import GenericEngine
from .recursive import RecursiveEngine

ENGINES = {engine.name: engine for engine in (FusedEngine, GenericEngine, RecursiveEngine)}


def make_engine(name: str | None, model) -> Engine:
    """The engine of this name; without a name fused, or generic where fused cannot be had, which then says why."""
    if name not in (None, *ENGINES):
        raise InputError(f"engine {name!r} is unknown (allowed: {', '.join(ENGINES)})")
    reason = reason_against(model) if name in (None, FusedEngine.name) else None
    if reason and name:
        raise InputError(f"engine 'fused' cannot be used: {reason} (take --engine generic)")
    engine = ENGINES[name or (GenericEngine.name if reason else FusedEngine.name)](model)
    engine.instead_of_fused = reason
    return engine
