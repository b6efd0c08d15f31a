"""One module per command, which reads options, calls the library, and passes the result to a report."""
