"""The one exception that the command line turns into a sentence and exit code 2."""


class InputError(Exception):
    """What a person gave us cannot be used; the message says what, where and what is allowed."""
