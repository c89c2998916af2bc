"""Verdicts on equations with their evidence: rigorous ball arithmetic, and Sympy in killable workers.

Imports the language; the data, completion, report and commands ask it.
"""
