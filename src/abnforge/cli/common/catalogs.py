"""The codes of the message catalogs: their templates, and the exceptions that carry them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import abnforge
from abnforge.catalog import Catalog

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
        """The classes that are raised with its message, if known. Cost: the package is parsed, once."""
        folder = _PACKAGE.joinpath(*self.package.split(".")[1:])
        return tuple(sorted(_exceptions(folder).get(self.code, ())))

    @property
    def text(self) -> str:
        """The template for people: fields without their formats."""
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
    """Return a code of a catalog, or one that several messages share, without regard to case."""
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
        except (ImportError, AttributeError):  # an extra is missing; a module that is not a catalog
            continue
        if isinstance(catalog, Catalog):
            for code, template in catalog.templates.items():
                yield MessageCode(code, package, template)


@cache
def _shared_codes() -> dict[str, str]:
    """Return the code of a message for each ``code="..."`` of an error, or of a meter that raises one."""
    found: dict[str, str] = {}
    for path in sorted(_PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            match next((each.value for each in node.keywords if each.arg == "code"), None):
                case ast.Constant(value=str(code)):
                    is_meter = isinstance(node.func, ast.Attribute) and node.func.attr == "meter"
                    made = "limit-steps" if is_meter else _message_code(node.args[0])
                    if made:
                        found.setdefault(code, made)
    return found


def _message_code(node: ast.expr) -> str:
    """Return the code in ``message("code", ...)``, "" if there is none."""
    match node:
        case ast.Call(func=ast.Name(id=function), args=[ast.Constant(value=str(code)), *_]):
            return code if function.endswith("message") else ""
    return ""


@cache
def _exceptions(folder: Path) -> dict[str, set[str]]:
    """Return the classes of ``raise X(message("code", ...))`` in a package, by code."""
    found: dict[str, set[str]] = {}
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
                error, made = node.exc.func, node.exc.args[0]
                if (
                    isinstance(error, ast.Name)
                    and isinstance(made, ast.Call)
                    and isinstance(made.func, ast.Name)
                    and made.func.id.endswith("message")
                ):
                    for each in ast.walk(made.args[0]):
                        if isinstance(each, ast.Constant) and isinstance(each.value, str):
                            found.setdefault(each.value, set()).add(error.id)
    return found
