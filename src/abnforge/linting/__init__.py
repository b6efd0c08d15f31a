"""Lint: what is doubtful about a grammar, as findings with stable codes, exact places and witnesses."""
