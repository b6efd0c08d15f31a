"""Diagrams of trees, rules and automata, as self-contained SVG, HTML or DOT."""
