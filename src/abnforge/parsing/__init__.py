"""Derivations in one pass and back: from what a text is read by to the tree that the contract prefers."""
