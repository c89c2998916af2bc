"""Blanks in equations, the candidates that may fill them, how networks rank those, and which are true.

Imports training and everything below; report reads the files it writes.
"""
