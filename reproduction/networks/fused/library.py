"""Compiles the operators of this directory and loads them into MXNet: mx.nd.tree_train, mx.nd.chain_train, ….

The shared object lies in the environment; its name contains a hash of everything that it is made from. Where it cannot
be had, `load_operators` says why, and the caller computes in another way. Run as a module, it compiles: set-up does so.
"""

import ctypes
import functools
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from ..backend import mx

HERE = Path(__file__).parent
SOURCES = tuple(sorted(path.name for pattern in ("*.cc", "*.h") for path in HERE.glob(pattern)))
OPERATORS = ("tree_network", "tree_train", "chain_network", "chain_train")
FLAGS = (
    *("-shared", "-fPIC", "-O3", "-std=c++17", "-mavx2", "-mfma"),
    *("-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"),  # none of these hides a NaN
)
SWITCH = "REPRODUCTION_FUSED"


def _compiler() -> str | None:
    candidates = (os.environ.get("CXX"), "c++", "g++", "clang++")
    return next((found for name in candidates if name and (found := shutil.which(name))), None)


def _processor_features() -> set[str]:
    """What the processor can do, in Linux's or macOS's own list."""
    listed = Path("/proc/cpuinfo")
    if listed.exists():
        return set(listed.read_text().lower().split())
    command = ("sysctl", "-n", "machdep.cpu.features", "machdep.cpu.leaf7_features")
    return set(subprocess.run(command, capture_output=True, text=True).stdout.lower().split())


def _library_path() -> Path:
    """Where the library of these sources, this MXNet and these flags lies; `.so` on macOS too, as MXNet demands."""
    parts = [*((HERE / name).read_bytes() for name in SOURCES), mx.__version__.encode(), " ".join(FLAGS).encode()]
    digest = hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()[:16]
    return Path(sys.prefix) / "share" / "reproduction" / f"fused-{digest}.so"


def _compile(compiler: str, path: Path) -> str | None:
    """Makes the library, whole or not at all, whoever else is making it; None, or why it failed."""
    mxnet = Path(mx.__file__).parent
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent) as directory:
            made = Path(directory) / path.name
            mxnets = ("-isystem", mxnet / "include", "-isystem", mxnet / "src")  # whose warnings are not ours
            files = (*mxnets, *sorted(HERE.glob("*.cc")), "-o", made)
            result = subprocess.run([compiler, *FLAGS, *map(str, files)], capture_output=True, text=True)
            if result.returncode:
                complaint = (result.stderr.strip() or f"{compiler} ended with code {result.returncode}").splitlines()[0]
                return f"the C++ compiler {compiler} refused the operators: {complaint}"
            os.replace(made, path)
    except OSError as error:
        return f"{path.parent} cannot be written ({error.strerror})"
    return None


def _why_not(path: Path) -> str | None:
    """None when the library lies there, else why it does not."""
    if os.environ.get(SWITCH) == "0":
        return f"it is switched off ({SWITCH}=0)"
    if not {"avx2", "fma"} <= _processor_features():
        return "the processor has no AVX2 and FMA"
    if path.exists():
        return None
    compiler = _compiler()
    return _compile(compiler, path) if compiler else "there is no C++ compiler"


def _make_functions(root: str, module: str, make_function: Callable) -> None:
    """mx.nd.NAME or mx.sym.NAME of our operators, in the way of mxnet.base._init_op_module.

    MXNet itself would make the Python functions of all its thousand operators again, a second's work.
    """
    for name in OPERATORS:
        handle = mx.base.OpHandle()
        mx.base.check_call(mx.base._LIB.NNGetOpHandle(mx.base.c_str(name), ctypes.byref(handle)))
        setattr(sys.modules[f"{root}.{module}.op"], name, make_function(handle, name, name))


@functools.cache
def load_operators() -> str | None:
    """Makes the operators available in this process; None when they are, else a few words why not."""
    path = _library_path()
    reason = _why_not(path)
    if reason is None:
        before, mx.library._init_op_module = mx.library._init_op_module, _make_functions
        try:
            mx.library.load(str(path), verbose=False)
        except mx.MXNetError as error:
            reason = f"MXNet cannot load the operators: {str(error).strip().splitlines()[-1]}"
        finally:
            mx.library._init_op_module = before
    return reason


def compiled_by() -> str | None:
    """The compiler of the operators, `g++ 12.2.0`; None without operators."""
    if load_operators() is not None:
        return None
    name = ctypes.CDLL(str(_library_path())).fused_compiler
    name.restype = ctypes.c_char_p
    return name().decode()


if __name__ == "__main__":
    reason = load_operators()
    print(f"No fused operators ({reason}): the generic engine computes." if reason else "Fused operators: ready.")
