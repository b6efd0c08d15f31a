"""The messages of jobs over files, and of the rows that they reject.

``parameter`` and ``other`` are names of parameters; the command line shows its options instead.
"""

from __future__ import annotations

from abnforge.catalog import Catalog, CodedError

message = Catalog(
    {
        # Parameters of a job.
        "parameter-required": "missing {parameter}",
        "warn-without-uris": "{parameter} requires a column of URIs of rfc3986",
        "parameter-required-with": "missing {parameter}; it is required with {other}",
        "parameter-required-if": "missing {parameter}; it is required if {other} is {value:quoted}",
        "parameter-required-unless": "missing {parameter}; it is required unless {other} is {values:or}",
        "parameter-requires-format": "{parameter} requires {formats:or}, not {format}",
        "parameter-excluded": "{parameter} cannot be used with {other}",
        "parameter-excluded-if": "{parameter} cannot be used if {other} is {value:quoted}",
        "run-id-malformed": "{parameter} must be a UUID, not {value:quoted}",
        "max-rejects-malformed": "{parameter} must be a number of rows, or 0% to 100%, not {value:quoted}",
        "delimiter-malformed": "{parameter} must be one ASCII character, not a line ending: {value:quoted}",
        "characters-equal": "{parameter} and {other} cannot be the same character: {value:quoted}",
        "header-name-repeated": "{parameter} has {name:quoted} twice",
        "header-name-empty": "{parameter} has an empty name",
        "encoding-unknown": "unknown encoding {encoding:quoted}; "
        "examples are utf-8, latin-1, cp1252 and utf-16",
        "encoding-not-text": "{encoding:quoted} is not an encoding of text files",
        "ingest-missing": "abnforge.ingest requires {package}; run pip install 'abnforge[ingest]'",
        "lineage-missing": "openlineage-python is not installed; run pip install 'abnforge[lineage]'",
        "lineage-misconfigured": "cannot use the configuration of OpenLineage: {reason}",
        "lineage-undelivered": "cannot deliver the OpenLineage event {event}: {reason}",
        # Columns.
        "column-repeated": "column {column:quoted} is listed twice; give it one rule",
        "column-unnamed": "column {text:quoted} must have a name; write NAME, NAME:RULE or NAME:GRAMMAR:RULE",
        "column-rule-missing": "a rule is missing after {text:quoted}; write '\\:' for a colon in a name",
        "column-rule-set": "column {text:quoted} cannot have a set of rules; "
        "define the set in a grammar, or use a policy",
        "column-rule-grammar": "{grammar:quoted} is a grammar, not a rule; write {column}",
        "column-unknown": "unknown column {column:quoted}{near:near}{columns:available}",
        "column-unknown-delimiter": "unknown column {column:quoted}; "
        "if cells are separated by {mark:quoted}, set {parameter}",
        "column-unknown-header": "unknown column {column:quoted}; "
        "if the files lack a header, set {parameter}",
        "column-unknown-path": "unknown column {column:quoted}; CSV cells cannot have fields or elements",
        "column-ambiguous": "column {column:quoted} occurs {count:count time}; rename all but one",
        "column-ambiguous-in": "column {column:quoted} occurs {count:count time} in {source}; rename all but one",
        "column-flagged": "column {column:quoted} exists in the source; rename or drop it",
        "column-rejected": "column {column:quoted} exists in the source; "
        "if it is a rejects file, set {parameter}",
        "column-name-reserved": "column name {column:quoted} is reserved; rename the column",
        "column-name-masked": "the name of column {number} contains a password; write rejects to .jsonl",
        "column-not-text": "column {column:quoted} must hold strings, not {type_name}",
        "column-with-fields": "column {column:quoted} is a struct; choose one of {fields:list}",
        "column-not-in-parquet": "Parquet cannot hold column {column:quoted} of type {type_name}; "
        "write rejects to .jsonl or .csv",
        "path-first-element": "column {column:quoted} must begin with a key",
        "path-is-list": "{path} is a list; write {path}[] for its elements",
        "path-is-map": "{path} is a map; write {path}[].key or {path}[].value",
        "path-not-list": "{path} must be a list, not {type_name}",
        "path-without-fields": "{path} must be a struct, not {type_name}",
        "path-field-unknown": "unknown field {field:quoted} of {path}{near:near}",
        "id-many": "{parameter} must select one value per row, not list elements: {column:quoted}",
        "id-of-lines": "{parameter} cannot be used with plain lines; use row and line of '_source'",
        "lines-one-column": "plain lines have one column, not {count:,}: {columns:list}",
        "lines-one-column-rejects": "plain lines have one column, not {count:,}; rename {path}",
        "lines-without-flag": "lines cannot have a flag; set {parameter} to 'reject'",
        "dictionary-full": "a dictionary of type {type_name} cannot hold more strings",
        # Sources.
        "format-missing": "the format of standard input is unknown; set {parameter}",
        "format-unknown": "the format of {path} is unknown; set {parameter} to {formats:or}",
        "formats-mixed": "sources must have one format, not {formats:list}",
        "format-compressed": "compressed {format} is not supported; decompress {path}",
        "format-of-accepted": "{path} must end in {endings:or}",
        "key-new": "{place}: key {key:quoted} is not in the first rows; write valid rows to .jsonl",
        "format-of-rejects": "unsupported file name {path}; write rejects to .jsonl, .parquet or .csv",
        "format-of-replayed": "the valid rows of {source} can be {formats:or}, not {format}; rename {path}",
        "format-not-of-rejects": "rejects must be .jsonl, .parquet or .csv, not {format}: {source}",
        "source-repeated": "source {source} is listed twice",
        "source-repeated-as": "{source} and {first} are the same file",
        "source-unnamed": "a source has an empty name; use '-' for standard input",
        "source-missing": "no such file: {path}",
        "source-is-output": "output {path} is also a source; choose another output",
        "source-name-not-utf8": "the name of {path} is not UTF-8; rename it",
        "source-pipe": "{path} is a pipe; read it from standard input as '-'",
        "source-device": "{path} is a device or socket; read it from standard input as '-'",
        "source-empty": "{source} is empty; a CSV file must have a header",
        "source-compressed": "{source} looks like {compression}; decompress it first",
        "source-compressed-unnamed": "{source} looks like {compression}; "
        "add the file extension of {compression}",
        "source-utf16": "{source} looks like UTF-16; set {parameter} to {encoding}",
        "source-changed": "{path} changed during the job, from {before:count byte} to {after:,}; "
        "no output was written",
        "source-shorter": "{source} is shorter than before; restart without {parameter}",
        "source-undecodable": "cannot decode {source} as {encoding}: {reason}",
        "source-undecompressable": "cannot decompress {source} as {compression}: {reason}",
        "source-unreadable": "cannot read {source} as {format}: {reason}",
        "stdin-changed": "standard input differs from the interrupted job; restart without {parameter}",
        "batches-once": "record batches can be read once only; omit {parameter}",
        "stdin-closed": "standard input is closed",
        "stdin-not-seekable": "{format} cannot be read from standard input; write it to a file first",
        "glob-empty": "no file matches {glob}",
        "directory-empty": "directory {path} does not contain files",
        "link-loop": "link {path} leads back to its own directory",
        "link-broken": "link {path} leads to a missing file",
        "partitions-different": "the partition keys of {first} ({first_keys:list}) and {source} ({keys:list}) "
        "differ",
        "partition-repeated": "partition key {key:quoted} occurs twice in {path}",
        "schema-different": "the columns of {source} differ from those of {first}: {changes:list}; "
        "set {parameter}",
        "schema-order": "the columns of {source} and {first} differ in order or in flags; set {parameter}",
        "header-different": "the header of {source} differs from that of {first}: {changes:list}; "
        "set {parameter}",
        "type-drift": "column {column:quoted} is {type_name} in {source}, and {other_type} in {first}; "
        "convert one of the files",
        "source-denied": "cannot read {path}: {reason}",
        "column-missing-in": "column {column:quoted} is missing in {count:count source}, such as {source}",
        "source-skipped": "skipped a source: {reason}",
        "source-not-copied-file": "{path} cannot be copied; it is not a file",
        "source-not-copied": "{path} cannot be copied; permission is denied",
        "quarantine-without-file": "if {parameter} is 'quarantine', {other} must be a local file",
        "header-delimiter": "the header of {source} looks like cells separated by {mark:quoted}; convert the file",
        "header-empty": "the header of {source} is empty; remove the line",
        "header-with-cr": "the lines of {source} end in CR; convert them to LF",
        "header-malformed": "the header of {source} is malformed: {problem}",
        "header-not-encoded": "the header of {source} is not {encoding}: byte {byte} at offset {offset}; "
        "set {parameter}",
        "header-too-long": "the header of {source} exceeds {limit:count byte}",
        "cells-differ": "{source} has {count:count cell} per row, and {first} has {expected:,}",
        "cells-differ-from-names": "{source} has {count:count cell} per row, and {parameter} has "
        "{expected:count name}",
        "byte-order-mark": "{source}: dropped the byte order mark",
        # Rejects of another job that are read again.
        "rejects-lack": "{source} is not a rejects file, as it lacks {columns:list}; omit {parameter}",
        "rejects-column-changed": "{place}: column {column} was changed; restore it",
        "rejects-column-repeated": "{place}: {column:quoted} is repeated; keep one",
        "rejects-column-unknown": "{place}: unknown column {column:quoted}{columns:available}",
        "rejects-row-malformed": "{place}: {problem}; fix the row",
        # Outputs.
        "output-unusable": "cannot write to {path}: {reason}",
        "bucket-missing": "no bucket {bucket:quoted} for {path}; create it, or check the address",
        "scheme-unknown": "unknown scheme {scheme:quoted} in {path}; use {schemes:or}, or one of fsspec",
        "storage-package-missing": "cannot read {path}; download it first, or install packages: {reason}",
        "storage-failed": "cannot access {path}; check address, credentials and network: {reason}",
        "output-not-directory": "{path} must be a directory, or a new name in an existing one",
        "directory-of-file": "{parameter} writes a directory; choose a directory instead of {path}",
        "partition-format": "{parameter} requires valid rows in .parquet or .arrow, not {format}; rename {path}",
        "partition-type": "column {column:quoted} of type {type_name} cannot be in names of directories",
        "partition-long": "a value of column {column:quoted} is too long for a directory name of {limit:count byte}",
        "partitions-many": "{parameter} exceeds {limit:count partition}; choose columns with fewer values",
        "partitions-whole": "{parameter} cannot have all columns; files need at least one",
        "output-with-objects": "{path} contains {object}, which is not a part; choose an empty prefix",
        "outputs-equal": "{parameter} and {other} cannot be the same file: {path}",
        "output-in-sources": "output {path} is in source directory {source}; a second run would read it",
        "output-locked": "another job is writing {path}; wait, or choose another output",
        "output-claimed": "{path} belongs to an interrupted job with outputs {outputs:list}; "
        "resume it, or delete {directory}",
        "checkpoint-version": "{path} was written by another abnforge version; starting from the beginning",
        "checkpoint-parts-missing": "{path} lacks parts of the interrupted job; restart without {parameter}",
        "job-changed": "the interrupted job was different: {changes:list}; restart without {parameter}",
        "job-restarted": "the interrupted job was different: {changes:list}; starting from the beginning",
        # Reasons why rows are rejected.
        "row-not-json": "the row is not JSON: {problem} at character {offset}",
        "row-not-number": "the row is not JSON: {text} is not a number",
        "row-not-object": "the row must be a JSON object, not {kind}",
        "row-not-utf8": "the row is not UTF-8",
        "row-too-deep": "the row is nested too deeply",
        "row-beyond-limit": "the row has {size:count byte}, more than the limit of {limit:,}",
        "cell-base64": 'the cell is not UTF-8; replace {{"base64": ...}} with text',
        "row-unread": "the row could not be parsed; replace {column} with its columns",
        "row-masked": "the row contains a masked password; restore it, and set masked to false in {column}",
        "row-surrogate": "the row contains a lone surrogate, which is half a character; replace its escape",
        "row-key-repeated": "the row has key {key:quoted} twice; remove one",
        "row-cells": "the row must have {expected:count cell}, not {count:,}",
        "row-byte-not-utf8": "byte {byte} at byte offset {offset} of the row is not UTF-8 ({reason}); "
        "convert the file",
        "row-byte-not-encoded": "byte {byte} at character {offset} of the row is not {encoding}",
        "cell-unclosed": "the quoted cell is not closed",
        "cell-quote-inside": "a quote is not allowed in an unquoted cell; quote the cell, and double the quote",
        "value-missing": "{column} is missing",
        "value-kind": "{path} must be {expected}, not {kind}",
        "json-not-object": "the string is not a JSON object",
        "json-text-after": "text is not allowed after the JSON object, at character {offset}",
        "json-key-missing": "a key is missing at character {offset}",
        "json-mark-missing": "{marks:or} is missing at character {offset}",
    }
)


# Errors that stop a job.


class JobError(CodedError, ValueError):
    """A job that cannot run, for example because of an unknown column or incompatible sources."""


class ConflictError(JobError):
    """A job that conflicts with another job on the same outputs, or with changes since a checkpoint."""
