"""Export rules as source code: one file without dependencies, proved equal to the rule.

Read first: ``model`` (the numbers and texts of a file), ``regular`` (they are computed from a rule's
automata), ``c`` (a target: the template of a file), ``proof`` (the numbers are read back from the file).
"""
