"""One module per command: it reads options, calls the library, and passes the value to a report."""
