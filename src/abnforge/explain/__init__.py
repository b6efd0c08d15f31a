"""Explanations of rejections: the likely mistake, its place, a message, and a valid fix.

Read first: ``mistakes`` (the contents of a mistakes file), ``error_grammar`` (a grammar with its mistakes),
``reading`` (the cheapest interpretation of a string), ``explainer`` (from an interpretation to a rejection).

Interface: ``mistakes_file.read_mistakes``, ``bind.bind_mistakes``, ``derive.bind_derived``,
``reading.Interpreter``, ``explainer.Explainer``, ``codes.codes``, ``fixes.Fixer``, ``repairs.Repairer``,
``proofs.remarks``.

``mistakes_file`` parses a mistakes file (``declare`` its directives), ``bind`` binds it to a grammar, and
``proofs`` checks it. ``derive`` adds mistakes that follow from the grammar, and ``shipped`` stores those of
built-in grammars. ``reading`` interprets a rejected string (by ``weighted`` or, in the C
extension, ``program``), and ``explainer`` writes the rejection (``fixes``, ``rule_paths``, ``unfinished``).
``repairs`` finds all cheapest fixes, without mistakes.

Sources: error productions and least-cost error correction (Aho and Peterson 1972), determinization of
weighted automata (Mohri 1997), single-letter edits (Damerau 1964), predictive sets (Aho, Sethi and Ullman
1986).

No module here uses ``Rule`` or ``Grammar``, or depends on where mistakes are stored: ``engine`` passes bound
grammars, verdicts and stored facts.
"""
