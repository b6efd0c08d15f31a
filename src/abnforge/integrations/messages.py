"""The messages of the integrations."""

from __future__ import annotations

from abnforge.catalog import Catalog

message = Catalog(
    {
        "database-column": "the column of {database} must be a name, not {column:quoted}",
        "database-unknown": "unknown database {name:quoted}{near:near}{databases:available}",
        "frame-column-ambiguous": "column {column:quoted} occurs {count:count time}; rename all but one",
        "frame-column-not-text": "column {column:quoted} must hold strings or bytes, not {type_name}",
        "frame-column-reserved": "column name {column:quoted} is reserved; rename or drop the column",
        "frame-column-unknown": "unknown column {column:quoted}{near:near}{columns:available}",
        "judge-unusable": "abnf_judge must be module:function: {problem}",
        "marker-arguments": "{test} is marked abnf, so it must have an argument 'text' or 'vector'",
        "marker-malformed": "{test}: abnf: {problem}",
        "near-misses-missing": "{rule} matches every string, so near misses do not exist",
        "package-missing": "{module} requires {package}; run pip install {requirement}",
        "rule-name-malformed": 'rule must be "GRAMMAR:RULE", such as "rfc3986:host", not {name!r}',
        "strategy-size-negative": "size must not be negative, not {size}",
        "vector-accepted": '{implementation} accepts "{text}", which must be invalid{reason}',
        "vector-rejected": '{implementation} rejects "{text}", which must be valid{reason}',
    }
)
