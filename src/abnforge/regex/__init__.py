"""Regular expressions: from a rule, to a dialect, read back and proved equal.

Read ``ast`` first (the syntax tree), then ``patterns`` (the pattern of a rule), ``from_rule`` and ``writer``
(the way out), ``reading``, ``machine`` and ``proof`` (the way back). No module here knows ``Rule`` or
``Grammar``.
"""
