"""Settings of every test: one thread a process, and property-based tests that draw the same examples each time."""

import os

from hypothesis import settings

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when mxnet is first imported

settings.register_profile("repeatable", derandomize=True, deadline=None, database=None, print_blob=True)
settings.load_profile("repeatable")
