"""Reference pages of the site, generated from the code: commands, JSON output, Python API."""
