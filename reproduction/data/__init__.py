"""The data set: axioms and rewriting make equations, judges label them, splits divide them, baselines score them.

Imports language and judges; networks and everything after them read what it makes.
"""
