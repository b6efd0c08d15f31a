"""ABNF text to a model and back: reading, binding names, printing, finding ABNF in the text of an RFC."""
