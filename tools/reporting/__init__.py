"""The survey of implementations for ``tools/conformance_report.py``, and the accepted deviations."""
