"""Grammars that others take rules from: by name, by path, and as a text names them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Protocol

from abnforge.abnf.binding import Given, bind
from abnforge.abnf.bundled import PACKAGE_PREFIX, bundled_names, generated
from abnforge.abnf.linking import Import, Linking, Wish, link, wishes
from abnforge.abnf.lists import LISTS, RECIPIENT
from abnforge.abnf.lists import lists as lists_of
from abnforge.abnf.messages import message
from abnforge.abnf.model import Rulelist
from abnforge.abnf.names import BoundGrammar, BoundRule
from abnforge.abnf.reader import read
from abnforge.arguments import choice_argument, names_argument, plain_argument, sequence_argument
from abnforge.catalog import ArgumentTypeError
from abnforge.errors import GrammarError, UnknownNameError
from abnforge.late import importing
from abnforge.messages import message as _message
from abnforge.near_misses import near_misses
from abnforge.records import replace

if TYPE_CHECKING:
    from pathlib import Path

MAX_IMPORT_DEPTH = 20
"""Files that import files: a specification takes rules from two or three others, and these from one."""


def bundled_grammar(name: str, form: str = RECIPIENT) -> BoundGrammar:
    """A bundled grammar, bound, with what it takes from others; ``form`` is how lists are read."""
    return _bundled(name, form)


@cache
def _bundled(name: str, form: str) -> BoundGrammar:
    folder = generated()
    rulelist = read(folder.joinpath(f"{name}.abnf").read_text("utf-8"), f"{name}.abnf")
    stored = folder.joinpath(f"{name}.imports.json")
    # What is taken from others has been put together: reading all of them takes half as long as a verdict.
    if form == RECIPIENT and stored.is_file():
        return bind(rulelist, name=name, given=_taken(stored.read_text("utf-8"), name))
    # tools/build_grammars.py has seen to it that these lead in no circle.
    imports = tuple(Import(_bundled(wish.grammar, form), wish.rules, wish) for wish in wishes(rulelist))
    return link(rulelist, name, Linking(imports, lists=form))


def taken_data(given: Given) -> dict[str, dict[str, object]]:
    """The rules that a grammar takes from others, as data, which ``tools/build_grammars.py`` stores."""
    with importing:
        from abnforge.abnf.printer import print_rule

    rules: dict[str, object] = {}
    for each in given.imports.values():
        rule = replace(each.rule, name=each.name, elements=each.elements, incremental=False)
        rules[each.name] = [print_rule(rule) + "\n", each.section]
    return {"rules": rules, "cited": dict(given.cited)}


def _taken(data: str, name: str) -> Given:
    found = json.loads(data)
    rulelist = read("".join(text for text, _ in found["rules"].values()), f"{name}.imports", "abnf")
    sections = {rule: section for rule, (_, section) in found["rules"].items()}
    rules = {
        rule.name.lower(): BoundRule(rule.name, rule.elements, "import", sections[rule.name], rule)
        for rule in rulelist.rules
    }
    return Given(rules, cited=found["cited"])


def has_lists(grammar: BoundGrammar) -> bool:
    """Whether the rules of a grammar have lists: ``1#element``."""
    own = (rule.rule for rule in grammar.rules.values() if rule.origin == "file")
    return any(next(lists_of(rule.elements), None) is not None for rule in own)


def grammar_at(
    source: str | os.PathLike[str], folder: Path | None = None, under: tuple[str, ...] = ()
) -> BoundGrammar:
    """A grammar by its bundled name, as ``abnf:NAME``, or by its path from a folder, for others to take rules
    from: names that it does not define are no error there. ``under`` are the files that lead to it.

    Raises UnknownNameError, OSError, GrammarError.
    """
    if isinstance(source, str):
        if source in bundled_names():
            return bundled_grammar(source)
        if source.startswith(PACKAGE_PREFIX):
            with importing:
                from abnforge.abnf.package import load_package

            return load_package(source.removeprefix(PACKAGE_PREFIX))
    with importing:
        from pathlib import Path

        from abnforge.abnf.documents import read_grammar

    path = (folder or Path()) / source
    if isinstance(source, str) and not path.exists() and not looks_like_path(source):
        head, *more = source.split(maxsplit=1)
        if more:
            problem = message("import-colon-missing", found=source, grammar=head, rules=more[0])
        elif near := _near(source):
            problem = message("import-unknown-near", grammar=source, near=near)
        else:
            problem = message("import-unknown", grammar=source)
        raise UnknownNameError(problem)
    real = os.path.realpath(path)
    if real in under or len(under) >= MAX_IMPORT_DEPTH:
        way = " > ".join(
            Path(each).name for each in (*under[under.index(real) if real in under else 0 :], real)
        )
        problem = (
            message("import-cycle", chain=way)
            if real in under
            else message("import-limit", limit=MAX_IMPORT_DEPTH, chain=way)
        )
        raise GrammarError(problem, code="import-directive", path=str(path))
    rulelist = read(read_grammar(path), str(path))
    linking = with_wishes(rulelist, Linking(allow_undefined=True), path.parent, (*under, real))
    return link(rulelist, path.stem, linking)


def _near(name: str) -> tuple[str, ...]:
    """Return the grammars whose names are close to a name that no bundled grammar has."""
    with importing:
        from abnforge.abnf.package import package_names

    if name in package_names():
        return (PACKAGE_PREFIX + name,)
    return tuple(near_misses(name, bundled_names()))


def with_wishes(rulelist: Rulelist, linking: Linking, folder: Path, under: tuple[str, ...] = ()) -> Linking:
    """The linking with what the text itself imports, which comes first. Raises GrammarError, which says where
    an import stands that cannot be had.
    """
    found = tuple(_granted(wish, folder, under) for wish in wishes(rulelist))
    return replace(linking, imports=(*found, *linking.imports)) if found else linking


def _granted(wish: Wish, folder: Path, under: tuple[str, ...]) -> Import:
    try:
        return Import(grammar_at(wish.grammar, folder, under), wish.rules, wish)
    except (UnknownNameError, OSError) as error:
        problem = (
            error.message
            if isinstance(error, UnknownNameError)
            else message("import-unreadable", file=wish.grammar, reason=error.strerror or str(error))
        )
        raise GrammarError(problem, code="import-directive", source=wish.source, span=wish.span) from None


class Compiled(Protocol):
    """What a loaded grammar was made of."""

    bound: BoundGrammar


class Loaded(Protocol):
    """A grammar that is loaded, as callers have it."""

    compilation: Compiled


Source = Loaded | str | os.PathLike[str]
"""What rules can be taken from: a grammar, its name, or a file."""


def linked(
    imports: Sequence[Source] = (),
    define: Iterable[str] = (),
    allow_undefined: bool = False,
    lists: str = RECIPIENT,
) -> Linking:
    """What a grammar is put together with, out of a caller's arguments. Raises TypeError and ValueError for
    what is none, and what :func:`grammar_at` raises.
    """
    sequence_argument(imports, "imports", object, "grammar, name or path")
    texts = names_argument(define, "define", "texts of rules")
    form = choice_argument(lists, "lists", LISTS)
    return Linking(tuple(map(_import, imports)), texts, bool(allow_undefined), form)


def _import(source: Source) -> Import:
    if isinstance(source, str):
        return Import(grammar_at(plain_argument(source, "imports")))
    if isinstance(source, os.PathLike):
        return Import(grammar_at(source))
    bound = getattr(getattr(source, "compilation", None), "bound", None)
    if not isinstance(bound, BoundGrammar):
        expected = "a sequence of Grammar, str or Path"
        raise ArgumentTypeError(
            _message("argument-type", name="imports", expected=expected, type=type(source).__name__)
        )
    return Import(bound)


def looks_like_path(source: str) -> bool:
    """Whether a text that is no grammar's name is meant as a file's."""
    with importing:
        from abnforge.abnf.documents import is_document_name

    return (
        os.path.exists(source)
        or os.sep in source
        or source.lower().endswith(".abnf")
        or is_document_name(source)
    )
