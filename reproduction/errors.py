"""The exceptions that the command line turns into a sentence and an exit code: 2, and 1 for the machine's."""


class InputError(Exception):
    """What a person gave us cannot be used; the message says what, where and what is allowed."""


class MachineError(RuntimeError):
    """The machine does not let us do our work; the message says what."""
