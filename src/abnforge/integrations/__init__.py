"""Rules inside other people's engines: one module for each library, which it is named after.

None of them holds knowledge of grammars: rules validate strings, and ``abnforge.columns`` validates batches.
Each module imports its library, and nothing imports any of them.
docs/integrations.md shows them.
"""
