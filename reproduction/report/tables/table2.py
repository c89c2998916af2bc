"""Table 2: examples of generated equations, correct and incorrect, as Markdown."""

from collections.abc import Sequence
from random import Random

from ...data.dataset import Record
from ...language.printing import latex_equation

ROWS = 8


def examples(records: Sequence[Record], label: int, random: Random) -> list[Record]:
    """A few readable equations of this label, the shallow ones first."""
    fitting = [record for record in records if record.label == label and record.equation.size <= 14]
    return sorted(random.sample(fitting, min(ROWS, len(fitting))), key=lambda record: record.equation.size)


def table_2(records: Sequence[Record], seed: int) -> str:
    random = Random(f"table 2 {seed}")
    columns = [examples(records, label, random) for label in (1, 0)]
    lines = ["| Examples of correct identities | Examples of incorrect identities |", "|---|---|"]
    for pair in zip(*columns, strict=False):
        lines.append("| " + " | ".join(f"${latex_equation(record.equation)}$" for record in pair) + " |")
    return "\n".join(lines) + "\n"
