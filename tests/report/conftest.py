"""The browser of the report's check; without one there is a sentence and no test."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support.chromium import browser, pytest_sessionstart  # noqa: F401
