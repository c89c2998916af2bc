"""The networks of the paper as Gluon blocks, and the engines that compute batches of trees or chains with them.

Imports language and data; training and completion run what is here.
"""
