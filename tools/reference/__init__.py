"""Reference pages of the website, generated from the code: commands, JSON output, Python API."""
