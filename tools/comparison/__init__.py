"""The parts of ``tools/compare_grammars.py``: what is compared, what is written about it, and the page."""
