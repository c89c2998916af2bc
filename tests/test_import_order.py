"""The packages are chapters: imports go one way, each package says what lives in it, and none grows into a drawer."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import reproduction

ROOT = Path(reproduction.__file__).parent
ORDER = (
    "language",
    "judges",
    "data",
    "networks",
    "training",
    "completion",
    "showcase",
    "use",
    "serving",
    "studies",
    "report",
    "commands",
)
MOST_MODULES = 15  # in one folder, beside its __init__
PACKAGES = sorted(path.parent for path in ROOT.rglob("__init__.py") if path.parent != ROOT)


def imported(path: Path) -> Iterator[Path]:
    """What a module of ours imports from ours, wherever in it, as paths without a suffix."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = path.parents[node.level - 1]
            modules = [node.module] if node.module else [name.name for name in node.names]
            yield from (base / module.replace(".", "/") for module in modules)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [node.module] if isinstance(node, ast.ImportFrom) else [name.name for name in node.names]
            yield from (ROOT.parent / name.replace(".", "/") for name in names if name.split(".")[0] == ROOT.name)


def rank(path: Path) -> int:
    """Where a module's package stands in the order; the files beside the packages come before all of them."""
    first = path.relative_to(ROOT).parts[0] if path != ROOT else ""
    return ORDER.index(first) if first in ORDER else -1


def test_every_package_has_its_place():
    assert {path.name for path in PACKAGES if path.parent == ROOT} == set(ORDER)


@pytest.mark.parametrize("package", ["", *ORDER])
def test_imports_go_one_way(package):
    doors = {ROOT / "__main__.py", ROOT / "__init__.py", ROOT / "benchmark.py"}
    modules = (ROOT / package).rglob("*.py") if package else set(ROOT.glob("*.py")) - doors
    upward = [
        f"{module.relative_to(ROOT)} imports {target.relative_to(ROOT.parent)}"
        for module in modules
        for target in imported(module)
        if rank(target) > rank(module)
    ]
    assert upward == []


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_package_says_what_it_is_for_and_stays_small(package):
    assert ast.get_docstring(ast.parse((package / "__init__.py").read_text("utf-8")))
    assert len([path for path in package.glob("*.py") if path.name != "__init__.py"]) <= MOST_MODULES


def test_the_report_needs_no_network():
    """What people read is made from files: MXNet is not imported for it."""
    reached, waiting = set(), sorted((ROOT / "report").rglob("*.py"))
    while waiting:
        module = waiting.pop()
        if module not in reached:
            reached.add(module)
            waiting += [target.with_suffix(".py") for target in imported(module) if target.with_suffix(".py").is_file()]
    texts = {module.relative_to(ROOT): module.read_text("utf-8") for module in reached}
    assert [str(module) for module, text in texts.items() if "import mxnet" in text] == []
