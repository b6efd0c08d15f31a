"""Sources: files, and what they hold, as batches of rows."""
