"""The claims and their verdicts: for the README, the page and figures/verdicts.md."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from ...data.dataset import SPLIT_TITLES
from ...measures import ACCURACY, TOP_K, TOP_K_MSE
from ..claims import (
    CLAIMS,
    IN_PART,
    NOT_REPRODUCED,
    REPRODUCED,
    SEEDS_WANTED,
    SMALLER,
    UNDECIDED,
    Comparison,
    Evidence,
    Verdict,
    judge,
)
from ..formats import NOTHING, Line, Section, Table, section, signed, summary_text
from ..registry import table
from ..results import BEST_ON_TEST, CHOICES, DEV_CHOSEN, OURS, PAPERS, PROTOCOLS, RELEASE, Archive
from .results import APPROACH_NAMES

SYMBOLS = {REPRODUCED: "✔", SMALLER: "✔", IN_PART: "◐", NOT_REPRODUCED: "✘", UNDECIDED: "…"}
BLANKS = (*TOP_K, *TOP_K_MSE)
HOLDS = {True: "holds", False: "does not hold", None: "not decided"}
SETTINGS = {RELEASE: "the authors'", OURS: "ours", PAPERS: "the paper's"}  # as the CSV file calls them
RULE = (
    "Differences are paired within seeds; a positive one, in points of accuracy or in units of the error, means that "
    f"the first is better. A ranking holds when the 95 % interval of the mean difference (Student's t, {SEEDS_WANTED} "
    "seeds or more) lies above 0; it is as large as in the paper when the interval reaches half of the paper's "
    "difference; the paper's difference is excluded when the interval lies below it. A level holds when the mean is "
    "close to the paper's number or better. A claim is reproduced when every comparison holds and the headline one is "
    "as large as in the paper; reproduced, smaller, when every one holds; in part when more than half hold; and not "
    "decided while seeds are missing. The spread over seeds contains neither the chance of the test set nor that of "
    "the data set."
)
CSV_HEADER = (
    "claim", "verdict", "choice", "comparison", "decides", "paper", "ours_mean", "ours_std", "low", "high", "seeds",
    "wins", "holds", "settings",
)  # fmt: skip

# ------------------------------------------------------------------------------------------------ in words


def comparison_text(comparison: Comparison) -> str:
    """`TreeNN over LSTM, random split`, or `TreeLSTM + data, depth 4 unseen` for one that is alone."""
    names = [APPROACH_NAMES[name] for name in (comparison.approach, comparison.other) if name]
    place = "completion" if comparison.measure in BLANKS else SPLIT_TITLES[comparison.split]
    measure = "" if comparison.measure == ACCURACY else f", {comparison.measure.title}"
    return f"{' over '.join(names)}, {place}{measure}"


def paper_text(evidence: Evidence) -> str:
    """The paper's level, or its difference with a sign; completion has the poster's numbers."""
    if evidence.paper is None:
        return NOTHING
    text = signed(evidence.paper, evidence.comparison.measure.decimals)
    text = text if evidence.comparison.other else text.removeprefix("+")
    return f"{text} (poster)" if evidence.comparison.measure in BLANKS else text


def ours_text(evidence: Evidence) -> str:
    text = summary_text(evidence.ours, evidence.comparison.measure.decimals)
    return f"+{text}" if evidence.comparison.other and evidence.ours and evidence.ours.mean >= 0 else text


def _cells(evidence: Evidence) -> tuple[str, ...]:
    """What the columns Paper, Ours, 95 % interval and Seeds say; of a level the seeds that it is the mean of."""
    decimals, seeds = evidence.comparison.measure.decimals, evidence.ours.seeds if evidence.ours else 0
    alone = "one seed" if seeds == 1 else f"mean of {seeds}"
    counted = "no runs" if not seeds else alone if evidence.wins is None else f"{evidence.wins} of {seeds}"
    interval = " to ".join(signed(bound, decimals) for bound in evidence.interval or ()) or NOTHING
    return paper_text(evidence), ours_text(evidence), interval, counted


def outcome_text(evidence: Evidence) -> str:
    """Whether a comparison holds, how large it is beside the paper's, and whether it decides anything."""
    text = HOLDS[evidence.holds]
    if evidence.holds and not evidence.reaches(0.5):
        text += ", smaller than in the paper"
    if evidence.holds is False and not evidence.reaches(1):
        text += ", the paper's difference is excluded"
    return text if evidence.comparison.decides else f"{text} (ours, decides nothing)"


def _outcome(verdict: Verdict) -> tuple[str, str]:
    """How many comparisons hold, and the word."""
    return f"{verdict.holding} of {len(verdict.deciding)}", f"{SYMBOLS[verdict.word]} {verdict.word}"


# ------------------------------------------------------------------------------------------------ tables


def all_verdicts(archive: Archive, choice: str = DEV_CHOSEN) -> tuple[Verdict, ...]:
    return tuple(judge(archive, claim, choice) for claim in CLAIMS)


def judged(archive: Archive) -> dict[str, tuple[Verdict, ...]]:
    """The verdicts under each protocol that was studied: the first one that tables show stands first."""
    shown = archive.protocols
    others = [name for name in PROTOCOLS if name not in shown and archive.rows(name)]
    return {name: all_verdicts(archive.under(name)) for name in (*shown, *others)}


def _claims(archive: Archive, headings: Sequence[str], cells: Iterable[tuple[str, ...]], *notes: str) -> Table:
    """A line a claim, with the word for it under the other protocols, and how many comparisons hold there."""
    _, *others = judged(archive).items()
    words = [[f"{word} ({count})" for count, word in map(_outcome, found)] for _, found in others]
    lines = (Line(claim.statement, (*own, *more)) for claim, own, *more in zip(CLAIMS, cells, *words, strict=True))
    columns = (*headings, *(PROTOCOLS[name] for name, _ in others))
    return Table([section("", columns, lines)], [*filter(None, notes)], "Verdicts")


def verdict_table(archive: Archive) -> Table:
    """One line a claim: its headline comparison, how many comparisons hold, and the word for it."""
    headings = (
        "Claim", "Headline comparison", "Paper", "Ours", "95 % interval", "Seeds", "Comparisons that hold", "Verdict",
        "Best on test",
    )  # fmt: skip
    first = archive.under(archive.protocols[0])
    cells = (
        (comparison_text(each.evidence[0].comparison), *_cells(each.evidence[0]), *_outcome(each), _outcome(best)[1])
        for each, best in zip(all_verdicts(first), all_verdicts(first, BEST_ON_TEST), strict=True)
    )
    return _claims(archive, headings, cells, RULE, archive.own_axioms)


def claim_table(archive: Archive) -> Table:
    """The verdicts in short."""
    cells = map(_outcome, all_verdicts(archive.under(archive.protocols[0])))
    return _claims(archive, ("The paper's claim", "Comparisons that hold", "Verdict"), cells)


def evidence_sections(archive: Archive) -> list[Section]:
    """Every comparison behind each claim under the protocols of the tables; the first one needs no name."""
    headings, sections = ("Comparison", "Paper", "Ours", "95 % interval", "Seeds", "Outcome"), []
    for place, name in enumerate(archive.protocols):
        for verdict in all_verdicts(archive.under(name)):
            title = f"{f'{PROTOCOLS[name]}: ' if place else ''}{verdict.claim.statement}: {verdict.word}"
            cells = ((comparison_text(each.comparison), *_cells(each), outcome_text(each)) for each in verdict.evidence)
            sections.append(section(title, headings, (Line(name, others) for name, *others in cells)))
    return sections


@table("verdicts", "Every claim of the paper, judged", "results")
def verdicts(archive: Archive) -> Table:
    """The verdicts, every comparison behind them, and as data both ways to choose the epoch."""
    first = verdict_table(archive)
    lines = [line for name in judged(archive) for line in _csv_rows(archive.under(name), SETTINGS[name])]
    return first._replace(sections=[*first.sections, *evidence_sections(archive)], data=[CSV_HEADER, *lines])


def _csv_rows(archive: Archive, settings: str) -> Iterator[tuple]:
    for choice, claim in product(CHOICES, CLAIMS):
        verdict = judge(archive, claim, choice)
        for each in verdict.evidence:
            mean, std, seeds = each.ours or (None, None, 0)
            numbers = (each.paper, mean, std, *(each.interval or (None, None)))
            texts = ("" if number is None else f"{number:.5f}" for number in numbers)
            where = (claim.key, verdict.word, choice, comparison_text(each.comparison))
            yield (*where, each.comparison.decides, *texts, seeds, each.wins, HOLDS[each.holds], settings)


# ------------------------------------------------------------------------------------------------ what came out


def _numbers(evidence: Evidence) -> str:
    """`TreeNN over LSTM, random split: +3.35 ± 0.61, the paper's +10.35`."""
    found = f"{comparison_text(evidence.comparison)}: {ours_text(evidence)}"
    return found if evidence.paper is None else f"{found}, the paper's {paper_text(evidence)}"


def counted(found: Sequence[Verdict]) -> str:
    """`5 reproduced, 2 reproduced in part and 2 not reproduced`."""
    counts = Counter(each.word for each in found)
    *first, last = [f"{counts[word]} {word}" for word in SYMBOLS if counts[word]]
    return f"{', '.join(first)} and {last}" if first else last


def in_numbers(found: Sequence[Verdict]) -> str:
    """How much of the paper comes back in level, in ranking and in size; nothing while comparisons are not decided."""
    deciding = {evidence.comparison: evidence for verdict in found for evidence in verdict.deciding}.values()
    levels = [each.holds for each in deciding if not each.comparison.other]
    rankings = [each for each in deciding if each.comparison.other]
    if any(each.holds is None for each in deciding) or not levels:
        return ""
    holding = [each for each in rankings if each.holds]
    sized = [each.reaches(0.5) for each in holding if each.paper is not None]
    return (
        f"In level {levels.count(True)} of {len(levels)} numbers are close to the paper's or better; in ranking "
        f"{len(holding)} of {len(rankings)} comparisons hold; in size {sized.count(True)} of the {len(sized)} of these "
        "that the paper has numbers on are at least half as large."
    )


def paragraphs(archive: Archive) -> dict[str, str]:
    """What came out, in short: what reproduces, what does not, and under whose settings; what there is to say."""
    found = judged(archive)
    first = next(iter(found.values()))
    standing, failing = (
        [each for word in words for each in first if each.word == word]
        for words in ((REPRODUCED, SMALLER), (IN_PART, NOT_REPRODUCED))
    )
    under = (f"{PROTOCOLS[name]}: {counted(each)}. {in_numbers(each)}".strip() for name, each in found.items())
    texts = {
        "What reproduces": (f"{each.claim.statement} ({_numbers(each.evidence[0])})." for each in standing),
        "What does not": (
            f"{each.claim.statement}: {_outcome(each)[0]} comparisons hold, not "
            f"{_numbers(next(evidence for evidence in each.deciding if not evidence.holds))}."
            for each in failing
        ),
        "Under whose settings": [in_numbers(first)] if len(found) == 1 else under,
    }
    return {title: text for title, sentences in texts.items() if (text := " ".join(sentences))}
