"""The authors' protocol: every network as the released code really ran.

A sigmoid squashes the leaves of a TreeLSTM, dropout never acts, and a chain reads the whole equation as one sequence.
"""

from ..training.configuration import RELEASE
from .core import register_study
from .protocol import study_of

register_study(
    study_of(
        RELEASE,
        "release",
        "train every network as the authors' code ran: sigmoid leaves, no dropout, chains on whole equations",
    )
)
