"""Studies: plans of many trainings, and what carries them out on one machine or many.

A study is one file: a name, a sentence, options, and a plan. Its results are rows, which report reads.
"""
