"""The pushdown recognizer: verdicts and offsets for recursive rules, in linear time for ordinary strings.

Read first: ``machine``, ``configurations`` (the states of a lazily built deterministic automaton), ``stack``
(graph-structured stacks, Tomita 1985), ``network`` (the automaton within one call, Woods 1970).

Interface: ``machine.Plan``, ``machine.Machine``, ``machine.ConfigurationWalk``, ``machine.RecognizerRun``,
``stored.Stored``, ``network.called_rules``, ``network.Network``.

A string is parsed along cached configurations; ``machine`` walks them, by the C extension if available.
``stored`` has the first configurations of built-in rules. No module here knows trees or derivations.
"""
