"""Write the elements that all targets share: headings, names, arrays of numbers, and comments.

A target is a module with the template of a file. Templates contain ``$field`` and sections of code; arrays
are decimal numbers, one state a line, so that a reviewer reads them and a diff shows the states that changed.
Strings from grammars occur only within literals and comments, in ASCII.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count, filterfalse
from string import Template
from textwrap import wrap

from abnforge.catalog import ArgumentError
from abnforge.codegen.model import TABLE_FORMAT, CodeTables, FileHeading
from abnforge.messages import message
from abnforge.records import dataclass

LICENSE = "0BSD"
"""The SPDX identifier of generated files: use without conditions, not even a notice."""

MAX_DEFINITION = 40
"""The maximum number of lines of a rule's definition in the first comment."""

LINE = 100  # the maximum length of lines other than rows of states


@dataclass(frozen=True)
class Target:
    """A language: ``name`` selects it, ``unit`` is what offsets count.

    ``write`` returns the content of a file. ``read`` returns the numbers in such a content by the names of
    ``arrays``, and ``read_expected`` the descriptions of expected characters. If ``has_pattern``, a file uses
    a regular expression of Python for verdicts. If ``surrogates``, strings are UTF-16 and can contain lone
    surrogates. A name that a caller chooses cannot be one of the ``reserved`` words, which spaces surround.
    ``class_name`` returns the name of the class, if there is one; a package can precede a name then.
    """

    name: str
    language: str
    suffix: str
    unit: str
    write: Callable[[CodeTables], str]
    read: Callable[[str, CodeTables], Mapping[str, Sequence[int]]]
    read_expected: Callable[[str, CodeTables], Sequence[str]]
    has_pattern: bool = False
    surrogates: bool = False
    reserved: str = ""
    class_name: Callable[[str], str] | None = None


def encoding_of(heading: FileHeading) -> str:
    """Return the encoding of strings as comments name it."""
    return "bytes" if heading.of_bytes else "UTF-8"


def arrays(tables: CodeTables) -> dict[str, list[int]]:
    """Return the arrays of a file by name.

    ``start``, ``width``, ``points`` and, for a recursive rule, ``actions`` have one number each. ``rows``
    contains the rows of states and the actions on the stack. Operation n sets ``set_registers[i]`` by
    ``set_changes[i]`` for i from ``operation_starts[n]`` to ``operation_starts[n + 1]``. ``finals`` has two
    registers for each part and row. No array is empty.
    """
    result = {
        "width": [tables.width],
        "start": [tables.start],
        "points": [tables.points],
        "class_of": list(tables.class_of),
        "rows": [cell for row in tables.lines for cell in row],
        "accepting": list(tables.accepting),
        "labels": list(tables.labels),
    }
    if tables.stack:
        result["actions"] = [tables.cells]
    if tables.parts:
        starts = [0]
        for operation in tables.operations:
            starts.append(starts[-1] + len(operation))
        settings = [setting for operation in tables.operations for setting in operation] or [(0, 0)]
        result |= {
            "operation_starts": starts,
            "set_registers": [register for register, _ in settings],
            "set_changes": [change for _, change in settings],
            "initial": list(tables.initial),
            "final": list(tables.final),
            "finals": [register for registers in tables.finals for register in registers],
        }
    return result


def heading_lines(tables: CodeTables) -> list[str]:
    """Return the lines of a file's first comment after the line that names the generator."""
    stack = f" {_count(tables.stack.symbols, 'stack symbol')};" if tables.stack else ""
    states = _count(tables.states, "state")
    classes = _count(tables.width - 1, "class", "classes")
    automaton = f"Automaton: {states}, {classes} of bytes;{stack} table format {TABLE_FORMAT}"
    return origin_lines(tables.heading, automaton)


def common_fields(
    tables: CodeTables, unit: str, string: Callable[[str], str], prefix: str, indent: str
) -> dict[str, object]:
    """Return the fields that all templates share, in a language's literals, comments and indentation."""
    return {
        "version": tables.heading.version,
        "sha256": tables.heading.sha256,
        "title": string(tables.heading.title),
        "unit": "bytes" if tables.heading.of_bytes else unit,
        "heading": comment(heading_lines(tables), prefix),
        "width": tables.width,
        "start": tables.start,
        "points": tables.points,
        "rows": row_lines(tables, indent),
        "expected": "\n".join(f"{indent}{string(text)}," for text in tables.expected),
    }


def origin_lines(heading: FileHeading, *facts: str) -> list[str]:
    """Return the lines of a comment that name the origin of a file, with facts about the file."""
    command = f"Command: {heading.command}" if heading.command else ""
    linked = f"SHA-256 of linked rules: {heading.linked_sha256}"
    return [
        *wrap(command, LINE - 4, break_on_hyphens=False, subsequent_indent="  "),
        f"Grammar: {heading.grammar}",
        f"SHA-256 of the grammar: {heading.sha256}",
        *([linked] if heading.linked_sha256 else []),
        *facts,
        f"SPDX-License-Identifier: {LICENSE}",
        "",
        "Definition:",
        *(f"  {line}" for line in heading.definition[:MAX_DEFINITION]),
        *(["  ..."] if heading.definition[MAX_DEFINITION:] else []),
    ]


def _count(number: int, unit: str, plural: str = "") -> str:
    return f"{number:,} {unit if number == 1 else plural or unit + 's'}"


def comment(lines: Iterable[str], prefix: str) -> str:
    """Return lines of a comment, each with a prefix, that no line can end or continue."""
    return "\n".join((prefix + harmless(line)).rstrip() for line in lines)


def harmless(line: str) -> str:
    """Return a line in printable ASCII, without the signs that end, nest or continue a comment."""
    shown = "".join(c if " " <= c <= "~" else f"<U+{ord(c):04X}>" for c in line)
    shown = shown.replace("*/", "* /").replace("/*", "/ *").replace("??", "? ?").replace("\\u", "\\ u")
    return shown + "." if shown.endswith("\\") else shown


def identifier(name: str) -> str:
    """Return the name of a rule as an identifier in lower case, such as ``path_abempty``."""
    words = "_".join(re.findall("[a-z0-9]+", name.lower()))
    return words if words[:1].isalpha() else f"rule_{words}"


def distinct(names: Iterable[str]) -> list[str]:
    """Return names in order, with an underscore and a number if two are equal: ``a_b``, ``a_b_2``."""
    names = list(names)
    results: list[str] = []
    for name in names:
        numbered = (f"{name}_{number}" for number in count(2))
        is_taken = {*names, *results}.__contains__
        results.append(name if name not in results else next(filterfalse(is_taken, numbered)))
    return results


def check_identifier(name: str, target: Target) -> str:
    """Return a name that a caller chose for identifiers. Raises ArgumentError."""
    words = name.split(".") if target.class_name else [name]
    if not all(re.fullmatch("[A-Za-z][A-Za-z0-9_]*", word) for word in words):
        raise ArgumentError(message("code-name", name=name))
    packages = words[:-1] if target.class_name else words
    if reserved := next((word for word in packages if f" {word} " in target.reserved), None):
        raise ArgumentError(message("code-name-reserved", word=reserved, language=target.language))
    return name


def check_output(name: str, file: str, target: Target, suffixes: Iterable[str]) -> None:
    """Raise ArgumentError if a file with this name has another language's suffix, or not the class's name.

    ``name`` is the base of identifiers in the file.
    """
    stem, dot, suffix = file.rpartition(".")
    if stem and dot + suffix != target.suffix and dot + suffix in suffixes:
        facts = {"target": target.name, "suffix": dot + suffix, "expected": target.suffix}
        raise ArgumentError(message("code-output", **facts))
    if target.class_name and file != (expected := target.class_name(name) + target.suffix):
        raise ArgumentError(message("code-output-class", expected=expected, file=file))


def bits(values: Iterable[int]) -> int:
    """Return the width of the smallest unsigned integers that hold numbers: 8, 16 or 32."""
    largest = max(values)
    return 8 if largest < 1 << 8 else 16 if largest < 1 << 16 else 32


def number_lines(values: Sequence[int], indent: str) -> str:
    """Return numbers in lines of limited length, each followed by a comma."""
    lines = wrap(" ".join(f"{value}," for value in values), LINE - len(indent))
    return "\n".join(indent + line for line in lines)


def row_lines(tables: CodeTables, indent: str) -> str:
    """Return the cells of all states and actions, each in a line."""
    return "\n".join(f"{indent}{', '.join(map(str, row))}," for row in tables.lines)


def fill(template: str, fields: Mapping[str, object]) -> str:
    """Return a template with its fields, ``$name`` or ``${name}``."""
    return Template(template.removeprefix("\n")).substitute(fields)


def filled(
    sections: Iterable[str], fields: Mapping[str, object], changes: Sequence[tuple[str, str]] = ()
) -> str:
    """Return a file of templates, after the changes of their text."""
    parts = []
    for section in sections:
        for old, new in changes:
            section = section.replace(old, new)
        parts.append(fill(section, fields))
    return "".join(parts)


def read_arrays(text: str, names: Mapping[str, str]) -> dict[str, list[int]]:
    """Return the numbers of arrays in a file, by the keys of ``names``.

    ``names`` are the identifiers in the file. Raises KeyError for a missing identifier.
    """
    words = {key: re.findall(r"-?\b(?:\d+|true|false)\b", _value(text, name)) for key, name in names.items()}
    return {
        key: [int({"true": 1, "false": 0}.get(word, word)) for word in each] for key, each in words.items()
    }


def read_strings(text: str, name: str) -> list[str]:
    """Return the strings of an array in a file. Raises KeyError for a missing identifier."""
    literals = re.findall(r'"((?:[^"\\]|\\.)*)"', _value(text, name))
    return [_ESCAPE.sub(_unescaped, literal) for literal in literals]


_ESCAPE = re.compile(r"\\(?:([0-7]{3})|x([0-9a-fA-F]{2})|u\{?([0-9a-fA-F]{1,6})\}?|(.))")


def _unescaped(escape: re.Match[str]) -> str:
    octal, byte, code, char = escape.groups()
    return char or chr(int(octal, 8) if octal else int(byte or code, 16))


def _value(text: str, name: str) -> str:
    """Return the value of an identifier's definition: the rest of its line, or the lines in brackets."""
    pattern = rf"\b{re.escape(name)}[^\w=\n][^=\n]*=(?:[^\n]*[\[{{(]\n(.*?)\n\s*[\]}})]|([^\n]*))"
    definition = re.search(pattern, text, re.DOTALL)
    if definition is None:
        raise KeyError(name)
    return definition[2] if definition[1] is None else definition[1]
