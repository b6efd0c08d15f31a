"""One verb of the command a file: it reads options, calls the library, hands the value to a report."""
