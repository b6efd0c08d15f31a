"""Grammars and rules as callers see them."""
