"""Written by tools/build_grammars.py alone: data, nothing of the project is imported here."""
