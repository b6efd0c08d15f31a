"""Regular expressions as people write them, read into automata: by dialect, with what is peculiar to each."""
