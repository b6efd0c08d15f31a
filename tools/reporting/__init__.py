"""The survey of implementations, and accepted deviations, for ``tools/conformance_report.py``."""
