"""The messages of exercises, grades and hints, of diagrams and the playground."""

from __future__ import annotations

from abnforge.catalog import Catalog

message = Catalog(
    {
        # answers, references and misconceptions (``part``) that do not load
        "answer-too-long": "{part} has {length:,} characters; at most {limit:,} are allowed",
        "answer-import": "the answer cannot import {grammar:quoted}; use {allowed:or}",
        "answer-import-any": "the answer cannot import {grammar:quoted}; write the rules yourself",
        "answer-directive": "the answer cannot use the directive {word:quoted}; write the rule without it",
        "answer-core-rule": "the answer cannot use the core rule {name}; define it yourself",
        "import-not-bundled": "{part} cannot import {grammar:quoted}; use a built-in grammar",
        "rule-missing": "rule {rule} is missing; {part} defines {names:list}",
        "rules-missing": "rule {rule} is missing; {part} does not define a rule",
        # files of exercises
        "exercises-not-toml": "{name} must be TOML: {error}",
        "exercises-not-tables": "{name} must have [[exercise]] tables, and nothing else",
        "exercise-not-table": "{place} must be a table, not {type}",
        "exercise-duplicate": "{place} has the id of an earlier exercise",
        "exercise-key-unknown": "{place}: unknown key {key:quoted}{near:near}{keys:available}",
        "exercise-id": "{place}: id must have lower-case letters, digits and single hyphens, as in time-24",
        "exercise-level": "{place}: level must be a number from 1 (easy) to 5 (hard)",
        "exercise-string": "{place}: {key} must be a string that is not empty",
        "exercise-permission": "{place}: allow has the unknown value {value:quoted}{near:near}; use {known:or}",
        "exercise-strings": "{place}: {key} must be a list of strings",
        "exercise-sealed": "{place}: sealed must be a value that 'abnforge exercise export' wrote, without a reference",
        "solution-sealed": "exercise {id:quoted} is sealed; ask your lecturer for the solution",
        "exercise-ungraded": "exercise {id:quoted} cannot be graded here, because its rule is recursive; hand in the answer",
        "misconceptions-not-tables": "{place}: misconceptions must be [[exercise.misconception]] tables",
        "misconception-keys": "{place} must be a table with the keys abnf and why",
        "exercises-not-utf8": "{path} must be UTF-8; invalid byte at offset {offset} ({reason})",
        "exercise-unknown": "unknown exercise {name:quoted}{near:near}; run 'abnforge exercise list'",
        "answer-without-exercise": "unknown exercise {name:quoted}{near:near}; "
        "use --exercise ID, or write the line '; exercise: ID'",
        "answer-two-exercises": "the name of the file is the exercise {file:quoted}, its line names {line:quoted}; "
        "use one exercise",
        "answer-link": "symbolic links are not followed",
        # constructions
        "construction-regular": "the steps require a regular rule; {rule} is not known to be regular",
        "construction-too-large": "the automata of {rule} have more than {limit} states; use a smaller rule",
        "construction-text-long": "the string has {length:,} characters; at most {limit:,} are allowed",
        "construction-terms": "a derivative of {rule} has more than {limit} terms; use a shorter string",
        "productions-too-large": "the productions of {rule} exceed {limit:,} symbols; use a smaller rule",
        "table-too-large": "{rule} uses more than {limit} rules; use a smaller rule",
        # generated exercises
        "generated-range": "level must be 1 to 3 and seed 0 to {limit:,}, not {level} and {seed}",
        # exercises that contradict themselves
        "exercise-import": "exercise {id:quoted}: imports: {error}",
        "exercise-reference": "exercise {id:quoted}: reference: {error}",
        "reference-rejects": "exercise {id:quoted}: the reference rejects the valid string {string}",
        "reference-accepts": "exercise {id:quoted}: the reference accepts the invalid string {string}",
        "misconception-broken": "exercise {id:quoted}: misconception {number}: {error}",
        "misconception-right": "exercise {id:quoted}: misconception {number} equals the reference",
        # the reason for a rejection, if another reason would name hidden rules
        "reason-end": "the string ends too early",
        "reason-offset": "{character:quoted} is not allowed at offset {offset}",
        # the probable mistake in an answer
        "answer-empty": "the rule matches no string: every alternative is infinitely recursive",
        "accepts-empty": "the empty string must not match; *element and [element] are optional",
        "rejects-empty": "the empty string must match; *element and [element] are optional",
        "accepts-case": 'case matters here; %s"abc" (RFC 7405) or %x61 match one case, "abc" matches both',
        "rejects-case": 'case does not matter here; "abc" matches both cases, %s"abc" and %x61 match one',
        "accepts-space": "whitespace is not allowed here; remove SP, HTAB, WSP or the space in quotes",
        "rejects-space": "whitespace is missing; write SP, since spaces between elements match nothing",
        "never-required": "line {line}: no string of the task contains {character:quoted}, which {part} matches",
        "never-matched": "the answer never matches {character:quoted}; some strings of the task contain it",
        "misconception-known": "the answer matches the same strings as {abnf}",
        "misconception-long": "the answer matches the same strings as a frequent wrong answer",
        # notation that an answer misunderstands
        "notation-quoted": "line {line}: {part} matches its own characters only; "
        "write notation outside the quotes, and quote each word",
        "name-quoted": "line {line}: {part} matches its own characters only; "
        "write names of rules, such as {name}, without quotes",
        "notation-unquoted": "{place}{part} is notation; write '\"{sign}\"' to match the character",
        "notation-comment": "line {line}: ';' starts a comment; use '/' for alternatives",
        "sign-unquoted": "{sign:quoted} is not allowed here; write '\"{sign}\"' to match it",
        "count-after": "write the number before the element that it repeats: {written}",
        "count-of-numbers": "{part:quoted} counts repetitions of the element after it; "
        "it does not match the numbers {low} to {high}",
        "range-of-numbers": "{part:quoted} is not ABNF; write a range of characters for each digit, such as %x30-39",
        "sign-as-text": "write '\"{sign}\"' to match the character",
        "numbers-of-base": "line {line}: {part} has the numbers of another base; "
        "use %d for decimal numbers, and %x for hexadecimal ones",
        "numbers-of-characters": "line {line}: {part} has the numbers of characters; "
        "the digit 0 is %x30 or %d48, A is %x41",
        "answer-not-nested": 'no rule uses itself between two elements; write nested strings as in a = "(" [a] ")"',
        "examples-listed": "the answer lists examples; write a rule for all strings of the task",
        # changes that make an answer right, and the places to check
        "change-one": "one change in line {line} is enough: {change}",
        "change-several": "{number} changes are enough{changes:hints}",
        "change-some": "one of several mistakes is in line {line}: {change}",
        "change-count": "check how often {part} repeats",
        "change-case": "check whether case matters in {part}",
        "change-brackets": "check whether {part} is optional",
        "change-base": "check the base of {part}; %d is for decimal numbers, and %x for hexadecimal ones",
        "change-range": "check both ends of the range {part}",
        "change-name": "check which characters {part} matches",
        "change-extra": "check whether {part} is needed",
        "change-group": "check the groups in {part}",
        "change-slash": "check which elements of {part} are alternatives",
        "change-choice": "check which elements of {part} are alternatives, and whether they are optional",
        "change-list": "check {part}; an alternative is missing",
        "change-missing": "check {part}; an element is missing",
        "change-around": "check {part}; an element is missing before it, and one after it",
        "change-signs": "check {part}; brackets and slashes without quotes are notation, not characters",
        "change-space": "check the spaces in {part}; only SP or a space in quotes matches a space",
        "change-literal": "check the characters of {part}",
        "change-word": "{part} matches any letters; write the words of the task in quotes",
        "change-spaces": "{part} contains a space that the task does not allow; remove it",
        "change-reach": "check which elements {part} applies to",
        "change-together": "check which elements of {part} are optional, and which of them only together",
        "change-mixed": "{part} matches its elements in any order; write them in the order of the task",
        "change-star": "check which elements {part} repeats",
        "change-separator": "check the separator in {part}; it is between two elements",
        "change-zeros": "check whether {part} allows leading zeros",
        "change-order": "check the order of {part}",
        "change-over": "{part} must not match {over}",
        "change-under": "{part} must also match {under}",
        "change-both": "{part} must match {under}, not {over}",
        "change-many": "{part} must also match {under} and many other strings; use ranges or repetition",
        "change-more": "{part} must also match {under} and many other strings",
        "change-others": "{part} must match many strings such as {under}, but not {over}",
        # the style of a right answer
        "style-core-rule": "{name} is the same as the core rule {core} (RFC 5234, appendix B.1); use {core}",
        "style-long": "the answer has {own:count element}; {enough} are enough",
        # new grammars
        "rule-name-impossible": "cannot derive a rule name from {text:quoted}; "
        "names start with a letter, then letters, digits and hyphens",
        "rule-name-invalid": "{name:quoted} is not a rule name; "
        "names start with a letter, then letters, digits and hyphens",
        "template-unknown": "unknown template {name:quoted}{near:near}; use {known:or}",
        # derivations, diagrams
        "around-negative": "around must be at least 0, not {value}",
        "automaton-not-drawn": "the {title} has {used:,} {unit}; a diagram shows at most {limit:,}",
        "depth-negative": "depth must be at least 0, not {value}",
        "jflap-character": "the {title} reads {chars}, which JFLAP files cannot contain; use another format",
        "jflap-too-large": "the {title} has {used:,} transitions of one character; "
        "a JFLAP file has at most {limit:,}",
        "railroad-missing": "railroad diagrams require railroad-diagrams; run pip install 'abnforge[railroad]'",
        # the build of the playground
        "directory-not-empty": "{directory} is not empty and not a playground; use another directory",
        "directory-foreign-file": "{file} in {directory} is not part of a playground; remove it",
        "directory-in-use": "{directory} contains the working directory; build from another directory",
        "directory-is-file": "{directory} is a file; use a directory",
        "manifest-unreadable": "cannot read {path}; remove {directory}, or use another directory",
        "module-changed": "{name} of Pyodide has an unexpected SHA-256: {sha256}",
        "module-missing": "{path} is missing; run npm ci in a copy of abnforge/teaching/playground/web",
        "wheel-unusable": "{wheel} is not a wheel for {platform}; use that of abnforge {version}",
        "program-missing": "{program} is missing; install Node.js 18 or later, with npm",
        "program-failed": "{program} failed with status {status}",
        "program-timeout": "{program} took more than {seconds} s",
        "library-missing": "the playground requires {name}; run pip install 'abnforge[railroad]'",
        # the calls of its page
        "call-unknown": "unknown call {name:quoted}; use {known:or}",
        "call-string": "{name} must be a string",
        "call-number": "{name} must be a number from 0 to {limit}",
        "call-choice": "{name} must be {known:or}, not {value:quoted}",
        "call-too-long": "the playground accepts at most {limit:,} characters here, not {length:,}",
        "call-too-many-lines": "the playground accepts at most {limit} lines in a call, not {used:,}",
        "call-nested": "the input is nested too deeply for a browser",
        "call-memory": "the input exceeds the memory of the browser",
        "call-exercise": "unknown exercise {id:quoted}",
        "tree-not-drawn": "the tree has {used:,} boxes; the playground draws at most {limit:,}",
        "call-derivation": "the string has fewer than {number:count derivation}",
    }
)
