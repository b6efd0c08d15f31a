"""Load grammars by name, by path and from text.

A name is that of a built-in grammar (``rfc3986``), or ``abnf:NAME`` for a grammar of the ``abnf`` package
with its imports. The files of built-in grammars are in ``abnforge/_data``. Any other string is a path.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import cache as memoized
from functools import reduce
from typing import TYPE_CHECKING, Any

from abnforge._arguments import choice_argument, instance_argument, plain_argument, wrong_type
from abnforge._lazy import lazy
from abnforge.budget import DEFAULT, Budget
from abnforge.catalog import ArgumentError
from abnforge.charset import ALPHABETS
from abnforge.engine.compilation import Compilation
from abnforge.engine.grammar import Grammar, Making
from abnforge.engine.rule import Rule
from abnforge.engine.stores import BundledStore
from abnforge.errors import UnknownNameError
from abnforge.grammar.shipped import PACKAGE_PREFIX, bundled_names, defining, generated, outlined_grammar
from abnforge.grammar.syntax import RECIPIENT
from abnforge.messages import message
from abnforge.text import near_misses

with lazy:
    import pathlib

    from abnforge.engine import cache as engine_cache
    from abnforge.explain import mistakes_file, shipped
    from abnforge.grammar import abnf_package, alphabets, files, imports, lexer, reader

if TYPE_CHECKING:
    from abnforge.explain.mistakes import Mistakes
    from abnforge.grammar.source_map import ExtractedSource
    from abnforge.grammar.syntax import BoundGrammar, Rulelist


def grammar_names() -> list[str]:
    """Return the names of the built-in grammars."""
    return list(bundled_names())


def package_names() -> list[str]:
    """Return the grammars of the ``abnf`` package as arguments of ``load``, such as ``abnf:rfc9110``."""
    return [PACKAGE_PREFIX + name for name in abnf_package.package_names()]


def load(
    source: str | os.PathLike[str],
    *,
    dialect: str | None = None,
    imports: Sequence[files.GrammarSource] = (),
    define: Iterable[str] = (),
    allow_undefined: bool = False,
    lists: str = RECIPIENT,
    alphabet: str | None = None,
    mistakes: str | os.PathLike[str] | None = None,
    budget: Budget | None = None,
    cache: bool = True,
) -> Grammar:
    """Load a grammar by built-in name, by ``abnf:NAME`` or by the path of an ABNF file.

    ``dialect`` is ``"abnf"``, ``"rfc822"`` (the notation of RFC 2396, with "|"), or None to detect it. A
    built-in name takes precedence over a file of that name; write ``./rfc3986`` for the file. Built-in and
    package grammars are loaded once for each budget and shared.

    ``mistakes`` are declared mistakes, as text or as the Path of a file (docs/mistakes.md). They precede the
    grammar's own mistakes, which can be built in, declared in the file, or declared in a file
    NAME.mistakes.abnf next to it. ``budget`` limits each operation. Slow compilations are cached on disk,
    unless ``cache=False`` (docs/limits.md).

    ``imports`` are grammars, or arguments of ``load``. A rule that the file uses but does not define is
    imported from the first grammar that defines it, with all rules that it needs there. ``define`` contains
    further rules as ABNF. With ``allow_undefined``, an undefined rule is a warning, and rules that need it
    cannot be matched. ``lists`` is the meaning of ``1#element``: a ``"recipient"`` skips empty elements, a
    ``"sender"`` does not write any (RFC 9110, section 5.6.1). Built-in grammars support only ``lists`` among
    these options, and grammars of the package do not support any.

    ``alphabet`` is ``"unicode"``, or ``"bytes"``: then each byte of an input is one character, %x00-FF
    (OCTET in RFC 5234), and str inputs raise TypeError (docs/bytes.md). By default, it is the alphabet that
    a line ``;@ alphabet bytes`` of the grammar declares, else ``"unicode"``.

    Raises UnknownNameError (a KeyError) with similar names, also for the empty string; OSError for a file
    that cannot be read; GrammarError for an invalid grammar.
    """
    budget, dialect, alphabet = _budget(budget), _dialect(dialect), _alphabet(alphabet)
    declared = _mistakes(mistakes)
    linking = _linking(imports, define, allow_undefined, lists, alphabet)
    if isinstance(source, str):
        source = plain_argument(source, "source")
        if not source:
            # As a path, it would be the current directory.
            raise UnknownNameError(message("grammar-missing"))
        if source.startswith(PACKAGE_PREFIX):
            return _load_package(source, budget, declared, bool(cache), alphabet)
        if source in bundled_names():
            form = RECIPIENT if linking is None else linking.lists
            return _load_bundled(source, budget, declared, form, alphabet)
        if not files.looks_like_path(source):
            near = tuple(near_misses(source, grammar_names() + package_names()))
            raise UnknownNameError(message("grammar-unknown", grammar=source, near=near))
    elif not isinstance(source, os.PathLike):
        raise wrong_type("source", "a str or a Path", source)
    return _load_path(pathlib.Path(source), dialect, budget, declared, linking, bool(cache))


def is_built_in(text: str) -> bool:
    """Return whether a name is that of a built-in or package grammar, or of a rule in one."""
    names = bundled_names()
    return text.startswith(PACKAGE_PREFIX) or text in names or text.rpartition(":")[0] in names


def lintable(name: str, budget: Budget | None = None) -> pathlib.Path | Grammar:
    """Return the argument of ``abnforge.lint`` for a grammar by name or path.

    It is the path of a file, which does not have to be valid, or the grammar. A built-in name takes
    precedence over a file. Raises the exceptions of ``load``.
    """
    if name not in bundled_names() and pathlib.Path(name).is_file():
        return pathlib.Path(name)
    return load(name, budget=budget)


def rule(text: str) -> Rule:
    """Return a rule in one step: ``GRAMMAR:RULE``, or ``GRAMMAR`` for its start rule.

    Raises the exceptions of ``load``, UnknownNameError for an unknown rule, ValueError for a colon at the
    end, and TypeError for any type other than str.
    """
    if not isinstance(text, str):
        raise wrong_type("text", "a str such as 'rfc3986:URI'", text)
    grammar, name = locate(plain_argument(text, "text"))
    return grammar.start if name is None else grammar[name]


def locate(text: str, budget: Budget | None = None, **options: Any) -> tuple[Grammar, str | None]:
    """Return a grammar as ``load`` does, and the rule name after it, if any: ``abnf:rfc9110:Host``.

    ``options`` are other arguments of ``load``. If the whole string, including a colon, names a grammar or a
    file, the rule name is None. Raises ValueError for a colon at the end, and the exceptions of ``load``.
    """
    head, colon, rule = text.rpartition(":")
    # "abnf" alone is the prefix of the package's grammars.
    if not colon or head == PACKAGE_PREFIX.removesuffix(":") or _is_source(text):
        try:
            return load(text, budget=budget, **options), None
        except UnknownNameError:
            near = tuple(f"{name}:{text}" for name in sorted(defining(text), key="rfc3986".__ne__)[:3])
            if not near:
                raise
            raise UnknownNameError(message("grammar-unknown", grammar=text, near=near)) from None
    if not rule:
        raise ArgumentError(message("rule-name-missing", text=text))
    return load(head, budget=budget, **options), rule


def _is_source(text: str) -> bool:
    """Return whether a string with a colon is the name of a grammar or of a file."""
    if text in bundled_names() or os.path.exists(text):
        return True
    return text.startswith(PACKAGE_PREFIX) and text in package_names()


def loads(
    text: str,
    *,
    name: str = "<string>",
    dialect: str | None = None,
    imports: Sequence[files.GrammarSource] = (),
    define: Iterable[str] = (),
    allow_undefined: bool = False,
    lists: str = RECIPIENT,
    alphabet: str | None = None,
    mistakes: str | os.PathLike[str] | None = None,
    budget: Budget | None = None,
    cache: bool = True,
    base_dir: str | os.PathLike[str] = ".",
) -> Grammar:
    """Load the grammar in a string.

    ``name`` is the grammar's name in messages. ``mistakes`` are declared mistakes, as text or as the Path of
    a file (docs/mistakes.md), and ``budget`` limits each operation. Imports by path are relative to
    ``base_dir``. The other arguments are those of :func:`load`.

    A grammar can declare mistakes among its rules; they do not become rules of the grammar. Raises
    GrammarError, and OSError for a file that cannot be read.
    """
    if not isinstance(text, str):
        raise wrong_type("text", "a str", text)
    text, name = plain_argument(text, "text"), plain_argument(name, "name")
    budget = _budget(budget)
    linking = _linking(imports, define, allow_undefined, lists, _alphabet(alphabet))
    declared = _mistakes(mistakes)
    instance_argument(base_dir, "base_dir", str | os.PathLike, "a str or a Path")
    where = os.fspath(base_dir)
    return _from_text(
        text, name, name, _dialect(dialect), budget, declared, linking, where, cache=bool(cache)
    )


def _from_text(
    text: str | ExtractedSource,
    source: str,
    name: str,
    dialect: str | None,
    budget: Budget,
    mistakes: Texts = (),
    linking: imports.LinkOptions | None = None,
    base_dir: str | None = ".",
    cache: bool = True,
) -> Grammar:
    """Return the grammar of a source.

    ``source`` is the source's name in messages, ``name`` is the grammar's name, and ``base_dir`` is the
    directory for imports by path, or None if ``linking`` contains it.
    """
    rulelist, declared = _apart(reader.read(text, source, dialect), name)
    linking = linking or imports.LinkOptions()
    if base_dir is not None and ";@" in rulelist.source.text:
        under = (os.path.realpath(source),) if base_dir != "." or pathlib.Path(source).is_file() else ()
        linking = files.resolve_imports(rulelist, linking, pathlib.Path(base_dir), under)
    compilation = _compilation(
        imports.link(rulelist, name, linking), budget, _joined(mistakes, declared), cache
    )
    arguments = (text, source, name, dialect, budget, mistakes, linking, None, cache)
    return _grammar(compilation, (_from_text, arguments))


def _linking(
    imports: Sequence[files.GrammarSource],
    define: Iterable[str],
    allow_undefined: bool,
    lists: str,
    alphabet: str | None,
) -> imports.LinkOptions | None:
    """Return the link options for a caller's arguments, or None for the defaults.

    Raises the exceptions of ``grammar.files.linked``.
    """
    if (imports, define, allow_undefined, lists, alphabet) == ((), (), False, RECIPIENT, None):
        return None
    return files.linked(imports, define, allow_undefined, lists, alphabet)


def _compilation(bound: BoundGrammar, budget: Budget, declared: Mistakes | None, cache: bool) -> Compilation:
    """Return the compilation of a grammar; with ``cache``, it uses the user's cache, if any."""
    if cache:
        return Compilation(bound, budget, declared, engine_cache.user_store())
    return Compilation(bound, budget, declared)


Texts = tuple[tuple[str, str], ...]
"""Mistakes files: the name and the content of each. The first of equal mistakes is used."""


def _mistakes(mistakes: str | os.PathLike[str] | None) -> Texts:
    if mistakes is None:
        return ()
    if isinstance(mistakes, str):
        return (("<mistakes>", plain_argument(mistakes, "mistakes")),)
    if not isinstance(mistakes, os.PathLike):
        raise wrong_type("mistakes", "a str, a Path or None", mistakes)
    return ((str(mistakes), reader.read_file(pathlib.Path(mistakes))),)


def _apart(rulelist: Rulelist, name: str) -> tuple[Rulelist, Mistakes | None]:
    """Split a grammar into its rules and the mistakes that it declares."""
    if ";@" not in rulelist.source.text:
        return rulelist, None
    return mistakes_file.split_mistakes(rulelist, name)


def _joined(texts: Texts, declared: Mistakes | None = None) -> Mistakes | None:
    """Return the mistakes in some files, followed by those that a grammar declares."""
    if not texts:
        return declared and _with_adopted(declared)
    parsed = [mistakes_file.read_mistakes(text, name) for name, text in texts]
    if declared is not None:
        parsed.append(declared)
    return reduce(lambda all_, more: all_.followed_by(more), map(_with_adopted, parsed))


def _with_adopted(mistakes: Mistakes) -> Mistakes:
    """Return mistakes followed by those that they inherit from built-in grammars."""
    if not mistakes.adopts:
        return mistakes
    return mistakes_file.with_inherited(mistakes, lambda name: shipped.shipped_mistakes(generated(), name))


def _grammar(compilation: Compilation, making: Making) -> Grammar:
    """Check the declared mistakes and the exceptions of a grammar, and return it."""
    if compilation.declares:
        compilation.mistakes  # noqa: B018 - raises GrammarError
    if compilation.bound.has_exceptions:
        compilation.core  # noqa: B018 - raises GrammarError
    return Grammar(compilation, making)


def _dialect(dialect: str | None) -> str | None:
    if dialect is None:
        return None
    return choice_argument(dialect, "dialect", lexer.DIALECTS)


def _alphabet(alphabet: str | None) -> str | None:
    return None if alphabet is None else choice_argument(alphabet, "alphabet", ALPHABETS)


def _budget(budget: Budget | None) -> Budget:
    if not isinstance(budget, Budget | None):
        raise wrong_type("budget", "a Budget or None", budget)
    return budget or DEFAULT


def _load_path(
    path: pathlib.Path,
    dialect: str | None,
    budget: Budget,
    mistakes: Texts,
    linking: imports.LinkOptions | None,
    cache: bool,
) -> Grammar:
    text = files.read_grammar(path)
    beside = path.with_name(f"{path.stem}.mistakes.abnf")
    if beside.is_file():
        mistakes += ((str(beside), reader.read_file(beside)),)
    base_dir = str(path.parent)
    return _from_text(text, str(path), path.stem, dialect, budget, mistakes, linking, base_dir, cache)


def _bind_bundled(name: str) -> BoundGrammar:
    return imports.bundled_grammar(name)


@memoized
def _load_bundled(
    name: str, budget: Budget, mistakes: Texts, lists: str = RECIPIENT, alphabet: str | None = None
) -> Grammar:
    bound = outlined_grammar(name, _bind_bundled)
    if alphabet is not None and alphabet == bound.alphabet:
        return _load_bundled(name, budget, mistakes, lists, None)
    if lists != RECIPIENT and imports.has_lists(bound):
        # The stored results are for the other meaning of lists.
        bound = alphabets.with_alphabet(imports.bundled_grammar(name, lists), alphabet)
        compilation = Compilation(bound, budget, _joined(mistakes))
        return _grammar(compilation, (_load_bundled, (name, budget, mistakes, lists, alphabet)))
    making: Making = (_load_bundled, (name, budget, mistakes))
    if alphabet is not None:  # the stored results are the same: no terminal is beyond the smaller alphabet
        bound = alphabets.with_alphabet(_bind_bundled(name), alphabet)
        making = (_load_bundled, (name, budget, mistakes, RECIPIENT, alphabet))
    return _grammar(Compilation(bound, budget, _joined(mistakes), BundledStore(name, generated())), making)


@memoized
def _load_package(
    name: str, budget: Budget, mistakes: Texts, cache: bool, alphabet: str | None = None
) -> Grammar:
    bound = alphabets.with_alphabet(abnf_package.load_package(name.removeprefix(PACKAGE_PREFIX)), alphabet)
    making = (_load_package, (name, budget, mistakes, cache, alphabet))
    return _grammar(_compilation(bound, budget, _joined(mistakes), cache), making)
