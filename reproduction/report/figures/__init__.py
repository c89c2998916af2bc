"""The figures, each with the data behind it.

Imports results and claims of the report; its page and the commands import it.
"""
