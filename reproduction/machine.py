"""The machine and the versions that results were made with."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version

PACKAGES = ("mxnet", "mxnet-cu112", "numpy", "gluonnlp", "sympy", "mpmath", "python-flint", "matplotlib")


def _package_versions() -> dict[str, str]:
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def describe() -> dict:
    """Size of the machine and versions; nothing that names it."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "cores": os.cpu_count(),
        "memory_gib": round(memory / 2**30, 1),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "packages": _package_versions(),
    }
