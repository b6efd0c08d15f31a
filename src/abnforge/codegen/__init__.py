"""Export rules as source code: one file without dependencies, proved equal to the rule.

Read first: ``model`` (the numbers in a file), ``regular`` (their computation), ``c`` (a target: the template
of a file), ``proof`` (the numbers are read back and compared with the rule).
"""
