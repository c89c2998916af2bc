"""The notebook of examples runs from its first cell to its last, in docs/, as a reader would run it."""

import nbformat
from nbclient import NotebookClient

from reproduction.artifacts import ROOT


def test_the_notebook_runs():
    path = ROOT / "docs" / "examples.ipynb"
    stored = nbformat.read(path, as_version=4)
    executed = nbformat.from_dict(stored)
    for cell in executed.cells:
        cell.pop("outputs", None)
        if cell.cell_type == "code":
            cell.outputs = []
    NotebookClient(executed, timeout=100, resources={"metadata": {"path": str(path.parent)}}).execute()
    kinds = [
        [[output.output_type for output in cell.get("outputs", ())] for cell in book.cells]
        for book in (stored, executed)
    ]
    assert kinds[0] == kinds[1]
    assert any(kinds[1])
