"""Use rules in third-party engines: one module for each library, with the library's name.

The modules do not contain knowledge of grammars: rules validate strings, and ``abnforge.columns`` validates
batches. Within abnforge, only commands import these modules: ``export`` imports ``sql``, and ``server``
imports ``language_server``. See docs/integrations.md.
"""
