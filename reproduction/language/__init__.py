"""Expressions of the paper's grammar as immutable trees, and the ways between trees and text.

Imports only the base files (errors, artifacts, paper, machine); everything else may import it.
"""
