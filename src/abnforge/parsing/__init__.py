"""Derivations: which strings a rule derives, where parsing stops, and the trees.

Read first: ``trace`` (the form of a derivation), ``transducer`` (the preferred one in linear time),
``recognizer.machine`` (verdicts of recursive rules), ``chart`` (all derivations), ``lark`` (the reference).

Interface: ``api.DerivationParser``, ``api.AutomatonEngine``, ``api.GeneralEngine``, ``lark.LarkEngine``,
``lark.RuleParser``, ``stop.Failure``, ``trace.Spans``, ``trees.TreeBuilder``.

A string of a rule is parsed in one of three ways. The *transducer* (``positions``, ``frames``) determinizes
an ordered automaton over calls, so that the first alternative to end is preferred (Frisch and Cardelli 2004).
It supports neither ambiguous left recursion nor cyclic rules. The *chart* is a generalized LL parser for
every context-free grammar (Tomita 1985; Scott and Johnstone 2010). The modules ``choose`` and ``count``
evaluate it (Goodman 1999; Huang and Chiang 2005). *Lark*'s Earley parser, on a generated grammar
(``lark_grammar``), is the independent reference. All return the same traces.

No module here knows mistakes, ``Rule`` or ``Grammar``: rules are keys of a core form.
"""
