"""What people read: results of the runs beside the paper's, claims and verdicts, tables, figures and the page.

Imports no network: it reads files under runs/. Only commands import it.
"""
