"""Characters that a run cannot hold: a family of mistakes for each run, by the kind of the first of them.

Each is written behind what the run has read (``after`` it): the first character that it cannot go on with,
and whatever follows up to what ends it. So there is one mistake for each run of a text, one fix for all of
it, and nothing is read twice. A fix is derived where it is right for every text: percent-encoding, where the
run has it, and white space dropped at the run's ends, where it cannot hold any.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from abnforge.charset import CharSet, union
from abnforge.explain.derive.builder import MistakeBuilder, body, chars, choice, name, one, quoted, some
from abnforge.explain.derive.context import EdgeSets, FollowSets, Site
from abnforge.explain.derive.runs import MAX_EXPANDED, CharacterRun, holds
from abnforge.explain.derive.signs import ASCII, BLANKS, CONTROLS, UNSEEN, described
from abnforge.explain.fixes import HEX
from abnforge.explain.mistakes import AFTER, ALL, BEFORE, ENCODE, OF, FixPart, Mapped, Slot, Text
from abnforge.grammar.printer import print_alternation
from abnforge.grammar.syntax import (
    CharVal,
    Concatenation,
    Element,
    Group,
    NumVal,
    Option,
    Repetition,
    RuleName,
)

Escape = tuple[int, int, str]
"""The first character of an escape and the second one, as classes, and the name of the rule that has it."""

_C0 = CharSet.from_ranges([(0, 0x1F)])


class Characters:
    """Derives the families of runs. ``delimiters`` are signs that the grammar has between things."""

    def __init__(self, drafting: MistakeBuilder, delimiters: CharSet) -> None:
        self._drafting = drafting
        self._delimiters = delimiters
        self._seen: set[tuple[str, str]] = set()

    def derive(self, run: CharacterRun, found: list[CharacterRun]) -> None:
        """The mistakes of one run. ``found`` are all of its rule; those written alike are read alike."""
        around, drafting = self._drafting.around, self._drafting
        key, rule = run.key, drafting.shown(run.key)
        alike = [each for each in found if each.item == run.item]
        stops = union(around.charset(each.stops) for each in alike)
        held = around.charset(run.shape.alone)
        # What is encoded goes on the run: so it stands behind the rule only where that ends in the run.
        sure = run.site.depth == 0 and len(run.site.alternation.alternatives) == 1
        part = None if run.last and (sure or not run.encodes) else run.item
        where = key, "" if part is None else print_alternation(body([part]))
        if where in self._seen:
            return
        self._seen.add(where)
        good = run.shape.alone
        if part is None:
            good = around.shapes[key].goes_on & ~run.escapes
        bad = ~(stops | around.charset(good))
        escapes = around.charset(run.escapes) - stops
        rest = drafting.helper(f"rest-of-{rule}", [some(self._rest(run, stops))])
        fix: tuple[FixPart, ...] | None = None
        if run.encodes:
            held_rule = drafting.helper(f"set-of-{rule}", [one(chars(held))])
            fix = (Mapped(ENCODE, ALL, held_rule.name.lower()),)
        other = part is None and around.shapes[key].first & ~(run.shape.alone | run.escapes)
        what = (
            "" if other else self._only(run, part, alike if part else [run])
        )  # the rule has more than the run
        if not run.encodes and not run.closed:
            self._edges(run, part, bad & (BLANKS | UNSEEN), whole=run.whole or run.leads)
        # An empty run denies no character that the grammar allows there. Without a fix, the input decides.
        elsewhere = union(around.charset(each.site.allowed) for each in alike if run.item.min == 0)
        unit = (some(run.item.element, 1),)
        for kind, charset in self._kinds(bad - escapes, held):
            kept = None if kind == "delimiter" and self._begins_another(run, charset) else fix
            say = f"{{here}} is not allowed in {rule} here{'; percent-encode it' if run.encodes else what}"
            inside = charset & elsewhere if kept else CharSet()
            # An item before the run may have read its characters: then this is where the run is empty, too.
            shared = any(each.site.before & run.shape.first for each in alike)
            if anywhere := charset - inside:
                here = some(chars(anywhere), 1)
                self._add(run, rest.name, kind, here, say, part=part, fix=kept)
            if inside and shared:
                self._add(run, rest.name, kind, some(chars(inside), 1), say, part=part)
            elif inside:
                here = some(chars(inside), 1)
                self._add(run, rest.name, kind, here, say, place=OF, lead=unit, part=run.item, fix=kept)
        if escapes:
            begun = list(_escapes(around, run.item.element, around.bits(escapes), 0))
            following = around.charset(_together(begun))
            reach = 2 if run.encodes else 1
            broken = rest
            if fix and (unlike := ~(stops | following)):
                # With a fix the input does not refute the mistake: what follows must not be two digits.
                tail = some(choice([one(chars(unlike)), name(rest.name)]), 0, 1)
                broken = drafting.helper(f"broken-escape-in-{rule}", [some(chars(following), 0, 1), tail])
            for say, charset in self._of_escapes(run, escapes, begun).items():
                here = one(chars(charset))
                self._add(run, broken.name, "escape", here, say, part=part, fix=fix, reach=reach)
        more = (
            good & ~run.stops
            if part is None and len(around.grammar.rules[key].elements.alternatives) > 1
            else 0
        )
        if more:
            # What another alternative could go on with, behind one that has ended: a digit behind a zero.
            here = some(chars(around.charset(more)), 1)
            self._add(run, rest.name, "more", here, f"{{here}} is not allowed after {rule}")
        if run.item.min or run.leads:
            self._first(run, alike, rest.name, fix, stops)

    def _add(
        self,
        run: CharacterRun,
        rest: str,
        kind: str,
        here: Repetition,
        say: str,
        *,
        place: str = AFTER,
        lead: tuple[Repetition, ...] = (),
        part: Repetition | None = None,
        fix: tuple[FixPart, ...] | None = None,
        reach: int = 0,
    ) -> None:
        """What cannot stand ``here``, behind ``lead``, and the rest of the run; ``{here}`` in ``say`` is its
        text.
        """
        rule = self._drafting.shown(run.key)
        helper = self._drafting.helper(f"{kind.removesuffix('-character')}-here-in-{rule}", [here])
        slot = Slot(helper.name.lower())
        self._drafting.add(
            f"{kind}-in-{rule}",
            (run.key,),
            [[*lead, name(helper.name), name(rest)]],
            say.replace("{here}", f"{{{slot}}}"),
            place=place,
            part=part,
            blame=(slot,),
            fix=fix,
            reach=reach,
        )

    def _of_escapes(self, run: CharacterRun, escapes: CharSet, begun: list[Escape]) -> dict[str, CharSet]:
        """Return the messages about broken escapes, each with the first characters that it is true of."""
        around, rule = self._drafting.around, self._drafting.shown(run.key)
        found: dict[str, CharSet] = {}
        for char in around.blocks(escapes):
            own = [each for each in begun if each[0] & around.bits(char)]
            following = around.charset(_together(own))
            if run.encodes and (char != CharSet.of("%") or following != HEX):
                called = {name for _, _, name in own}
                what = called.pop() if len(called) == 1 else "escape"
                say = f"{{here}} does not begin a valid {what}"
            else:
                needed = "two hex digits" if run.encodes else described(following)
                say = f"{{here}} in {rule} must be followed by {quoted(needed)}"
            found[say] = found.get(say, CharSet()) | char
        return found

    def _rest(self, run: CharacterRun, stops: CharSet) -> Element:
        """Anything up to what ends a run; what ends it within an escape does not."""
        other = ~stops
        if not stops:
            return chars(other)
        if run.escapes and run.shape.longest > 1:
            return choice([one(chars(other))], [one(run.item.element)])
        return chars(other)

    def _kinds(self, bad: CharSet, held: CharSet) -> list[tuple[str, CharSet]]:
        # Where spaces are held, a tab or a line end is not wrong for being white space.
        controls = CONTROLS | _C0 if " " in held else CONTROLS
        control = bad & controls
        blank = (bad & (BLANKS | UNSEEN)) - controls
        beyond = bad - ASCII - blank - control
        left = (bad & ASCII) - blank - control
        delimiter = left & self._delimiters
        found = [
            ("space", blank),
            ("control", control),
            ("non-ascii", beyond),
            ("delimiter", delimiter),
            ("character", left - delimiter),
        ]
        return [(kind, charset) for kind, charset in found if charset]

    def _edges(self, run: CharacterRun, part: Repetition | None, blank: CharSet, whole: bool) -> None:
        """Add the mistakes of whitespace before and after a run that cannot hold it: the fix drops it."""
        if not blank:
            return
        rule = self._drafting.shown(run.key)
        body = [[some(chars(blank), 1)]]
        add, fix = self._drafting.add, (Text(""),)
        add(
            f"space-after-{rule}",
            (run.key,),
            body,
            f"{{all}} is not allowed after {rule}; remove it",
            place=AFTER,
            part=part,
            fix=fix,
        )
        if whole:
            add(
                f"space-before-{rule}",
                (run.key,),
                body,
                f"{{all}} is not allowed before {rule}; remove it",
                place=BEFORE,
                fix=fix,
            )

    def _begins_another(self, run: CharacterRun, charset: CharSet) -> bool:
        """Whether what a run cannot hold begins another alternative: then that was meant."""
        around = self._drafting.around
        for parent in around.parents[run.key]:
            alternatives = around.grammar.rules[parent].elements.alternatives
            alone = [each for each in alternatives if _is_only(each, run.key)]
            if alone and any(
                around.charset(around.sequence(each.items).first) & charset
                for each in alternatives
                if each not in alone
            ):
                return True
        return False

    def _first(
        self,
        run: CharacterRun,
        alike: list[CharacterRun],
        rest: str,
        fix: tuple[FixPart, ...] | None,
        stops: CharSet,
    ) -> None:
        """What a run of at least one, or a rule of single characters and then a run, begins with instead."""
        around = self._drafting.around
        part = None if run.whole or run.leads else run.item
        shape = around.shapes[run.key] if part is None else around.item(part)
        if part is None and around.begun[run.key] != shape.first:
            return  # another alternative was meant
        places = [around.allowed[run.key]] if part is None else [each.site.allowed for each in alike]
        bad = ~union([stops, *map(around.charset, places)])
        if shape.nullable or not bad:
            return
        rule = self._drafting.shown(run.key)
        opens = part is None or all(each.site.opens for each in alike)
        if part is not None and any(each.site.others for each in alike):
            say = f"at the start of {rule}" if opens else f"in {rule} here"
        elif opens:
            first = around.charset(around.shapes[run.key].first)
            say = f"at the start of {rule}{expected(first)}"
        elif any(each.site.first for each in alike):
            only = self._only_here(run) if len(alike) == 1 else ""
            say = f"in {rule} here{only}"
        else:
            say = f"here in {rule}{expected(around.charset(shape.first))}"
        kept = fix if run.item.min == 1 and not run.leads else None
        here = one(chars(bad))
        say = f"{{here}} is not allowed {say}"
        self._add(run, rest, "first-character", here, say, place=OF, part=part, fix=kept)

    def _only_here(self, run: CharacterRun) -> str:
        """Return the characters that an optional sign and a run begin with, as part of a message."""
        around, site = self._drafting.around, run.site
        before = site.concatenation.items[: site.index]
        simple = site.depth == 0 and len(site.alternation.alternatives) == 1
        if simple and around.sequence(before).longest == 1:
            return self._expected(run.key, around.sequence((*before, run.item)).first, begins=True)
        return ""

    def _only(self, run: CharacterRun, part: Repetition | None, alike: list[CharacterRun]) -> str:
        """Return the characters that the rule can continue with after a run, as part of a message, if few."""
        around = self._drafting.around
        read, readers = run.shape.chars, [each.item for each in alike]
        if part is None:
            shape = around.shapes[run.key]
            goes_on = shape.goes_on | (shape.first if shape.nullable else 0)
        else:
            goes_on = run.shape.first
            for each in alike:
                before = each.site.concatenation.items[: each.site.index]
                if run.item.min == 0 and each.site.index and not around.item(before[-1]).nullable:
                    goes_on |= around.item(before[-1]).goes_on
                    read |= around.item(before[-1]).chars
                    readers.append(before[-1])
                elif run.item.min == 0 and (before or each.site.depth or each.site.others):
                    return ""  # something else may begin where the run is empty
                goes_on |= around.within(run.key, each.site)
        for site in around.sites(run.key):
            if isinstance(site.item.element, Group | Option) or any(
                holds(each, site.item) for each in readers
            ):
                continue
            shape = around.shape(site.item.element)
            if not shape.chars & read or all(_apart(around, each.site, site.item, read) for each in alike):
                continue
            # Something else may have read the same characters, and go on otherwise.
            if shape.longest > 1 and not _is_like(shape, run):
                return ""
            goes_on |= around.item(site.item).goes_on | around.within(run.key, site)
        begins = any(each.site.first and each.item.min == 0 for each in alike)
        return self._expected(run.key, goes_on, begins)

    def _expected(self, key: str, allowed: int, begins: bool = False) -> str:
        """Return the allowed characters as part of a message, if few and not recursive. ``begins``: the rule
        may begin here.
        """
        around = self._drafting.around
        if key in around.recursive or (charset := around.charset(allowed)).almost_all:
            return ""
        # Another string of the rule may begin at the same place, or an earlier one continue.
        shape = around.shapes[key]
        again = shape.first & (around.after[key] | around.outer[key])
        if (again | (shape.goes_on if again and begins else 0)) & ~allowed:
            return ""
        return expected(charset)


def expected(charset: CharSet) -> str:
    """Return the end of a message that names the characters that are allowed instead; "" if none is."""
    return f"; use {quoted(described(charset))}" if charset else ""


def _together(begun: Iterable[Escape]) -> int:
    """Return all that can follow the first characters of some escapes."""
    found = 0
    for _, following, _ in begun:
        found |= following
    return found


def _is_like(shape: EdgeSets, run: CharacterRun) -> bool:
    """Return whether an element has the characters and the escapes of a unit of a run."""
    unit, escapes = run.shape, shape.first & ~shape.alone
    return shape.longest <= unit.longest and not shape.chars & ~unit.chars and not escapes & ~run.escapes


def _apart(around: FollowSets, site: Site, item: Repetition, read: int) -> bool:
    """Return whether a required item between a run and another item keeps apart the strings of both."""
    items = site.concatenation.items
    place = next((number for number, each in enumerate(items) if holds(each, item)), None)
    if place is None or site.depth:
        return False
    low, high = sorted((place, site.index))
    against = read if place > site.index else around.item(item).chars
    between = map(around.item, items[low + 1 : high])
    return any(not each.nullable and not each.chars & against for each in between)


def _is_only(concatenation: Concatenation, key: str) -> bool:
    """Whether an alternative is one rule."""
    element = concatenation.items[0].element
    return len(concatenation.items) == 1 and isinstance(element, RuleName) and element.name.lower() == key


def _escapes(
    around: FollowSets, element: Element, escapes: int, depth: int, called: str = "escape"
) -> Iterator[Escape]:
    """Yield the escapes of a unit that begin with some characters."""
    match element:
        case RuleName(name=name) if depth < MAX_EXPANDED:
            alternation, called = around.grammar.rules[name.lower()].elements, name
        case Group(alternation=alternation):
            pass
        case CharVal(charsets=(first, second, *_)) if around.bits(first) & escapes:
            yield around.bits(first) & escapes, around.bits(second), called
            return
        case NumVal(values=(first, second, *_), is_range=False) if (
            around.bits(CharSet.of(chr(first))) & escapes
        ):
            yield around.bits(CharSet.of(chr(first))) & escapes, around.bits(CharSet.of(chr(second))), called
            return
        case _:
            return
    for each in alternation.alternatives:
        shape = around.item(each.items[0])
        if len(each.items) == 1:
            yield from _escapes(around, each.items[0].element, escapes, depth + 1, called)
        elif shape.first & escapes and not shape.nullable:
            yield shape.first & escapes, around.sequence(each.items[1:]).first, called
