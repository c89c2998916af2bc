"""Many runs: trials on one machine or many under Dask, for experiments, searches, ablations and studies.

Imports training and everything below; report reads the files it writes.
"""
