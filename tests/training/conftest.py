"""A small data set that the tests of training share."""

import pytest
from support.small_data import write_small_dataset


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    directory = tmp_path_factory.mktemp("data")
    write_small_dataset(directory)
    return directory
