"""Compile ``grammars/*.abnf`` into ``src/abnforge/_data/``.

    python tools/build_grammars.py              rebuild everything
    python tools/build_grammars.py rfc3986      rebuild one grammar
    python tools/build_grammars.py --changed    rebuild the grammars whose text or mistakes have changed
    python tools/build_grammars.py --check      rebuild in memory; exit 1 if a file differs

For each grammar, the files are:

- ``.abnf``: its text, for installed packages; ``.imports.json``: rules from other grammars
- ``.outline.json``: its rule names; ``.names.json``: the table of rule names for Lark
- ``.lark``: the Lark grammar as readable text
- ``.patterns.json``, ``.automata.json``: the pattern and the minimal automaton of each regular rule
- ``.configurations.json``: the first configurations of each rule without an automaton
- ``.codes.json``: the codes of its rejections
- ``.mistakes.abnf``, ``.mistakes.json``: its mistakes as text and as data, if every fix is proved

The output depends only on the grammar and on the compiler. Every stored pattern is proved equal to the
automaton of its rule, in all dialects, with and without anchors. ``unproved`` lists the dialects whose
proofs exceed the budget. ``left out`` lists imported rules, and rules with large automata that are not start
rules.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from heapq import heapify, heappop, heappush
from typing import Any

import generated as generated_files

from abnforge.automata import code_points as tagged
from abnforge.automata.dfa import to_data
from abnforge.engine.compilation import Compilation, is_large
from abnforge.engine.examples import examples_of
from abnforge.engine.stores import BETWEEN, letter_of
from abnforge.errors import GrammarError, LimitExceeded
from abnforge.explain import shipped
from abnforge.explain.bind import BoundMistakes
from abnforge.explain.mistakes import Mistakes
from abnforge.explain.mistakes_file import read_mistakes, with_inherited
from abnforge.explain.proofs import remarks
from abnforge.grammar.annotations import import_directives
from abnforge.grammar.imports import Import, LinkOptions, bind_options, link, taken_data
from abnforge.grammar.reader import read
from abnforge.grammar.shipped import outline_data, start_of
from abnforge.grammar.syntax import BoundGrammar, Rulelist
from abnforge.parsing.recognizer.configurations import Configuration
from abnforge.parsing.recognizer.machine import Machine
from abnforge.parsing.recognizer.stack import StackNode
from abnforge.regex.dialects import DIALECTS, Dialect
from abnforge.regex.errors import UndecidedError, UnsafeError
from abnforge.uri.rfc2396.parse import COMPONENT_ROOTS as ROOTS_2396
from abnforge.uri.rfc2396.parse import KINDS as KINDS_2396
from abnforge.uri.rfc2396.parse import PARTS as PARTS_2396
from abnforge.uri.rfc3986.parse import COMPONENT_GROUPS, COMPONENT_ROOTS, KINDS, PARTS

GRAMMARS = generated_files.ROOT / "grammars"
GENERATED = generated_files.ROOT / "src" / "abnforge" / "_data"

# Maximum number of configurations to store for the start rule, and for any other rule. If a grammar has more
# than MAX_RECURSIVE recursive rules, only the configurations of its start rules are stored.
CONFIGURATIONS = 1_000
CONFIGURATIONS_OF_PARTS = 200
MAX_RECURSIVE = 20

# Maximum size in bytes of the stored automaton of a rule that is not a start rule. The automata of rfc3986
# have up to 20,000 bytes.
MAX_AUTOMATON = 40_000

# For each RFC: the rules for URI references, their components, and the kinds of components.
TAGGED = ((COMPONENT_ROOTS, PARTS, KINDS), (ROOTS_2396, PARTS_2396, KINDS_2396))


def build(name: str, text: str) -> dict[str, str]:
    """Return the generated files of a grammar: file name -> content."""
    origin = f"{_origin(name, text)} by"
    generated = f"{origin} {_command(name)}"
    mistakes = _mistakes_text(name)
    declared = _declared(name)
    bound = bound_grammar(name, text)
    compilation = Compilation(bound, declared=declared)
    grammar = compilation.lark
    stored = _Stored(compilation)
    regular = stored.regular
    codes = {"generated": generated, "codes": _codes(compilation)}
    configurations = {"generated": generated, **_configurations(compilation, stored)}
    lark_head = f"// DO NOT EDIT. {origin}:\n//     {_command(name)}\n\n"
    return {
        **({} if mistakes is None else _mistakes(name, mistakes, compilation)),
        **_texts(name, text),
        f"{name}.outline.json": one_a_line({"generated": generated, **_outline(compilation)}),
        f"{name}.lark": lark_head + grammar.text(),
        f"{name}.names.json": one_a_line({"generated": generated, **grammar.table()}),
        f"{name}.patterns.json": one_a_line(
            {
                "generated": generated,
                "patterns": {key: compilation.pattern(key) for key in regular},
                "proved": list(DIALECTS),
                "groups": sorted(COMPONENT_GROUPS),
                "components": _components(compilation),
                "left out": [key for key in compilation.bodies if key not in regular],
                "unproved": {key: names for key in regular if (names := _unproved(compilation, key))},
            }
        ),
        f"{name}.automata.json": one_a_line({"generated": generated, "automata": regular}),
        f"{name}.codes.json": f"{json.dumps(codes, indent=1)}\n",
        **_tagged(name, compilation, generated),
        f"{name}.configurations.json": one_a_line(configurations),
    }


def _texts(name: str, text: str) -> dict[str, str]:
    """Return the files that hold the ABNF of a grammar and its imported rules."""
    origin = f"{_origin(name, text)} by"
    head = f"; DO NOT EDIT. {origin}:\n;     {_command(name)}\n\n"
    return {f"{name}.abnf": head + text, **_imports(name, text, f"{origin} {_command(name)}")}


def _command(name: str) -> str:
    return f"python tools/build_grammars.py {name}"


def _origin(name: str, text: str) -> str:
    return f"Generated from grammars/{name}.abnf (sha256 {_sha256(text)})"


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def bound_grammar(name: str, text: str, under: tuple[str, ...] = ()) -> BoundGrammar:
    """Return a grammar with its imports from ``grammars/``. Raises GrammarError."""
    rulelist = read(text, f"grammars/{name}.abnf")
    return link(rulelist, name, _linking(name, rulelist, under))


def _linking(name: str, rulelist: Rulelist, under: tuple[str, ...] = ()) -> LinkOptions:
    path = f"grammars/{name}.abnf"
    if name in under:
        way = " imports ".join((*under[under.index(name) :], name))
        raise GrammarError(f"imports form a cycle: {way}", code="import-directive", path=path)
    imports = []
    for wish in import_directives(rulelist):
        file = GRAMMARS / f"{wish.grammar}.abnf"
        if not file.is_file():
            message = f"{wish.grammar} is not a bundled grammar"
            raise GrammarError(message, code="import-directive", source=wish.source, span=wish.span)
        imports.append(
            Import(bound_grammar(wish.grammar, file.read_text("utf-8"), (*under, name)), wish.rules, wish)
        )
    return LinkOptions(tuple(imports))


def _imports(name: str, text: str, generated: str) -> dict[str, str]:
    """Return the file of imported rules, or nothing if the grammar has no imports."""
    rulelist = read(text, f"grammars/{name}.abnf")
    linking = _linking(name, rulelist)
    if not linking.imports:
        return {}
    data = taken_data(bind_options(rulelist, linking))
    return {f"{name}.imports.json": one_a_line({"generated": generated, **data})}


def _outline(compilation: Compilation) -> dict[str, Any]:
    """Return the names of all rules of a grammar, and the names of those that need no prose-val."""
    bound = compilation.bound
    return outline_data(bound, frozenset(key for key in bound.rules if compilation.prose(key) is None))


def _codes(compilation: Compilation) -> list[str]:
    rules = compilation.bound.rules
    own = [key for key in rules if rules[key].origin == "file"]
    return sorted(compilation.codes([start_of(compilation.bound).lower(), *own]))


def _mistakes_text(name: str) -> str | None:
    """Return the bundled mistakes file of a grammar, or None if the grammar has no mistakes."""
    path = GRAMMARS / f"{name}.mistakes.abnf"
    if not path.is_file():
        return None
    text = path.read_text("utf-8")
    origin = _origin(f"{name}.mistakes", text)
    return f"; DO NOT EDIT. {origin} by:\n;     {_command(name)}\n\n{text}"


def _declared(name: str) -> Mistakes | None:
    """Return the mistakes of a grammar, including inherited mistakes."""
    text = _mistakes_text(name)
    return None if text is None else with_inherited(read_mistakes(text, f"{name}.mistakes.abnf"), _declared)


def _mistakes_files(name: str) -> dict[str, str]:
    """Return the files that define a grammar's mistakes and inherited mistakes: file name -> content."""
    text = _mistakes_text(name)
    if text is None:
        return {}
    results = {f"{name}.mistakes.abnf": text}
    for adoption in read_mistakes(text, f"{name}.mistakes.abnf").adopts:
        results |= _mistakes_files(adoption.grammar)
    return results


def mistakes_data(bound: BoundMistakes) -> str:
    """Return the mistakes of a bundled grammar as JSON, with hashes of the files that they depend on."""
    name = bound.grammar.name
    text = (GRAMMARS / f"{name}.abnf").read_text("utf-8")
    mistakes = _mistakes_files(name)
    own = f"{name}.mistakes.abnf"
    generated = f"{_origin(name, text)} and {own} (sha256 {_sha256(mistakes[own])}) by {_command(name)}"
    large = [key for key in bound.grammar.rules if is_large(bound.facts, key)]
    data = shipped.to_data(bound, {**_texts(name, text), **mistakes}, large)
    return one_a_line({"generated": generated, "proved": True, **data}, (",", ":"))


def _mistakes(name: str, text: str, compilation: Compilation) -> dict[str, str]:
    """Return the mistakes files. Raises GrammarError if a fix can be wrong or a mistake can never occur."""
    file = f"{name}.mistakes.abnf"
    bound = compilation.mistakes
    for remark in remarks(bound):
        if remark.is_error:
            raise GrammarError(remark.message, code=remark.kind, path=f"grammars/{file}")
    return {file: text, f"{name}.mistakes.json": mistakes_data(bound)}


class _Stored:
    """Stored facts about a grammar's own rules. Facts about imported rules are stored with their grammars."""

    def __init__(self, compilation: Compilation) -> None:
        self._compilation = compilation
        rules = compilation.bound.rules
        self.own = [key for key in compilation.core.rules if rules[key].origin != "import"]
        self._used = {key for keys in compilation.facts.references.values() for key in keys}
        self.examples = {
            rule.lower(): [each.text for each in result if each.valid]
            for rule, result in examples_of(compilation.bound).items()
        }
        self.regular = dict(self._automata())

    def is_start(self, key: str) -> bool:
        """Return whether a rule is a likely start rule: no other rule uses it, or it has examples."""
        return key not in self._used or key in self.examples

    def _automata(self) -> Iterator[tuple[str, dict[str, Any]]]:
        for key in self._compilation.bodies:
            data = self._automaton(key) if key in self.own else None
            if data is not None and (self.is_start(key) or len(json.dumps(data)) <= MAX_AUTOMATON):
                yield key, data

    def _automaton(self, key: str) -> dict[str, Any] | None:
        compilation = self._compilation
        build = compilation.automaton if self.is_start(key) else compilation.small_automaton
        try:
            return to_data(build(key))
        except LimitExceeded as error:
            print(f"no automaton of {key} is stored: {error}", file=sys.stderr)
            return None

    @property
    def recursive(self) -> list[str]:
        """The rules whose configurations are stored.

        These are non-regular rules, and start rules whose automata exceed the budget.
        """
        compilation = self._compilation
        without = [key for key in self.own if key not in self.regular and compilation.prose(key) is None]
        recursive = [key for key in without if not compilation.is_regular(key)]
        few = len(recursive) <= MAX_RECURSIVE
        return [key for key in without if self.is_start(key) or (few and not compilation.is_regular(key))]


# Cost of a stack frame, in characters.
NESTING = 10


def configurations_data(
    machine: Machine, most: Mapping[str, int], texts: Mapping[str, Sequence[str]] | None = None
) -> dict[str, Any]:
    """Return the configurations to store for each rule in ``most``, up to the number there.

    The result holds the first characters of the ranges of all character classes, a letter for each range that
    identifies its class, and the configurations by rule. ``texts`` maps rules to example strings.
    """
    explorer = _Explorer(machine)
    numbered = enumerate(machine.classes)
    starts = sorted((low, letter_of(number)) for number, charset in numbered for low, _ in charset.ranges)
    return {
        "starts": [low for low, _ in starts],
        "letters": "".join(letter for _, letter in starts),
        "rules": {
            key: BETWEEN.join(explorer.rows(key, number, (texts or {}).get(key, ())))
            for key, number in most.items()
        },
    }


class _Explorer:
    def __init__(self, machine: Machine) -> None:
        self._configurations = machine.configurations
        self._letters = {charset.min(): letter_of(number) for number, charset in enumerate(machine.classes)}
        self._classes = {charset.min(): charset for charset in machine.classes}

    def rows(self, key: str, most: int, texts: Sequence[str]) -> list[str]:
        heads = self._reached(key, most, texts)
        number = {configuration: index for index, configuration in enumerate(heads)}
        return [f"{head} {self._moves(result, number)}" for result, head in heads.items()]

    def _next(self, current: Configuration, char: str) -> tuple[Configuration | None, bool]:
        """Return the configuration after a character, and whether it can be stored."""
        following, base = self._configurations.next(current, char, None)
        return following, base is None

    def _read(self, heads: dict[Configuration, str], lengths: dict[Configuration, int], text: str) -> None:
        """Add the configurations that reading a string reaches."""
        current = next(iter(heads))
        for char in text:
            char = next((low for low, charset in self._classes.items() if char in charset), "")
            following, storable = self._next(current, char) if char else (None, False)
            if following is None or not storable:
                return
            if following not in heads:
                access = f"{self._letters[char]}{list(heads).index(current)}"
                lengths[following] = lengths[current] + 1
                heads[following] = ("+" if following.accepting else "-") + access
            current = following

    def _reached(self, key: str, most: int, texts: Sequence[str]) -> dict[Configuration, str]:
        """Return the configurations to store: configuration -> the start of its row."""
        start = self._configurations.start(key)
        heads = {start: "+" if start.accepting else "-"}
        lengths = {start: 0}
        for text in texts:
            if len(heads) < most:
                self._read(heads, lengths, text[: most - len(heads)])
        # Cost, sequence number (for a stable order), length of the string, configuration, how it was reached.
        waiting = [
            (lengths[each] + NESTING * _depth(each), made, lengths[each], each, "")
            for made, each in enumerate(heads)
        ]
        heapify(waiting)
        numbers = {configuration: number for number, configuration in enumerate(heads)}
        expanded = set()
        made = len(heads)
        while waiting and len(heads) < most:
            _, _, length, current, access = heappop(waiting)
            if current in expanded:
                continue
            expanded.add(current)
            if current not in heads:
                numbers[current] = len(heads)
                heads[current] = ("+" if current.accepting else "-") + access
            here = numbers[current]
            for char, letter in self._letters.items():
                following, storable = self._next(current, char)
                if following is not None and storable and following not in heads:
                    made += 1
                    cost = length + 1 + NESTING * _depth(following)
                    heappush(waiting, (cost, made, length + 1, following, f"{letter}{here}"))
        return heads

    def _moves(self, current: Configuration, number: dict[Configuration, int]) -> str:
        moves: dict[int, str] = {}
        beyond = ""
        for char, letter in self._letters.items():
            following, storable = self._next(current, char)
            if following is None:
                continue
            if storable and following in number:
                target = number[following]
                moves[target] = moves.get(target, "") + letter
            else:
                beyond += letter
        return ",".join(f"{letters}:{target}" for target, letters in moves.items()) + " " + beyond


def _depth(configuration: Configuration) -> int:
    """Return the depth of the stack of a configuration, in frames."""
    level: set[StackNode] = {node for node, _ in configuration.pairs}
    seen = set(level)
    depth = 0
    while level := {below for node in level for _, below in node.edges} - seen:
        seen |= level
        depth += 1
    return depth


def _configurations(compilation: Compilation, stored: _Stored) -> dict[str, Any]:
    """Return the stored configurations of the rules that do not have a stored automaton."""
    start = start_of(compilation.bound).lower()
    most = {key: CONFIGURATIONS if key == start else CONFIGURATIONS_OF_PARTS for key in stored.recursive}
    return configurations_data(Machine(compilation.plan), most, stored.examples)


def _unproved(compilation: Compilation, key: str) -> list[str]:
    """Return the dialects without a proof that a rule's pattern, with and without anchors, is correct."""
    reasons = {dialect.name: _why_unproved(compilation, key, dialect) for dialect in DIALECTS.values()}
    why = {name: reason for name, reason in reasons.items() if reason is not None}
    for name, reason in why.items():
        print(f"the pattern of {key} for {name} is left unproved: {reason}", file=sys.stderr)
    return list(why)


def _why_unproved(compilation: Compilation, key: str, dialect: Dialect) -> str | None:
    meter = compilation.budget.meter(f"the pattern of {key} for {dialect.name}")
    write = partial(compilation.patterns.write, key, dialect, frozenset(), meter=meter)
    try:
        inner = write(anchored=False).removeprefix(dialect.options)
        anchored = compilation.patterns.proved(key, dialect, frozenset(), anchored=True, meter=meter)
    except UnsafeError:  # the dialect has no pattern
        return None
    except (UndecidedError, LimitExceeded) as error:
        return str(error)
    if anchored != f"{dialect.options}{dialect.start}(?:{inner}){dialect.end}":
        raise AssertionError(f"without anchors, the pattern of {key} for {dialect.name} is another one")
    return None


def _components(compilation: Compilation) -> dict[str, str | None]:
    """Return the patterns with the components of RFC 3986 as groups, if the grammar defines them."""
    if not all(map(partial(_defines, compilation), COMPONENT_GROUPS)):
        return {}
    roots = [rule for rule in COMPONENT_ROOTS if rule in compilation.bodies]
    return {rule: compilation.components_pattern(rule, COMPONENT_GROUPS) for rule in roots}


def _tagged(name: str, compilation: Compilation, generated: str) -> dict[str, str]:
    """Return the tagged automata of the components of references, if the grammar defines them."""
    automata = {}
    for roots, parts, kinds in TAGGED:
        if not all(_defines(compilation, each) for rules in parts.values() for each in rules):
            continue
        rules = [list(keys) for keys in parts.values()]
        for root in roots:
            if root in compilation.bodies and (result := compilation.tagged(root, parts, kinds)) is not None:
                automata[root] = {"rules": rules, **tagged.to_data(result)}
    text = one_a_line({"generated": generated, "automata": automata})
    return {f"{name}.tagged.json": text} if automata else {}


def _defines(compilation: Compilation, key: str) -> bool:
    rule = compilation.bound.rules.get(key)
    return rule is not None and rule.origin == "file"


def one_a_line(data: dict[str, object], separators: tuple[str, str] = (", ", ": ")) -> str:
    """Return JSON with one key per line, for readable diffs; ``separators`` apply within a line."""
    dumps = partial(json.dumps, separators=separators)
    parts = []
    for key, value in data.items():
        if isinstance(value, dict):
            rows = ",\n".join(f"    {json.dumps(k)}: {dumps(v)}" for k, v in value.items())
            parts.append(f"  {json.dumps(key)}: {{\n{rows}\n  }}")
        else:
            parts.append(f"  {json.dumps(key)}: {dumps(value)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    parser = generated_files.parser(__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="grammars to build (default: all)")
    parser.add_argument("--changed", action="store_true", help="build the grammars whose text has changed")
    options = parser.parse_args(argv)
    known = sorted(path.stem for path in GRAMMARS.glob("*.abnf") if not path.stem.endswith(".mistakes"))
    unknown = [name for name in options.names if name not in known]
    if unknown:
        print(f"no such grammar: {', '.join(unknown)}; there are {', '.join(known)}", file=sys.stderr)
        return 2
    names = list(filter(_is_changed, known)) if options.changed else options.names or known
    expected: dict[str, str] = {}
    for name in names:
        try:
            expected |= build(name, (GRAMMARS / f"{name}.abnf").read_text("utf-8"))
        except GrammarError as error:
            print(error, file=sys.stderr)
            return 1
    present = {path.name for path in GENERATED.iterdir() if path.suffix in (".abnf", ".lark", ".json")}
    unknown = sorted(present - expected.keys()) if options.check and names is known else []
    for name in unknown:
        print(f"src/abnforge/_data/{name} is not generated any more; remove it", file=sys.stderr)
    files = {GENERATED / name: text for name, text in expected.items()}
    return generated_files.update(files, options.check, "tools/build_grammars.py") or int(bool(unknown))


def _is_changed(name: str) -> bool:
    """Return whether a grammar, its mistakes, or an imported grammar has changed since the last build."""
    text = (GRAMMARS / f"{name}.abnf").read_text("utf-8")
    files = _texts(name, text) | _mistakes_files(name)
    imported = [wish.grammar for wish in import_directives(read(text, f"grammars/{name}.abnf"))]
    current = all(generated_files.is_current(GENERATED / file, text) for file, text in files.items())
    return not current or any(map(_is_changed, imported))


if __name__ == "__main__":
    sys.exit(main())
