"""Trained networks to ask: whether equations hold, what fills a blank, what value a function has.

Imports completion and everything below; the commands, the page and people's own programs use it:
`from reproduction import load`.
"""
