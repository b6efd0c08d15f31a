"""Rules inside other people's engines: one module for each library, which it is named after.

None of them holds knowledge of grammars: rules validate strings, and ``abnforge.columns`` validates batches.
Only commands import them: ``export`` imports ``sql``, and ``server`` imports ``language_server``.
docs/integrations.md shows them.
"""
