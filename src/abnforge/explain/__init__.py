"""Explanations of rejections: the likely mistake, its place, its message, and a valid fix.

Read first: ``mistakes`` (the values of a mistakes file), ``error_grammar`` (a grammar with its mistakes),
``reading`` (the cheapest interpretation of a string), ``explainer`` (from an interpretation to a rejection).

Interface: ``mistakes_file.read_mistakes``, ``bind.bind_mistakes``, ``derive.bind_derived``,
``reading.Interpreter``, ``explainer.Explainer``, ``codes.codes``, ``fixes.Fixer``, ``proofs.remarks``.

A mistakes file goes through ``mistakes_file`` (``declare`` for directives) and ``bind``; ``proofs`` checks
it. ``derive`` adds mistakes that follow from the grammar, and ``shipped`` stores those of built-in grammars.
A rejected string goes through ``reading`` (``prefixes``, then ``weighted`` or ``program`` in the C
extension) and ``explainer`` (``fixes``, ``lessons``).

Sources: error productions and least-cost error correction (Aho and Peterson 1972), determinization of
weighted automata (Mohri 1997), edits of one letter (Damerau 1964), predictive sets (Aho, Sethi and Ullman
1986).

No module here knows ``Rule`` or ``Grammar``, or where mistakes are stored: ``engine`` passes bound grammars,
verdicts and stored facts.
"""
