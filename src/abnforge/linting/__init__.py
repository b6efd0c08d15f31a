"""Lint: findings about grammars, with stable codes, exact places, examples and fixes.

Read first: ``finding`` (a finding, and every kind of finding), ``source`` (runs all checks). Each other
module has the checks of one theme: ``slips``, ``comments``, ``recursion``, ``ambiguity``, ``mistakes``.
``editing`` makes the edits of findings: conversion from other notations, renaming.

Theory: a search in a product automaton finds a string that two alternatives share, or that can be split in
two ways between two parts. The search is exact for regular rules (Brabrand, Giegerich and Moller 2007).
Ambiguity is undecidable in general, so a search in other rules is limited by the budget, and reports
exceeding it (``check-incomplete``).

No module here knows ``Rule`` or ``Grammar``: bound grammars and facts go in, findings come out.
"""
