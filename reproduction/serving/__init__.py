"""The page that asks networks and judges, and its server: `python -m reproduction serve`.

Imports the networks' answers (use), the judges and the completion; only its command imports it.
"""
