"""What came out, in short paragraphs: what reproduces, what does not, under whose settings, and what it depends on."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ..data.dataset import DEPTH_4_OUT
from . import verdicts
from .comparison import IN_PART, NOT_REPRODUCED, REPRODUCED, SMALLER, Evidence, Verdict
from .figures import data_study, ladder
from .results import Archive


class Paragraph(NamedTuple):
    title: str
    text: str


def _numbers(evidence: Evidence) -> str:
    """`TreeNN over LSTM, random split: +3.35 ± 0.61, the paper's +10.35`."""
    found = f"{verdicts.comparison_text(evidence.comparison)}: {verdicts.ours_text(evidence)}"
    return found if evidence.paper is None else f"{found}, the paper's {verdicts.paper_text(evidence)}"


def _standing(found: Sequence[Verdict]) -> str:
    """Claims that hold, each with its headline comparison."""
    return " ".join(f"{each.claim.statement} ({_numbers(each.evidence[0])})." for each in found)


def _failing(found: Sequence[Verdict]) -> str:
    """Claims that do not hold, or not everywhere, each with the first comparison that fails."""
    sentences = []
    for each in found:
        failed = next(evidence for evidence in each.deciding if not evidence.holds)
        count = f"{each.holding} of {len(each.deciding)} comparisons hold"
        sentences.append(f"{each.claim.statement}: {count}, not {_numbers(failed)}.")
    return " ".join(sentences)


def _studies(archive: Archive) -> str:
    sentences = []
    if archive.data_study.get("rows"):
        found = data_study.verdict(archive.data_study)  # a single sentence while there is one seed only
        sentences += dict.fromkeys((found[0], found[-1]))
    if archive.ladder.get("rows"):
        sentences.append(ladder.sentence(archive.ladder, DEPTH_4_OUT))
    return " ".join(filter(None, sentences))


def _counted(found: Sequence[Verdict]) -> str:
    """`5 reproduced, 2 reproduced in part and 2 not reproduced`."""
    counts = Counter(each.word for each in found)
    *first, last = [f"{counts[word]} {word}" for word in verdicts.SYMBOLS if counts[word]]
    return f"{', '.join(first)} and {last}" if first else last


def _under_both(ours: Sequence[Verdict], at_protocol: Sequence[Verdict]) -> str:
    """How many claims hold at our settings and at the paper's; nothing where those were not studied."""
    if not at_protocol:
        return ""
    return f"The {len(ours)} claims at our settings: {_counted(ours)}; at the paper's own: {_counted(at_protocol)}."


def paragraphs(archive: Archive) -> tuple[Paragraph, ...]:
    """Those that there is something to say in."""
    by_word: dict[str, list[Verdict]] = {}
    found = verdicts.all_verdicts(archive)
    for each in found:
        by_word.setdefault(each.word, []).append(each)
    standing = (*by_word.get(REPRODUCED, ()), *by_word.get(SMALLER, ()))
    failing = (*by_word.get(IN_PART, ()), *by_word.get(NOT_REPRODUCED, ()))
    texts = {
        "What reproduces": _standing(standing),
        "What does not": _failing(failing),
        verdicts.PROTOCOL: _under_both(found, verdicts.protocol_verdicts(archive)),
        "What it depends on": _studies(archive),
    }
    return tuple(Paragraph(title, text) for title, text in texts.items() if text)
