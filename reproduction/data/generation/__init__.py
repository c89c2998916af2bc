"""Equations from axioms: recipes say how, the dictionary matches, steps rewrite and change, build fills the wishes.

Imports the judges and the records of the data set; the commands call it.
"""
