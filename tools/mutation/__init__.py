"""The pieces of tools/mutate.py: mutants of a module, and tests that run on one of them."""
