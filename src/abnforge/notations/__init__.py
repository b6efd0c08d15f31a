"""Export rules as grammars in other notations: GBNF, llguidance and ANTLR.

Read first: ``notation`` (each notation as data), ``rules`` (changes that a notation requires, on the core
form), ``writer``.
"""
