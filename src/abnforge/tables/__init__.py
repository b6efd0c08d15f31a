"""Automata as tables that a walk over octets or code points reads: docs/kernel.md describes their format."""
