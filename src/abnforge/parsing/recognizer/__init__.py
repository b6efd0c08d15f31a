"""The pushdown recognizer: verdicts and offsets for recursive rules, in linear time for ordinary strings.

Read first: ``machine``, ``configurations`` (the states of a lazily built deterministic automaton), ``stack``
(graph-structured stacks, Tomita 1985), ``network`` (the automaton within one call, Woods 1970).

Interface: ``machine.Plan``, ``machine.Machine``, ``machine.ConfigurationWalk``, ``machine.RecognizerRun``,
``network.called_rules``, ``network.Network``.

``machine`` parses a string along cached configurations, in the C extension if it is available;
``engine.stores`` has the first configurations of built-in rules. No module here uses trees or derivations.
"""
