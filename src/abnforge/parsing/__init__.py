"""Derivations: which strings a rule derives, where parsing stops, and parse trees.

Read first: ``trace`` (the representation of a derivation), ``transducer`` (the preferred one in linear time),
``recognizer.machine`` (verdicts of recursive rules), ``chart`` (all derivations), ``lark`` (the reference).

Interface: ``api.DerivationParser``, ``api.AutomatonEngine``, ``api.GeneralEngine``, ``lark.LarkEngine``,
``lark.RuleParser``, ``stop.Failure``, ``trace.Spans``, ``trace.TreeBuilder``.

A string is parsed in one of three ways. The *transducer* (``positions``, ``frames``) determinizes an ordered
automaton with calls; the first alternative that ends is preferred (Frisch and Cardelli 2004). It supports
neither ambiguous left recursion nor cyclic rules. The *chart* is a generalized LL parser for every
context-free grammar (Tomita 1985; Scott and Johnstone 2010). The modules ``choose`` and ``count`` evaluate it
(Goodman 1999; Huang and Chiang 2005). *Lark*'s Earley parser, on a generated grammar (``lark_grammar``), is
the independent reference. All return the same traces.

No module here uses mistakes, ``Rule`` or ``Grammar``: rules are represented by their keys in a core form.
"""
