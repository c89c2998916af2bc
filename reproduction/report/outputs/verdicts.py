"""The claims and their verdicts as Markdown and CSV: for the README, the report and figures/verdicts.md."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ...data.dataset import SPLIT_TITLES
from ...measures import ACCURACY, TOP_K, TOP_K_MSE
from ..claims import CLAIMS, Level, Ranking
from ..comparison import IN_PART, NOT_REPRODUCED, REPRODUCED, SMALLER, UNDECIDED, Evidence, Verdict, judge
from ..formats import NOTHING, Row, Section, Table, plain_table, signed, summary_text
from ..registry import TABLE, Output, register
from ..results import BEST_ON_TEST, CHOICES, DEV_CHOSEN, OURS, PAPERS, PROTOCOLS, RELEASE, Archive
from .results import APPROACH_NAMES

SYMBOLS = {REPRODUCED: "✔", SMALLER: "✔", IN_PART: "◐", NOT_REPRODUCED: "✘", UNDECIDED: "…"}
HOLDS = {True: "holds", False: "does not hold", None: "not decided"}
SETTINGS = {RELEASE: "the authors'", OURS: "ours", PAPERS: "the paper's"}  # as the CSV file calls them
RULE = (
    "Differences are paired: same split, same seed; a positive one, in points of accuracy or in units of the error, "
    "means that the first is better. A ranking holds when the 95 % interval of the mean difference (Student's t over "
    "at least 5 seeds) lies above 0; it is as large as in the paper when the interval reaches half of the paper's "
    "difference, else smaller; the paper's effect is excluded when the interval lies below the paper's difference. A "
    "level holds when the mean over at least 5 seeds is close to the paper's number or better. A claim is reproduced "
    "when every comparison behind it holds and the headline one is as large as in the paper; reproduced, smaller, "
    "when every one holds; in part when more than half hold; and not decided while seeds are missing. The spread over "
    "seeds contains neither the chance of the test set nor that of the data set."
)


def _is_of_blanks(comparison: Ranking | Level) -> bool:
    return comparison.measure in TOP_K or comparison.measure in TOP_K_MSE


def comparison_text(comparison: Ranking | Level) -> str:
    """`TreeNN over LSTM, random split` for a ranking, `TreeLSTM + data, depth 4 unseen` for a level."""
    names = [APPROACH_NAMES[name] for name in comparison[:2] if name in APPROACH_NAMES]
    place = "completion" if _is_of_blanks(comparison) else SPLIT_TITLES[comparison.split]
    measure = "" if comparison.measure == ACCURACY else f", {comparison.measure.title}"
    return f"{' over '.join(names)}, {place}{measure}"


def paper_text(evidence: Evidence) -> str:
    """The paper's level, or its difference with a sign; completion has the poster's numbers."""
    if evidence.paper is None:
        return NOTHING
    decimals = evidence.comparison.measure.decimals
    level = isinstance(evidence.comparison, Level)
    text = f"{evidence.paper:.{decimals}f}" if level else signed(evidence.paper, decimals)
    return f"{text} (poster)" if _is_of_blanks(evidence.comparison) else text


def ours_text(evidence: Evidence) -> str:
    text = summary_text(evidence.ours, evidence.comparison.measure.decimals).replace("-", "−")
    if isinstance(evidence.comparison, Ranking) and evidence.ours and evidence.ours.mean >= 0:
        return f"+{text}"
    return text


def seeds_text(evidence: Evidence) -> str:
    """In how many seeds a ranking holds, or over how many seeds a level is the mean."""
    seeds = evidence.ours.seeds if evidence.ours else 0
    if not seeds:
        return "no runs"
    if evidence.wins is None:
        return "one seed" if seeds == 1 else f"mean of {seeds}"
    return f"{evidence.wins} of {seeds}"


def interval_text(evidence: Evidence) -> str:
    """`+0.12 to +0.80`, the 95 % interval of a difference."""
    if evidence.interval is None:
        return NOTHING
    return " to ".join(signed(bound, evidence.comparison.measure.decimals) for bound in evidence.interval)


def outcome_text(evidence: Evidence) -> str:
    """Whether a comparison holds, how large it is beside the paper's, and whether it decides anything."""
    text = HOLDS[evidence.holds]
    if evidence.holds and not evidence.is_as_large:
        text += ", smaller than in the paper"
    if evidence.holds is False and evidence.is_excluded:
        text += ", the paper's difference is excluded"
    return text if evidence.comparison.decides else f"{text} (ours, decides nothing)"


def all_verdicts(archive: Archive, choice: str = DEV_CHOSEN) -> tuple[Verdict, ...]:
    return tuple(judge(archive, claim, choice) for claim in CLAIMS)


def _word(verdict: Verdict) -> str:
    return f"{SYMBOLS[verdict.word]} {verdict.word}"


def _count(verdict: Verdict) -> str:
    return f"{verdict.holding} of {len(verdict.deciding)}"


def judged(archive: Archive) -> dict[str, tuple[Verdict, ...]]:
    """The verdicts under each protocol that was studied: the first one that tables show stands first."""
    shown = archive.protocols
    others = [name for name in PROTOCOLS if name not in shown and archive.rows(name)]
    return {name: all_verdicts(archive.under(name)) for name in (*shown, *others)}


def _cells(evidence: Evidence) -> tuple[str, ...]:
    """What the columns Paper, Ours, 95 % interval and Seeds say."""
    return paper_text(evidence), ours_text(evidence), interval_text(evidence), seeds_text(evidence)


def _others(archive: Archive) -> dict[str, list[str]]:
    """A column for each protocol but the first: the word for every claim, and how many comparisons hold."""
    _, *others = judged(archive).items()
    return {PROTOCOLS[name]: [f"{_word(each)} ({_count(each)})" for each in found] for name, found in others}


def _claims(archive: Archive, headings: tuple[str, ...], cells: Sequence[tuple[str, ...]], *notes: str) -> Table:
    """A line a claim, with what it is under the other protocols."""
    others = _others(archive)
    rows = (
        Row(claim.statement, (*own, *more))
        for claim, own, *more in zip(CLAIMS, cells, *others.values(), strict=True)
    )  # fmt: skip
    return plain_table("verdicts", "Verdicts", (*headings, *others), rows, tuple(filter(None, notes)))


def verdict_table(archive: Archive) -> Table:
    """One row a claim: its headline comparison, how many comparisons hold, and the word for it."""
    headings = (
        "Claim", "Headline comparison", "Paper", "Ours", "95 % interval", "Seeds", "Comparisons that hold", "Verdict",
        "Best on test",
    )  # fmt: skip
    first = archive.under(archive.protocols[0])
    cells: list[tuple[str, ...]] = []
    for verdict, other in zip(all_verdicts(first), all_verdicts(first, BEST_ON_TEST), strict=True):
        headline = verdict.evidence[0]
        about = (comparison_text(headline.comparison), *_cells(headline))
        cells.append((*about, _count(verdict), _word(verdict), _word(other)))
    return _claims(archive, headings, cells, RULE, archive.own_axioms)


def claim_table(archive: Archive) -> Table:
    """The verdicts in short."""
    cells: list[tuple[str, ...]] = [
        (_count(each), _word(each)) for each in all_verdicts(archive.under(archive.protocols[0]))
    ]
    return _claims(archive, ("The paper's claim", "Comparisons that hold", "Verdict"), cells)


def evidence_section(verdict: Verdict, where: str = "") -> Section:
    """Every comparison behind a claim, under the protocol of this name if it is given."""
    rows = [Row(comparison_text(each.comparison), (*_cells(each), outcome_text(each))) for each in verdict.evidence]
    title = f"{f'{where}: ' if where else ''}{verdict.claim.statement}: {verdict.word}"
    headings = ("Comparison", "Paper", "Ours", "95 % interval", "Seeds", "Outcome")
    return plain_table(verdict.claim.key, title, headings, rows).sections[0]._replace(title=title)


def evidence_sections(archive: Archive) -> tuple[Section, ...]:
    """Those of all claims under all protocols; the first protocol needs no name."""
    found = judged(archive)
    names = {name: PROTOCOLS[name] if place else "" for place, name in enumerate(found)}
    return tuple(evidence_section(each, names[name]) for name, verdicts in found.items() for each in verdicts)


def verdicts(archive: Archive) -> Table:
    """The verdicts, every comparison behind them, and as data both ways to choose the epoch."""
    table = verdict_table(archive)
    lines = (line for name in judged(archive) for line in _csv_rows(archive.under(name), SETTINGS[name]))
    return table._replace(sections=(*table.sections, *evidence_sections(archive)), data=(CSV_HEADER, *lines))


CSV_HEADER = (
    "claim", "verdict", "choice", "comparison", "decides", "paper", "ours_mean", "ours_std", "low", "high", "seeds",
    "wins", "holds", "settings",
)  # fmt: skip


def _csv_rows(archive: Archive, settings: str) -> Iterator[tuple]:
    for choice in CHOICES:
        for verdict in all_verdicts(archive, choice):
            for each in verdict.evidence:
                mean, std, seeds = each.ours or (None, None, 0)
                numbers = (each.paper, mean, std, *(each.interval or (None, None)))
                texts = ("" if number is None else f"{number:.5f}" for number in numbers)
                wins = "" if each.wins is None else each.wins
                where = (verdict.claim.key, verdict.word, choice, comparison_text(each.comparison))
                yield (*where, each.comparison.decides, *texts, seeds, wins, HOLDS[each.holds], settings)


class Paragraph(NamedTuple):
    title: str
    text: str


def _numbers(evidence: Evidence) -> str:
    """`TreeNN over LSTM, random split: +3.35 ± 0.61, the paper's +10.35`."""
    found = f"{comparison_text(evidence.comparison)}: {ours_text(evidence)}"
    return found if evidence.paper is None else f"{found}, the paper's {paper_text(evidence)}"


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


def counted(found: Sequence[Verdict]) -> str:
    """`5 reproduced, 2 reproduced in part and 2 not reproduced`."""
    counts = Counter(each.word for each in found)
    *first, last = [f"{counts[word]} {word}" for word in SYMBOLS if counts[word]]
    return f"{', '.join(first)} and {last}" if first else last


def in_numbers(found: Sequence[Verdict]) -> str:
    """How much of the paper comes back in level, in ranking and in size; nothing while comparisons are not decided."""
    deciding = {evidence.comparison: evidence for verdict in found for evidence in verdict.deciding}.values()
    levels = [evidence.holds for evidence in deciding if isinstance(evidence.comparison, Level)]
    rankings = [evidence for evidence in deciding if isinstance(evidence.comparison, Ranking)]
    if any(evidence.holds is None for evidence in deciding) or not levels:
        return ""
    holding = [evidence for evidence in rankings if evidence.holds]
    sized = [evidence.is_as_large for evidence in holding if evidence.paper is not None]
    return (
        f"In level {levels.count(True)} of {len(levels)} numbers are close to the paper's or better; in ranking "
        f"{len(holding)} of {len(rankings)} comparisons hold; in size {sized.count(True)} of the {len(sized)} of these "
        "that the paper has numbers on are at least half as large."
    )


def _under_each(found: dict[str, tuple[Verdict, ...]]) -> str:
    """What holds under each protocol that was studied."""
    if len(found) == 1:
        return in_numbers(found[next(iter(found))])
    return " ".join(f"{PROTOCOLS[name]}: {counted(each)}. {in_numbers(each)}".strip() for name, each in found.items())


def paragraphs(archive: Archive) -> tuple[Paragraph, ...]:
    """What came out, in short: what reproduces, what does not, and under whose settings; what there is to say."""
    found = judged(archive)
    first = next(iter(found.values()))
    standing = [each for word in (REPRODUCED, SMALLER) for each in first if each.word == word]
    failing = [each for word in (IN_PART, NOT_REPRODUCED) for each in first if each.word == word]
    texts = {
        "What reproduces": _standing(standing),
        "What does not": _failing(failing),
        "Under whose settings": _under_each(found),
    }
    return tuple(Paragraph(title, text) for title, text in texts.items() if text)


register(Output("verdicts", "Every claim of the paper, judged", TABLE, verdicts, section="results"))
