"""Rules inside third-party engines: one module for each library, which it is named after.

No module contains knowledge of grammars: rules validate strings, and ``abnforge.columns`` validates batches.
Only commands import them: ``export`` imports ``sql``, and ``server`` imports ``language_server``.
docs/integrations.md shows them.
"""
