"""The page that shows what a network knows, and the server it comes from: `python -m reproduction serve`.

Imports the networks' answers (use), the judges and the completion; only its command imports it.
"""
