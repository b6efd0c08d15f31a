"""Grammars: ABNF text to a syntax tree, a bound grammar, its core form and facts; and back to text.

Read first: ``syntax`` (nodes, bound grammars), ``parser`` (text to nodes), ``binding``
(names to definitions), ``core`` (the form that everything after the grammar works on), ``facts``.

Interface: ``reader.read``, ``imports.link``, ``syntax.BoundGrammar``, ``core.lower``, ``facts.Facts``,
``regular.regular_bodies``, ``printer.print_rulelist``, ``formatter.format_abnf``.

``annotations`` holds structured comments. ``repair`` fixes notations that are not ABNF, and is imported for a
text with an error; ``extract`` finds ABNF in documents, and is imported for a document. Nothing here knows
automata, or how strings are validated.
"""
