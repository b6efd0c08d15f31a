"""Read files of each format as batches of rows."""
