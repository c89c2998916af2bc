"""The engine tests with operators that are built with the address and the undefined-behaviour sanitizer.

`python tests/campaigns/sanitizers.py [PYTEST OPTIONS]`; a warning of the compiler ends it, too. g++ is needed.
"""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
FLAGS = ("-O1", "-g", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
PRELOADED = ("libasan.so", "libstdc++.so")  # the second one, or nothing that is thrown can be caught
TESTS = tuple(f"tests/networks/test_{name}.py" for name in ("fused", "fused_chains", "engines"))


def sanitized_library():
    """The module that compiles and loads the operators, with these flags."""
    from reproduction.networks.fused import engine as library

    library.FLAGS = (*library.FLAGS, *FLAGS)
    return library


def main(options: list[str]) -> int:
    sys.path.insert(0, str(HERE.parents[1]))
    os.environ["CXX"] = "g++"
    module = sanitized_library()
    library = module._library_path()
    if reason := module._why_not(library):
        raise SystemExit(f"sanitizers: {reason}")
    found = (["g++", f"-print-file-name={name}"] for name in PRELOADED)
    preloaded = [subprocess.run(each, capture_output=True, text=True, check=True).stdout.strip() for each in found]
    environment = {
        **os.environ,
        "LD_PRELOAD": ":".join(preloaded),
        "ASAN_OPTIONS": "detect_leaks=0",  # Python and MXNet keep memory until they end
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "PYTHONPATH": os.pathsep.join([str(HERE), str(HERE.parents[1])]),
    }
    words = ["-m", "pytest", "-q", "-s", "-n", "0", "-p", "no:cacheprovider", "-p", "sanitizers", *TESTS, *options]
    try:
        return subprocess.run([sys.executable, *words], env=environment, cwd=HERE.parents[1]).returncode
    finally:
        library.unlink(missing_ok=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
elif reason := sanitized_library().load_operators():  # a plugin of pytest
    raise SystemExit(f"sanitizers: {reason}")
