"""Write proved regular expressions for rules in several dialects, and convert foreign patterns to automata.

Read first: ``ast`` (the common syntax tree), ``dialects`` (engines as data), ``writer`` (the pattern of a
rule), ``proof``. A rule becomes a pattern by ``from_rule``, ``safety`` and ``writer``; ``reading``,
``machine`` and ``proof`` verify each pattern. A foreign pattern becomes an automaton by ``foreign`` or
``python``, with ``engines``, then by ``network`` and ``automaton``.

Interface: ``ast.Regex``, ``dialects.DIALECTS``, ``from_rule.regex_tree``, ``from_rule.to_regex``,
``from_rule.intersect``, ``writer.RulePatterns``, ``automaton.build``, ``errors.PatternError``.

Theory: networks (Thompson 1968). State elimination (Brzozowski and McCluskey 1963). One-unambiguous
expressions (Brueggemann-Klein and Wood 1998). Alternating automata (Chandra, Kozen and Stockmeyer 1981).
Translation validation (Pnueli, Siegel and Singerman 1998).

No module here depends on mistakes, tables, or the classes ``Rule`` and ``Grammar``. ``reading`` shares no
table with ``dialects`` and ``writer``, because proofs depend on this independence.
"""
