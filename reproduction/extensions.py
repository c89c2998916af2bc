"""Files of a person's own that add networks, cells, optimizers, studies and outputs; imported when a process begins.

They are named with `--extension FILE` or in the variable REPRODUCTION_EXTENSIONS, several with `:` between them. The
variable is what processes that are started inherit.
"""

import importlib.util
import os
import sys
from pathlib import Path

from .errors import InputError, excerpt

VARIABLE = "REPRODUCTION_EXTENSIONS"
OPTION = "--extension"


def add(file: str) -> None:
    """Names one more file, for this process and those that it starts."""
    path = str(Path(file).absolute())
    if path not in named():
        os.environ[VARIABLE] = os.pathsep.join([*named(), path])


def named() -> list[str]:
    """The files that are to be imported."""
    return [name for name in os.environ.get(VARIABLE, "").split(os.pathsep) if name]


def load() -> None:
    """Imports the files that are named, each once."""
    for name in named():
        _import(Path(name).absolute())


def _import(path: Path) -> None:
    module_name = f"reproduction_extension_{path.stem}"
    known = sys.modules.get(module_name)
    if known is not None and getattr(known, "__file__", None) == str(path):
        return
    if not path.is_file():
        raise InputError(f"{OPTION} {path}: there is no such file")
    specification = importlib.util.spec_from_file_location(module_name, path)
    if known is not None or specification is None or specification.loader is None:
        raise InputError(f"{OPTION} {path}: not a Python file, or one of the same name is in use already")
    module = importlib.util.module_from_spec(specification)
    sys.modules[module_name] = module
    try:
        specification.loader.exec_module(module)
    except Exception as error:
        del sys.modules[module_name]
        if isinstance(error, InputError):
            raise InputError(f"{OPTION} {path}: {error}") from None
        raise InputError(
            f"{OPTION} {path}: cannot be imported ({type(error).__name__}: {excerpt(str(error))})"
        ) from error
