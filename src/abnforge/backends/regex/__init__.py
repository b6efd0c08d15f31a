"""Rules as regular expressions: the tree, its text in each dialect, and expressions made from automata."""
