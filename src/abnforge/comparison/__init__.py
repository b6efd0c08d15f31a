"""How two rules, or two grammars, differ as sets of strings."""
