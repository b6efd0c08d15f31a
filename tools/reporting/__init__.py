"""What ``tools/conformance_report.py`` is made of: who is asked for what, answers, picture and page."""
