"""Read patterns of other engines into automata, by dialect, with the behavior of each engine."""
