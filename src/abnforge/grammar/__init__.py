"""Turn ABNF into syntax trees, bound grammars, core forms and facts, and print trees as ABNF.

Read first: ``syntax`` (nodes and bound grammars), ``parser`` (ABNF to nodes), ``binding`` (names to
definitions), ``core`` (the form that everything after this package works on), ``facts``.

Interface: ``reader.read``, ``imports.link``, ``syntax.BoundGrammar``, ``core.lower``, ``facts.Facts``,
``regular.regular_bodies``, ``printer.print_rulelist``, ``formatter.format_abnf``.

A grammar goes through ``reader`` (``lexer``, ``parser``; ``repair`` for errors), ``annotations``, ``imports``
and ``binding``; ``core`` lowers it. ``files`` and ``shipped`` find grammars; ``extract`` extracts grammars
from documents. ``sentences`` derives strings.

Sources: RFC 5234 (ABNF), RFC 7405 (case-sensitive strings), RFC 9110, section 5.6.1 (lists), RFC 2396,
section 1.6 (the "|" notation). Strongly regular grammars (Mohri and Nederhof 2001), strongly connected
components (Tarjan 1972).

No module here depends on automata, regular expressions, string validation, or the classes ``Rule`` and
``Grammar``.
"""
