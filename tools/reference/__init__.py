"""Reference pages of the website that are generated from the code: commands, JSON output, Python API."""
