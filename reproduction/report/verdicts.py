"""The claims and their verdicts as Markdown and CSV: for the README, the report and figures/verdicts.md."""

from ..data.dataset import SPLIT_TITLES
from ..measures import ACCURACY
from ..training.run_directory import BEST_ON_TEST, DEV_CHOSEN
from .claims import CLAIMS, Level, Ranking
from .comparison import IN_PART, NOT_REPRODUCED, REPRODUCED, UNDECIDED, Outcome, Verdict, judge
from .results import COMPLETION, Archive
from .tables.formats import NOTHING, Column, Row, Section, Table, rows_to_csv, signed, summary_text, to_markdown
from .tables.tables import APPROACH_NAMES

SYMBOLS = {REPRODUCED: "✔", IN_PART: "◐", NOT_REPRODUCED: "✘", UNDECIDED: "…"}
HOLDS = {True: "holds", False: "does not hold", None: "not decided"}
PLACES = {**SPLIT_TITLES, COMPLETION: "completion"}
RULE = (
    "A ranking holds when it holds in at least 4 of 5 paired seeds (same split, same seed); a positive difference, in "
    "points of accuracy or in units of the error, means that the first is better. A level holds when the mean over 5 "
    "seeds is close to the paper's number or better. A claim is reproduced when every comparison behind it holds, in "
    "part when at least half do, and not decided while seeds are missing."
)


def comparison_text(comparison: Ranking | Level) -> str:
    """`TreeNN over LSTM, random split` for a ranking, `TreeLSTM + data, depth 4 unseen` for a level."""
    names = [APPROACH_NAMES[name] for name in comparison[:2] if name in APPROACH_NAMES]
    measure = "" if comparison.measure == ACCURACY else f", {comparison.measure.title}"
    return f"{' over '.join(names)}, {PLACES[comparison.split]}{measure}"


def paper_text(outcome: Outcome) -> str:
    """The paper's level, or its difference with a sign; completion has the poster's numbers."""
    if outcome.paper is None:
        return NOTHING
    decimals = outcome.comparison.measure.decimals
    level = isinstance(outcome.comparison, Level)
    text = f"{outcome.paper:.{decimals}f}" if level else signed(outcome.paper, decimals)
    return f"{text} (poster)" if outcome.comparison.split == COMPLETION else text


def ours_text(outcome: Outcome) -> str:
    text = summary_text(outcome.ours, outcome.comparison.measure.decimals).replace("-", "−")
    if isinstance(outcome.comparison, Ranking) and outcome.ours and outcome.ours.mean >= 0:
        return f"+{text}"
    return text


def seeds_text(outcome: Outcome) -> str:
    """In how many seeds a ranking holds, or over how many seeds a level is the mean."""
    seeds = outcome.ours.seeds if outcome.ours else 0
    if not seeds:
        return "no runs"
    if outcome.wins is None:
        return "one seed" if seeds == 1 else f"mean of {seeds}"
    return f"{outcome.wins} of {seeds}"


def all_verdicts(archive: Archive, choice: str = DEV_CHOSEN) -> tuple[Verdict, ...]:
    return tuple(judge(archive, claim, choice) for claim in CLAIMS)


def _word(verdict: Verdict) -> str:
    return f"{SYMBOLS[verdict.word]} {verdict.word}"


def verdict_table(archive: Archive) -> Table:
    """One row a claim: its headline comparison, how many comparisons hold, and the word for it."""
    columns = (
        "Claim",
        "Headline comparison",
        "Paper",
        "Ours",
        "Seeds",
        "Comparisons that hold",
        "Verdict",
        "Best on test",
    )
    rows = []
    for verdict, other in zip(all_verdicts(archive), all_verdicts(archive, BEST_ON_TEST), strict=True):
        headline = verdict.outcomes[0]
        count = f"{verdict.holding} of {len(verdict.deciding)}"
        texts = (comparison_text(headline.comparison), paper_text(headline), ours_text(headline), seeds_text(headline))
        rows.append(Row(verdict.claim.statement, (*texts, count, _word(verdict), _word(other))))
    return Table("verdicts", "Verdicts", (Section("", tuple(map(Column, columns)), tuple(rows)),), (RULE,))


def evidence_table(verdict: Verdict) -> Table:
    """Every comparison behind a claim."""
    columns = tuple(map(Column, ("Comparison", "Paper", "Ours", "Seeds", "Outcome")))
    rows = []
    for outcome in verdict.outcomes:
        word = HOLDS[outcome.holds] + ("" if outcome.comparison.decides else " (ours, decides nothing)")
        texts = (paper_text(outcome), ours_text(outcome), seeds_text(outcome), word)
        rows.append(Row(comparison_text(outcome.comparison), texts))
    return Table(verdict.claim.key, f"{verdict.claim.statement}: {verdict.word}", (Section("", columns, tuple(rows)),))


def verdicts_markdown(archive: Archive) -> str:
    tables = [verdict_table(archive), *map(evidence_table, all_verdicts(archive))]
    return "\n".join(map(to_markdown, tables))


def verdicts_csv(archive: Archive) -> str:
    """One line a comparison, for both ways to choose the epoch."""
    rows = [
        (
            "claim",
            "verdict",
            "choice",
            "comparison",
            "decides",
            "paper",
            "ours_mean",
            "ours_std",
            "seeds",
            "wins",
            "holds",
        )
    ]
    for choice in (DEV_CHOSEN, BEST_ON_TEST):
        for verdict in all_verdicts(archive, choice):
            for outcome in verdict.outcomes:
                ours = outcome.ours
                numbers = (outcome.paper, ours and ours.mean, ours and ours.std)
                texts = ("" if number is None else f"{number:.5f}" for number in numbers)
                seeds = ours.seeds if ours else 0
                wins = "" if outcome.wins is None else outcome.wins
                where = (verdict.claim.key, verdict.word, choice, comparison_text(outcome.comparison))
                rows.append((*where, outcome.comparison.decides, *texts, seeds, wins, HOLDS[outcome.holds]))
    return rows_to_csv(rows)
