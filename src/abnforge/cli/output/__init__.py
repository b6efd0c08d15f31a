"""Output of the commands: diagnostics, formats, pages."""
