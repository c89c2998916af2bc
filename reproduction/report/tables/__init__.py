"""The tables as data, and their forms as Markdown, LaTeX and CSV.

Imports results and claims of the report; its page and the commands import it.
"""
