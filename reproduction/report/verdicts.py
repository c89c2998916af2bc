"""The claims and their verdicts as Markdown and CSV: for the README, the report and figures/verdicts.md."""

from collections.abc import Iterator

from ..data.dataset import SPLIT_TITLES
from ..measures import ACCURACY
from ..training.run_directory import BEST_ON_TEST, CHOICES, DEV_CHOSEN
from .claims import CLAIMS, Level, Ranking
from .comparison import IN_PART, NOT_REPRODUCED, REPRODUCED, SMALLER, UNDECIDED, Evidence, Verdict, judge
from .results import COMPLETION, Archive
from .tables.formats import NOTHING, Row, Table, plain_table, rows_to_csv, signed, summary_text, to_markdown
from .tables.tables import APPROACH_NAMES

SYMBOLS = {REPRODUCED: "✔", SMALLER: "✔", IN_PART: "◐", NOT_REPRODUCED: "✘", UNDECIDED: "…"}
HOLDS = {True: "holds", False: "does not hold", None: "not decided"}
PLACES = {**SPLIT_TITLES, COMPLETION: "completion"}
PROTOCOL = "At the paper's own protocol"  # a column where the study of it is there
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


def comparison_text(comparison: Ranking | Level) -> str:
    """`TreeNN over LSTM, random split` for a ranking, `TreeLSTM + data, depth 4 unseen` for a level."""
    names = [APPROACH_NAMES[name] for name in comparison[:2] if name in APPROACH_NAMES]
    measure = "" if comparison.measure == ACCURACY else f", {comparison.measure.title}"
    return f"{' over '.join(names)}, {PLACES[comparison.split]}{measure}"


def paper_text(evidence: Evidence) -> str:
    """The paper's level, or its difference with a sign; completion has the poster's numbers."""
    if evidence.paper is None:
        return NOTHING
    decimals = evidence.comparison.measure.decimals
    level = isinstance(evidence.comparison, Level)
    text = f"{evidence.paper:.{decimals}f}" if level else signed(evidence.paper, decimals)
    return f"{text} (poster)" if evidence.comparison.split == COMPLETION else text


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


def protocol_verdicts(archive: Archive) -> tuple[Verdict, ...]:
    """The verdicts at the paper's own protocol; none where that was not studied."""
    return all_verdicts(archive.protocol) if archive.protocol else ()


def _with_protocol(archive: Archive, headings: tuple[str, ...], rows: list[Row]) -> tuple[tuple[str, ...], list[Row]]:
    """A table of a row a claim, with a column for the verdicts at the paper's own protocol if there are any."""
    found = protocol_verdicts(archive)
    if not found:
        return headings, rows
    texts = (f"{_word(verdict)} ({_count(verdict)})" for verdict in found)
    return (*headings, PROTOCOL), [
        row._replace(cells=(*row.cells, text)) for row, text in zip(rows, texts, strict=True)
    ]


def _cells(evidence: Evidence) -> tuple[str, ...]:
    """What the columns Paper, Ours, 95 % interval and Seeds say."""
    return paper_text(evidence), ours_text(evidence), interval_text(evidence), seeds_text(evidence)


def verdict_table(archive: Archive) -> Table:
    """One row a claim: its headline comparison, how many comparisons hold, and the word for it."""
    headings = ("Claim", "Headline comparison", "Paper", "Ours", "95 % interval", "Seeds")
    headings += ("Comparisons that hold", "Verdict", "Best on test")
    rows = []
    for verdict, other in zip(all_verdicts(archive), all_verdicts(archive, BEST_ON_TEST), strict=True):
        headline, words = verdict.evidence[0], (_count(verdict), _word(verdict), _word(other))
        rows.append(Row(verdict.claim.statement, (comparison_text(headline.comparison), *_cells(headline), *words)))
    notes = (RULE, *filter(None, [archive.own_axioms]))
    return plain_table("verdicts", "Verdicts", *_with_protocol(archive, headings, rows), notes)


def claim_table(archive: Archive) -> Table:
    """The verdicts in short."""
    rows = [Row(each.claim.statement, (_count(each), _word(each))) for each in all_verdicts(archive)]
    headings = ("The paper's claim", "Comparisons that hold", "Verdict")
    return plain_table("claims", "The paper's claims", *_with_protocol(archive, headings, rows))


def evidence_table(verdict: Verdict, where: str = "") -> Table:
    """Every comparison behind a claim, in the runs of a study if its name is given."""
    rows = [Row(comparison_text(each.comparison), (*_cells(each), outcome_text(each))) for each in verdict.evidence]
    title = f"{f'{where}: ' if where else ''}{verdict.claim.statement}: {verdict.word}"
    headings = ("Comparison", "Paper", "Ours", "95 % interval", "Seeds", "Outcome")
    return plain_table(verdict.claim.key, title, headings, rows)


def protocol_evidence(archive: Archive) -> tuple[Table, ...]:
    """Every comparison behind each claim at the paper's own protocol."""
    return tuple(evidence_table(verdict, PROTOCOL) for verdict in protocol_verdicts(archive))


def verdicts_markdown(archive: Archive) -> str:
    evidence = (*map(evidence_table, all_verdicts(archive)), *protocol_evidence(archive))
    return "\n".join(map(to_markdown, (verdict_table(archive), *evidence)))


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


def verdicts_csv(archive: Archive) -> str:
    """One line a comparison, for both ways to choose the epoch; at the paper's settings, too, if they were studied."""
    at_protocol = _csv_rows(archive.protocol, "the paper's") if archive.protocol else ()
    return rows_to_csv([CSV_HEADER, *_csv_rows(archive, "ours"), *at_protocol])
