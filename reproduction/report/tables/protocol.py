"""The headline numbers of every network at the paper's own protocol, beside the paper's."""

from ...data.dataset import GENERALIZATION, STRICT
from ...measures import ACCURACY
from ...networks.optimizer_traits import OPTIMIZERS
from ...training.configuration import PAPER, PRESETS, Configuration
from ...training.run_directory import CHOICES
from ..results import Archive
from .formats import Column, Table
from .tables import CHOICE_TITLES, HEADLINES, HOW_TO_READ, network_section

RANDOM = (GENERALIZATION, ACCURACY)
COLUMNS = {RANDOM: HEADLINES[RANDOM], (STRICT, ACCURACY): Column("strict split, %"), **HEADLINES}


def _settings(used: Configuration) -> str:
    """What all networks were trained with, and whose settings these are."""
    size = "one equation" if used.batch_size == 1 else f"{used.batch_size} equations"
    rate = f"{OPTIMIZERS[used.optimizer].title} with a rate of {used.learning_rate:g}"
    epochs = "one epoch" if used.epochs == 1 else f"{used.epochs} epochs"
    averaging = f"averaging {used.averaging:g}" if used.averaging else "no averaging"
    words = f"{size} at a time, hidden {used.hidden}, {rate}, dropout {used.dropout:g}, L2 {used.l2:g}, {epochs}, "
    words += averaging
    if used.epochs != PRESETS[PAPER]["epochs"]:
        return f"Settings of all networks: {words}; the paper has other epochs: a trial, no result."
    return (
        f"Settings of all networks: {words}. They are one point of the paper's grid, which it found best for most "
        "networks; hidden size and dropout varied there, here they are the same for all. Ours are still that dev "
        "chooses the epoch, and what the paper leaves open of the networks: leaves, masks of dropout, a linear decoder."
    )


def protocol_table(archive: Archive) -> Table:
    """The table of the runs at the paper's protocol, which are an archive of their own."""
    sections = (network_section(archive, COLUMNS, choice, CHOICE_TITLES[choice].capitalize()) for choice in CHOICES)
    diverged = [run.directory.name for run in archive.runs if run.results.diverged]
    notes = (
        f"{_settings(archive.runs[0].configuration)} Data, splits and seeds are those of the other tables. Blanks are "
        "filled at the epoch that dev chose.",
        archive.own_axioms or HOW_TO_READ,
        *([f"Diverged: {', '.join(diverged)}."] if diverged else ()),
    )
    return Table("table-protocol", "Every network at the paper's own protocol", tuple(sections), notes)


def protocol_tables(archive: Archive) -> tuple[Table, ...]:
    """The table, if an archive has the study."""
    return (protocol_table(archive.protocol),) if archive.protocol else ()
