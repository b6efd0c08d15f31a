"""The pieces of tools/fuzz.py: random cases, laws that must hold for each, and a failure made small."""
