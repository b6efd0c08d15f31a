"""Comparison: differences between two rules or two grammars, as sets of strings.

Read first: ``rules`` (two rules: relation, shortest examples), ``grammars`` (rule by rule, and whether a
change is backward compatible). ``correspondence`` finds rules with the same definition, so that only the
others are compared; ``structure`` proves that differences of recursive rules are empty.

Theory: the product of two automata is searched breadth-first, which finds shortest examples (Hopcroft and
Ullman 1979). Equality of context-free languages is undecidable, so a search for recursive rules can end at
the budget, with the relation "undecided".

No module here knows patterns or mistakes.
"""
