"""What ``tools/build_site.py`` is made of: pages of the repository, the API and grammars; links followed."""
