"""Committed networks, loaded once."""

import pytest

from reproduction import load


@pytest.fixture(scope="session")
def tree():
    return load("tree-lstm+data")


@pytest.fixture(scope="session")
def chain():
    return load("lstm")
