"""The parts of ``tools/conformance_report.py``: the survey of implementations, and accepted deviations."""
