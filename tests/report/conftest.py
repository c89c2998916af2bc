"""The browser of the report's check; without one there is a sentence and no test."""

import os
import shutil

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
INSTALL = (
    "install it with: sudo apt install chromium; or brew install --cask chromium; "
    "or name one: CHROMIUM=/path/to/chromium ./run_all.sh test-report"
)


def find_browser() -> str:
    """The one that CHROMIUM names, or the first that is found."""
    named = os.environ.get("CHROMIUM")
    found = next(filter(None, map(shutil.which, [named] if named else [*NAMES, MAC])), None)
    if not found:
        raise pytest.UsageError(f"no Chromium was found{f' as CHROMIUM={named}' if named else ''}; {INSTALL}")
    return found


def pytest_sessionstart(session):
    """Before pytest prints anything, so that the sentence stands alone."""
    if any("check_report_page" in argument for argument in session.config.args):
        find_browser()


@pytest.fixture(scope="session")
def browser() -> str:
    return find_browser()
