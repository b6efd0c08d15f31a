"""Export rules as grammars in other notations: GBNF, llguidance, ANTLR, Peggy and pest.

Read first: ``notation`` (each notation as data), ``rules`` (changes that a notation requires, on the core
form), ``ordered`` (choices that commit), ``writer``.
"""
