"""Build finite automata: derivatives of rules, minimal tables, set algebra with witnesses, tagged automata.

Read first: ``derivatives`` (the states of a rule), ``dfa`` (``build``: the minimal automaton of a regular
rule), ``algebra`` (set operations, shortest strings), ``tables`` (the bytes that the C extension reads).

Interface: ``derivatives.Derivatives``, ``dfa.Automaton``, ``dfa.build``, ``algebra.witnesses``,
``expressions.core_form``, ``expressions.to_node``, ``tagged.tagged``, ``tables.table_of``.

Theory: derivatives (Brzozowski 1964) as sets of partial derivatives (Antimirov 1996). Subset construction
(Rabin and Scott 1959). Minimization by partition refinement (Hopcroft 1971). Word lists (Daciuk, Mihov,
Watson and Watson 2000). State elimination (Brzozowski and McCluskey 1963). Tagged automata (Laurikari 2000).

The input is a core form; the output is states and tables. No module here depends on regular expressions,
trees, the stack of recursive rules, or the classes ``Rule`` and ``Grammar``.
"""
