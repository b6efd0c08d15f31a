"""Rules inside other people's engines: one module for each library, which it is named after.

None of them holds knowledge of grammars: a text is judged by its rule, a batch by ``batches``, and the answer
is put as the library wants it. Each imports its library, and nothing imports any of them.
docs/integrations.md shows them.
"""
