"""Facts about a grammar: its core form, and what follows from it. Nothing here writes on the model."""
