"""A run: a configuration, a learner for its model, the loop over epochs, checkpoints and scores.

Imports networks and everything below; completion and studies use trained runs.
"""
