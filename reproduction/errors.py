"""The exceptions that the command line turns into a sentence and an exit code: 2, and 1 for the machine's."""


class InputError(Exception):
    """What a person gave us cannot be used; the message says what, where and what is allowed."""


class MachineError(RuntimeError):
    """The machine does not let us do our work; the message says what."""


def excerpt(text: str, most: int = 60) -> str:
    """A person's text as a message may hold it: cut where it is long, without what cannot be printed."""
    shown = "".join(character if character.isprintable() else "�" for character in text[:most])
    return shown + ("…" if len(text) > most else "")
