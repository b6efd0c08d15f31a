"""The messages of the command line."""

from __future__ import annotations

from abnforge.catalog import Catalog

message = Catalog(
    {
        # Commands, options and arguments.
        "argument-missing": "missing argument '{argument}'",
        "argument-of-option-missing": "option '{option}' requires an argument",
        "arguments-extra": "unexpected {kind} {arguments:quoted}{near:near}{hints:hints}",
        "arguments-extra-usage": "write {usage}",
        "choice-unknown": "{option} must be {choices:or}, not {value:quoted}{near:near}",
        "command-unknown": "unknown command '{command}'{near:near}{commands:available}",
        "option-after-command": "unknown option '{option}'; write options after a command",
        "option-color": "unknown option '{option}'; set NO_COLOR=1 or FORCE_COLOR=1 instead",
        "option-excluded": "{option} cannot be used with {other}",
        "option-malformed": "{option} must be {form}, not {value:quoted}",
        "option-missing": "missing option '{option}'",
        "option-number": "{option} must be {expected}, not {value:quoted}",
        "option-or-string": "unknown option '{option}'; put '--' before strings that start with '-'",
        "option-requires": "{option} requires {other}",
        "option-unknown": "unknown option '{option}'{near:near}",
        "option-value": "{option}: {problem}",
        "usage-invalid": "{problem}",
        "os-error": "{reason}",
        "os-error-file": "{path}: {reason}",
        # Names.
        "code-unknown": "unknown code {name:quoted} of {grammar}{near:near}; "
        "run 'abnforge code --list --grammar {grammar}'",
        "rule-name-unknown-hint": "{problem}; list its rules with 'abnforge show'",
        "name-unknown-hint": "unknown name {name:quoted}{near:near}",
        # Files and streams.
        "extra-missing": "{package} is not installed; run pip install 'abnforge[{extra}]'",
        "file-exists": "{path} already exists; use --force to overwrite it",
        "file-not-regular": "not a regular file",
        "byte-not-utf8": "byte {byte} at byte offset {offset} is not UTF-8 ({reason})",
        "file-beyond-limit": "file exceeds {limit:count byte}; raise --max-bytes",
        "line-beyond-limit": "line exceeds {limit:count byte}; raise --max-bytes",
        "file-unreadable": "{source}: {reason}",
        "file-unreadable-string": "cannot read {source}: {reason}; use 'abnforge explain' for strings",
        "interrupted": "interrupted",
        "stdin-repeated": "'-' can be given only once with --whole-file",
        "stream-closed": "{stream} is closed",
        "string-undecodable": "string {number} has an undecodable {byte} at offset {offset}; "
        "use standard input",
        # Options files.
        "config-choice": "{path}: {name} must be {expected}, not {kind}",
        "config-list-item": "{path}: {name} must be a list of names; write {value:quoted} as one string",
        "config-option-unknown": "{path}: unknown option {name:quoted}{near:near}",
        "config-unreadable": "{path}: {reason}",
        # Single commands.
        "automaton-unavailable": "--format svg requires a regular rule; {rule} is not known to be regular",
        "base-invalid": "BASE must be an absolute URI: {problem}",
        "constraint-column-missing": "missing option '--column' (column to constrain)",
        "export-target-missing": "missing --to DIALECT or --check DATABASE",
        "fix-requires-file": "{option} requires a file, but {grammar} is a built-in grammar",
        "groups-unavailable": "{rule} does not use URI components; name the groups",
        "implementation-missing": "pass one command after --, or --python, --pattern or --against",
        "incomplete-check": "some checks exceeded the budget; raise --budget",
        "incomplete-comparison": "{count:,} of {rules:count rule} exceeded the budget; raise --budget",
        "lint-grammar-about": "--grammar requires mistakes files, but {grammar} is a grammar",
        "no-abnf": "{source}: no ABNF in this document, parsed as {form}",
        "playground-missing": "no playground in {path}; run 'abnforge playground --build DIR' first",
        "policy-without-uris": "a policy requires a column of URIs",
        "port-unavailable": "cannot listen on port {port}: {reason}; use --port 0 for a free port",
        "references-required": "A and B must be URI references, and the base a URI",
        "railroad-rule-combined": "{rule} is a combination of rules; use its operands instead",
        "security-format": "--security requires --format {formats:or}, not {format}",
        "security-rule": "--security requires {grammar} and the rule {rules:or}",
        "shell-unknown": "cannot detect the shell; pass {shells:or}",
        "sources-argument-missing": "missing argument 'SOURCE...' (files to read, or - for standard input)",
        "svg-single-string": "an SVG document shows one string; use --format html for several",
        "structure-unavailable": "{rule} does not have components; use --format tree",
        "components-unavailable": "--format components requires {grammars:or}; use --format tree",
        "suite-lost": "the suite omits {part}, as the budget was exceeded",
        "uris-required": "pass two URIs, or --between with strings or --file",
        # Jobs.
        "job-crashed": "job failed: {kind}: {problem}",
        "job-resumable": "{problem}; fix the cause, then run the command with --resume",
        "report-is-output": "{path} is an output of the job; choose another path for the report",
        "report-is-source": "{path} is a source of the job; choose another path for the report",
        "report-repeated": "{path} is used for two reports; choose another path",
        "rejects-beyond-limit": "{rejected:,} of {rows:count row} rejected, over the limit of "
        "--max-rejects {limit}; no output was written",
        "row-fatal": "row rejected; no output was written: {first}",
        "strings-undecided": "{count:count string} exceeded the budget; raise --budget "
        "(the rows are rejected with code limit-exceeded)",
        "report-unwritable": "cannot write the report to {path}: {reason}",
        # Notes and warnings.
        "byte-order-mark-dropped": "{source}: dropped the byte order mark",
        "examples-missing": "{grammar} lacks examples; write ';@ match \"text\"' above a rule",
        "first-rule": "the first rule is {rule:quoted}",
        "grammar-as-input": "{path} looks like a grammar, but its lines were validated as URIs; "
        "use 'abnforge lint {name}' or --grammar {name}",
        "file-as-string": "{path} was validated as a string, but is a file; use 'abnforge check {name}'",
        "file-as-string-drawn": "{path} is a file; use --grammar to draw a grammar",
        "line-ends-differ": "{source}{more}: the grammar requires {expected} line endings, not {found}; "
        "use --newline {option}",
        "line-ends-converted": "{source}: converted {count:count line ending} from {before} to {after}",
        "line-skipped": "{source}:{line}: {problem}; the line was skipped",
        "looks-like-utf16": "{source}: looks like UTF-16; convert it to UTF-8 first",
        "script-shown": "to enable completion, run: {command}",
        "resuming": "resuming after {rows:count row}",
        "stopping": "{signal}: stopping after this batch; repeat to stop immediately",
        "string-contains-end": "some strings contain the separator; use {option} to tell them apart",
        "typing-string": "reading one string from the terminal; press Ctrl-D to finish",
        "typing-strings": "reading from the terminal, one string per line; press Ctrl-D to finish",
    }
)
