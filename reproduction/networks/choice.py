"""The engine of a model: the one that is asked for, or the fastest that this machine, device and cell allow."""

from collections.abc import Callable, Mapping
from functools import partial

from ..errors import InputError
from .chains import ChainEngine, GluonChains, Sides
from .engine import Engine
from .fused import chains as fused_chains
from .fused import engine as fused_trees
from .generic import GenericEngine
from .recursive import RecursiveEngine
from .sequence_model import SequenceModel

FUSED, GENERIC = "fused", "generic"
TREE_ENGINES = {engine.name: engine for engine in (fused_trees.FusedEngine, GenericEngine, RecursiveEngine)}
CHAIN_ENGINES = {engine.name: engine for engine in (fused_chains.FusedChains, GluonChains)}


def _made(name: str | None, engines: Mapping[str, type], reason_against: Callable[..., str | None], model, *data):
    """The engine of this name; without a name fused, or generic where fused cannot be had, which then says why."""
    if name not in (None, *engines):
        raise InputError(f"engine {name!r} is unknown (allowed: {', '.join(engines)})")
    reason = reason_against(model) if name in (None, FUSED) else None
    if reason and name:
        raise InputError(f"engine 'fused' cannot be used: {reason} (take --engine generic)")
    engine = engines[name or (GENERIC if reason else FUSED)](model, *data)
    engine.instead_of_fused = reason
    return engine


def make_engine(name: str | None, model) -> Engine:
    """What computes a tree model."""
    return _made(name, TREE_ENGINES, fused_trees.reason_against, model)


def make_chain_engine(name: str | None, model: SequenceModel, sides: Sides, optimizer: str) -> ChainEngine:
    """What computes a chain on these sides of equations, and trains it by this optimizer."""
    reason_against = partial(fused_chains.reason_against, optimizer=optimizer)
    return _made(name, CHAIN_ENGINES, reason_against, model, sides)
