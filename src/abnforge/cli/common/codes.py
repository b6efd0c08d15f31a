"""Codes of rejections and of messages, with examples."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import abnforge
from abnforge.catalog import Catalog
from abnforge.cli.common.messages import message
from abnforge.errors import UnknownNameError
from abnforge.grammar.shipped import bundled_names, generated
from abnforge.records import attributes
from abnforge.text import citation, near_misses

if TYPE_CHECKING:
    from abnforge.engine.grammar import Grammar
    from abnforge.explain.codes import Code


@dataclass(frozen=True, slots=True)
class CodeExample:
    """An invalid string, its message, and its correction (None if unknown).

    ``offered`` says whether a rejection suggests the correction.
    """

    rule: str
    wrong: str
    start: int
    end: int
    message: str
    right: str | None
    offered: bool


@dataclass(frozen=True, slots=True)
class KnownCode:
    """A code of a grammar. ``where`` cites the section that defines the correct form."""

    grammar: str
    code: Code
    where: str | None
    examples: tuple[CodeExample, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the code as plain data; its keys are stable."""
        code = self.code
        return {
            "code": code.code,
            "grammar": self.grammar,
            **attributes(code, "family component severity meaning rule place section"),
            "examples": [
                {
                    "rule": e.rule,
                    "wrong": e.wrong,
                    "right": e.right if e.offered else None,
                    "message": e.message,
                }
                for e in self.examples
            ],
            "valid_examples": [{"rule": near.rule, "valid": near.valid} for near in code.valid_examples],
            "sources": list(code.sources),
            "definition": code.definition,
        }


def known_code(grammar: Grammar, name: str) -> KnownCode | None:
    """Return a code by name, without regard to case."""
    from abnforge.engine.set_algebra import codes_of_sets
    from abnforge.explain.codes import Code
    from abnforge.uri.security import SECURITY_CODES

    lowered = name.strip().lower()
    for code in grammar.codes.values():
        if code.code.lower() == lowered:
            return _known(grammar, code)
    for code_name, meaning in {**other_codes(), **codes_of_sets(grammar.rules)}.items():
        if code_name.lower() == lowered:
            finding = SECURITY_CODES.get(code_name)
            more = {} if finding is None else attributes(finding, "component severity")
            return KnownCode(grammar.name, Code(code_name, meaning, **more), None, ())
    return None


def unknown_code(grammar: Grammar, name: str) -> UnknownNameError:
    """Return the error for a code that neither this grammar nor a built-in one has, with similar codes."""
    near = tuple(near_misses(name, [*grammar.codes, *other_codes()]))
    data = {"name": name, "grammar": grammar.name, "near": near, "grammars": len(bundled_names())}
    hints = () if near else (message("code-unknown-list", grammar=grammar.name),)
    return UnknownNameError(message("code-unknown", hints=hints, **data))


def bundled_with(code: str) -> Iterator[Grammar]:
    """Yield the built-in grammars that have a code.

    Other grammars are not loaded, because deriving all codes takes seconds.
    """
    for name in bundled_names():
        codes = json.loads((generated() / f"{name}.codes.json").read_bytes())["codes"]
        if code.strip().lower() in map(str.lower, codes):
            yield abnforge.load(name)


def other_codes() -> dict[str, str]:
    """Return the codes of security findings and those of rejections of any grammar, with their meanings."""
    from abnforge.policies import POLICY_CODES
    from abnforge.rejection import ROW_CODES
    from abnforge.uri.security import SECURITY_CODES

    findings = {
        code: f"{each.meaning[0].upper()}{each.meaning[1:]}." for code, each in SECURITY_CODES.items()
    }
    return {**findings, **ROW_CODES, **POLICY_CODES}


def known_codes(grammar: Grammar, *, derived: bool = False) -> Iterator[KnownCode]:
    """Yield the mistakes that a grammar declares, or that are ``derived`` from it, by preference."""
    for code in grammar.codes.values():
        if code.definition is not None and code.derived is derived:
            yield _known(grammar, code)


def _known(grammar: Grammar, code: Code) -> KnownCode:
    examples = []
    for example in code.examples:
        rule = grammar.start if example.rule is None else grammar[example.rule]
        rejection = rule.explain(example.wrong)
        # Several members of a family share one example list.
        if rejection is not None and rejection.code == code.code:
            message = rejection.message
            offered = rejection.suggestion is not None
            examples.append(
                CodeExample(rule.name, example.wrong, *rejection.span, message, example.right, offered)
            )
    where = None if code.section is None else citation(grammar.name, code.section)
    return KnownCode(grammar.name, code, where, tuple(examples))


_PACKAGE = Path(abnforge.__file__).parent
_FIELD = re.compile(r"\{(\w+)(?:![a-z])?(?::(\w*)[^}]*)?\}")
_SHOWN = {"quoted": '"{}"', "near": "; did you mean {}?", "available": "; available: {}", "hints": "; {}"}


@dataclass(frozen=True, slots=True)
class MessageCode:
    """A code of a catalog."""

    code: str
    package: str
    template: str

    @property
    def exceptions(self) -> tuple[str, ...]:
        """Return the exception classes raised with this message, if known. Cost: parses the package once."""
        folder = _PACKAGE.joinpath(*self.package.split(".")[1:])
        return tuple(sorted(_exceptions(folder).get(self.code, ())))

    @property
    def text(self) -> str:
        """Return the message template for readers, without the formats of its fields."""
        return _FIELD.sub(lambda field: _SHOWN.get(field[2], "{}").format(f"<{field[1]}>"), self.template)

    def to_dict(self) -> dict[str, Any]:
        """Return the code as plain data; the keys are stable."""
        return {
            "code": self.code,
            "package": self.package,
            "message": self.text,
            "fields": list(dict.fromkeys(field[1] for field in _FIELD.finditer(self.template))),
            "exceptions": list(self.exceptions),
        }


def message_code(code: str) -> MessageCode | None:
    """Return a code of a catalog, or a code that several messages share, without regard to case."""
    name = code.strip().lower()
    codes = {each.code: each for each in reversed(list(message_codes()))}
    if name not in codes and (shared := codes.get(_shared_codes().get(name, ""))) is not None:
        return replace(shared, code=name)
    return codes.get(name)


def message_codes() -> Iterator[MessageCode]:
    """Yield the codes of all catalogs whose packages can be imported, in the order of the packages."""
    for path in sorted(_PACKAGE.rglob("messages.py")):
        package = ".".join(("abnforge", *path.parent.relative_to(_PACKAGE).parts))
        try:
            catalog = import_module(f"{package}.messages").message
        except (ImportError, AttributeError):  # an extra is missing, or the module is not a catalog
            continue
        if isinstance(catalog, Catalog):
            for code, template in catalog.templates.items():
                yield MessageCode(code, package, template)


@cache
def _shared_codes() -> dict[str, str]:
    """Return the message code for each ``code="..."`` that an error, or a meter that raises one, receives."""
    shared: dict[str, str] = {}
    for path in sorted(_PACKAGE.rglob("*.py")):
        source = path.read_bytes()
        for node in ast.walk(ast.parse(source)) if b'code="' in source else ():
            if not isinstance(node, ast.Call) or not node.args:
                continue
            match next((each.value for each in node.keywords if each.arg == "code"), None):
                case ast.Constant(value=str(code)):
                    is_meter = isinstance(node.func, ast.Attribute) and node.func.attr == "meter"
                    message_name = "limit-steps" if is_meter else _message_code(node.args[0])
                    if message_name:
                        shared.setdefault(code, message_name)
    return shared


def _message_code(node: ast.expr) -> str:
    match node:
        case ast.Call(func=ast.Name(id=function), args=[ast.Constant(value=str(code)), *_]):
            return code if function.endswith("message") else ""
    return ""


@cache
def _exceptions(folder: Path) -> dict[str, set[str]]:
    """Return the classes of ``raise X(message("code", ...))`` in a package, by code."""
    classes: dict[str, set[str]] = {}
    for path in folder.rglob("*.py"):
        source = path.read_bytes()
        raises = re.search(rb"\braise\s+\w+\(\s*\w*message\(", source)  # parse few files
        for node in ast.walk(ast.parse(source)) if raises else ():
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
                error, argument = node.exc.func, node.exc.args[0]
                if (
                    isinstance(error, ast.Name)
                    and isinstance(argument, ast.Call)
                    and isinstance(argument.func, ast.Name)
                    and argument.func.id.endswith("message")
                ):
                    for each in ast.walk(argument.args[0]):
                        if isinstance(each, ast.Constant) and isinstance(each.value, str):
                            classes.setdefault(each.value, set()).add(error.id)
    return classes
