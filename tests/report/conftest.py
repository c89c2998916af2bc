"""Made-up results for all tests, and the browser of the report's check; without one there is a sentence and no test."""

import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import made_up_rows
from support.chromium import browser, pytest_sessionstart  # noqa: F401

from reproduction.__main__ import main


@pytest.fixture(scope="session")
def made_up(tmp_path_factory) -> Path:
    """A data set and rows of most studies, made once; tests that change something take a copy."""
    directory = tmp_path_factory.mktemp("made-up")
    made_up_rows.write_everything(directory)
    return directory


@pytest.fixture
def copied(made_up, tmp_path) -> Path:
    shutil.copytree(made_up, tmp_path, dirs_exist_ok=True)
    return tmp_path


@pytest.fixture(scope="session")
def reported(made_up, tmp_path_factory) -> Path:
    """All tables, figures and the page of the made-up results, drawn once."""
    out = tmp_path_factory.mktemp("reported")
    assert main(["report", "--runs", str(made_up), "--out", str(out)]) == 0
    return out
