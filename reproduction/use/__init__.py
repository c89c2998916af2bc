"""A trained network that answers: whether equations hold, what fills a blank, what a function of numbers is.

Imports completion and everything below; the commands, the page and people's own programs use it:
`from reproduction import load`.
"""
