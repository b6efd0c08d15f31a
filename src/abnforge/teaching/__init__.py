"""Grammars for teaching: derivations, diagrams, descriptions in plain English, and graded exercises.

An answer is right if its language equals that of the reference; set algebra compares them.
"""
