"""Wrong characters in runs: one mistake for each run and each kind of first wrong character.

The mistake comes ``after`` the valid part of the run: a character that cannot continue the run, and all
further characters up to the end of the run. So a run has at most one mistake and one fix, and is not parsed
twice.

A fix is derived if it is correct for every string. If the run can contain percent-encoded characters, the fix
encodes. If the run cannot contain whitespace, the fix removes whitespace at both ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from abnforge.charset import CharSet, union
from abnforge.explain.derive.builder import (
    MistakeBuilder,
    body,
    chars,
    choice,
    escaped,
    name,
    one,
    some,
    unless_others,
)
from abnforge.explain.derive.context import EdgeSets, FollowSets, Site
from abnforge.explain.derive.runs import MAX_EXPANDED, CharacterRun, holds
from abnforge.explain.fixes import HEX
from abnforge.explain.mistakes import AFTER, ALL, BEFORE, ENCODE, OF, FixPart, Mapped, Slot, Text
from abnforge.explain.signs import ASCII, CONTROLS, LETTERS, briefly, described
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
"""The classes of the first and of the second character of an escape, and the name of its rule."""

_C0 = CharSet.from_ranges([(0, 0x1F)])


class CharacterMistakes:
    """Derive the mistakes in runs. ``delimiters`` are the grammar's delimiter signs."""

    def __init__(self, builder: MistakeBuilder, delimiters: CharSet) -> None:
        self._builder = builder
        self._delimiters = delimiters
        self._seen: set[tuple[str, str]] = set()

    def derive(self, run: CharacterRun, runs: list[CharacterRun]) -> None:
        """Add the mistakes in one run; ``runs`` are all runs of its rule."""
        context, builder = self._builder.context, self._builder
        key, rule = run.key, builder.rule_name(run.key)
        similar = [each for each in runs if each.item == run.item]
        stops = union(context.charset(each.stops) for each in similar)
        held = context.charset(run.shape.alone)
        # Encoded characters continue the run, so the mistake can come after the whole rule only if the rule
        # always ends in the run.
        sure = run.site.depth == 0 and len(run.site.alternation.alternatives) == 1
        part = None if run.last and (sure or not run.encodes) else run.item
        where = key, "" if part is None else print_alternation(body([part]))
        if where in self._seen:
            return
        self._seen.add(where)
        good = run.shape.alone
        if part is None:
            good = context.shapes[key].continuation & ~run.escapes
        bad = ~(stops | context.charset(good))
        escapes = context.charset(run.escapes) - stops
        rest = builder.helper(f"rest-of-{rule}", [some(self._rest(run, stops))])
        fix: tuple[FixPart, ...] | None = None
        if run.encodes:
            held_rule = builder.helper(f"set-of-{rule}", [one(chars(held))])
            fix = (Mapped(ENCODE, ALL, held_rule.name.lower()),)
        other = part is None and context.shapes[key].first & ~(run.shape.alone | run.escapes)
        allowed, listed = f"in the {rule} here", CharSet()
        if run.encodes:
            allowed += "; percent-encode it"
        elif not other:
            allowed, listed = self._only(run, part, similar if part else [run])
        if not run.encodes and not run.closed:
            self._edges(run, part, bad & context.blanks, whole=run.whole or run.leads)
        # After an empty run, characters that the grammar allows there are not wrong if there is a fix.
        elsewhere = union(context.charset(each.site.allowed) for each in similar if run.item.min == 0)
        unit = (some(run.item.element, 1),)
        for kind, charset in self._kinds(bad - escapes, held):
            safe_fix = None if kind == "delimiter" and self._begins_another(run, charset) else fix
            is_plain = kind == "non-ascii" and LETTERS - held == held - ASCII and not run.encodes
            say = f"{{here}} is not allowed {f'in the {rule}; use ASCII characters' if is_plain else allowed}"
            inside = charset & elsewhere if safe_fix else CharSet()
            # If an item before the run matches the same characters, the run is also empty here.
            shared = any(each.site.before & run.shape.first for each in similar)
            if anywhere := charset - inside:
                wrong = some(chars(anywhere), 1)
                self._add(run, rest.name, kind, wrong, say, part=part, fix=safe_fix, listed=listed)
            if inside and shared:
                wrong = some(chars(inside), 1)
                self._add(run, rest.name, kind, wrong, say, part=part, listed=listed)
            elif inside:
                wrong = some(chars(inside), 1)
                self._add(run, rest.name, kind, wrong, say, place=OF, lead=unit, part=run.item, fix=safe_fix)
        if escapes:
            escape_pairs = list(_escapes(context, run.item.element, context.bits(escapes), 0))
            following = context.charset(_together(escape_pairs))
            reach = 2 if run.encodes else 1
            broken = rest
            if fix and (unlike := ~(stops | following)):
                # A valid escape does not refute a fixable mistake, so the mistake must not match one.
                tail = some(choice([one(chars(unlike)), name(rest.name)]), 0, 1)
                broken = builder.helper(f"broken-escape-in-{rule}", [some(chars(following), 0, 1), tail])
            for say, (charset, second, about) in self._of_escapes(run, escapes, escape_pairs).items():
                wrong = one(chars(charset))
                more_facts = unless_others(second) if second else {}
                places = [(AFTER, part)]
                if run.item.min and run.encodes:
                    places.append((OF, None if run.whole or run.leads else run.item))
                for place, item in places:
                    self._add(
                        run,
                        broken.name,
                        "escape",
                        wrong,
                        say,
                        place=place,
                        part=item,
                        fix=fix,
                        reach=reach,
                        about=about,
                        **more_facts,
                    )
        more = (
            good & ~run.stops
            if part is None and len(context.grammar.rules[key].elements.alternatives) > 1
            else 0
        )
        if more:
            # Characters that continue another alternative, but not this one, such as a digit after a zero.
            wrong = some(chars(context.charset(more)), 1)
            self._add(run, rest.name, "more", wrong, f"{{here}} is not allowed after the {rule}")
        if run.item.min or run.leads:
            self._first(run, similar, rest.name, fix, stops)

    def _add(
        self,
        run: CharacterRun,
        rest: str,
        kind: str,
        wrong: Repetition,
        say: str,
        *,
        place: str = AFTER,
        lead: tuple[Repetition, ...] = (),
        part: Repetition | None = None,
        fix: tuple[FixPart, ...] | None = None,
        reach: int = 0,
        listed: CharSet | None = None,
        about: str | None = None,
        is_vague: bool = False,
    ) -> None:
        """Add a mistake: ``lead``, a wrong character (the slot ``{here}`` in ``say``), and the rest."""
        rule = self._builder.rule_name(run.key)
        helper = self._builder.helper(f"{kind.removesuffix('-character')}-here-in-{rule}", [wrong])
        slot = Slot(helper.name.lower())
        self._builder.add(
            f"{kind}-in-{self._builder.rule_name(about or run.key)}",
            (run.key,),
            [[*lead, name(helper.name), name(rest)]],
            say.replace("{here}", f"{{{slot}}}"),
            place=place,
            part=part,
            blame=(slot,),
            fix=fix,
            reach=reach,
            listed=listed or None,
            about=about,
            is_vague=is_vague
            or (fix is None and say.endswith(" here")),  # without a list of valid characters
        )

    def _of_escapes(
        self, run: CharacterRun, escapes: CharSet, escape_pairs: list[Escape]
    ) -> dict[str, tuple[CharSet, CharSet, str]]:
        """Return the messages about broken escapes, with their first characters and the rule that they name.

        If a message lists the second characters, they are returned as well.
        """
        context, rule = self._builder.context, self._builder.rule_name(run.key)
        messages: dict[str, tuple[CharSet, CharSet, str]] = {}
        for char in context.blocks(escapes):
            escapes_of_char = [each for each in escape_pairs if each[0] & context.bits(char)]
            following = context.charset(_together(escapes_of_char))
            if not following:
                continue  # the rest of the escape is more than one character
            second, about = CharSet() if run.encodes else following, run.key
            is_triplet = run.encodes and char == CharSet.of("%") and following == HEX
            labels = {name for _, _, name in escapes_of_char}
            shape = context.shapes.get(min(labels).lower()) if len(labels) == 1 else None
            kind = labels.pop() if len(labels) == 1 else "escape"
            is_begun = shape is not None and shape.longest > 1 and context.charset(shape.first) == char
            if is_triplet or not (run.encodes or (is_begun and not briefly(second))):
                required = "two hex digits; percent-encode it" if is_triplet else described(following)
                say = f"{{here}} in {rule} must be followed by {escaped(required)}"
            else:
                say, second = f"{{here}} does not begin a valid {kind}", CharSet()
                about = kind.lower() if is_begun else run.key
            others, *_ = messages.get(say, (CharSet(),))
            messages[say] = others | char, second, about
        return messages

    def _rest(self, run: CharacterRun, stops: CharSet) -> Element:
        """Return an element for the rest of a run; only escapes can contain the characters that end it."""
        other = ~stops
        if not stops:
            return chars(other)
        if run.escapes and run.shape.longest > 1:
            return choice([one(chars(other))], [one(run.item.element)])
        return chars(other)

    def _kinds(self, bad: CharSet, held: CharSet) -> list[tuple[str, CharSet]]:
        # If spaces are allowed, tabs and line ends are reported as control characters.
        context = self._builder.context
        controls = (CONTROLS | _C0 if " " in held else CONTROLS) & context.characters
        control = bad & controls
        space_element = (bad & context.blanks) - controls
        beyond = bad - ASCII - space_element - control
        remaining = (bad & ASCII) - space_element - control
        delimiter = remaining & self._delimiters
        kinds = [
            ("space", space_element),
            ("control", control),
            ("non-ascii", beyond),
            ("delimiter", delimiter),
            ("character", remaining - delimiter),
        ]
        return [(kind, charset) for kind, charset in kinds if charset]

    def _edges(self, run: CharacterRun, part: Repetition | None, space_element: CharSet, whole: bool) -> None:
        """Add whitespace before or after a run that cannot contain whitespace; the fix removes it."""
        if not space_element:
            return
        rule = self._builder.rule_name(run.key)
        body = [[some(chars(space_element), 1)]]
        where = f"after the {rule}" if run.last or part is None else f"in the {rule} here"
        add, fix = self._builder.add, (Text(""),)
        add(
            f"space-after-{rule}",
            (run.key,),
            body,
            f"{{all}} is not allowed {where}; remove it",
            place=AFTER,
            part=part,
            fix=fix,
        )
        if whole:
            add(
                f"space-before-{rule}",
                (run.key,),
                body,
                f"{{all}} is not allowed before the {rule}; remove it",
                place=BEFORE,
                fix=fix,
            )

    def _begins_another(self, run: CharacterRun, charset: CharSet) -> bool:
        """Return whether a wrong character begins another alternative, which is more likely than the run."""
        context = self._builder.context
        for parent in context.parents[run.key]:
            alternatives = context.grammar.rules[parent].elements.alternatives
            alone = [each for each in alternatives if _is_only(each, run.key)]
            if alone and any(
                context.charset(context.sequence(each.items).first) & charset
                for each in alternatives
                if each not in alone
            ):
                return True
        return False

    def _first(
        self,
        run: CharacterRun,
        similar: list[CharacterRun],
        rest: str,
        fix: tuple[FixPart, ...] | None,
        stops: CharSet,
    ) -> None:
        """Add a wrong first character of a nonempty run, or of a rule that ``leads`` to a run."""
        context = self._builder.context
        part = None if run.whole or run.leads else run.item
        shape = context.shapes[run.key] if part is None else context.item(part)
        is_only = context.begun[run.key] == context.shapes[run.key].first
        if part is None and not is_only:
            return  # another alternative is more likely
        places = [context.allowed[run.key]] if part is None else [each.site.allowed for each in similar]
        bad = ~union([stops, *map(context.charset, places)])
        if not is_only:
            bad &= context.blanks  # another character begins another alternative
        if shape.nullable or not bad:
            return
        rule = self._builder.rule_name(run.key)
        opens = part is None or all(each.site.opens for each in similar)
        listed: CharSet | None = None
        if part is not None and any(each.site.others for each in similar):
            say = f"at the start of the {rule}" if opens else f"in the {rule} here"
        elif opens:
            listed = context.charset(context.shapes[run.key].first)
            say = f"at the start of the {rule}{expected(listed)}"
        elif any(each.site.first for each in similar):
            only = ""
            if len(similar) == 1 and is_only:
                only, listed = self._only_here(run)
            say = f"in the {rule} here{only}"
        else:
            listed = context.charset(shape.first)
            say = f"here in the {rule}{expected(listed)}"
        safe_fix = fix if run.item.min == 1 and not run.leads else None
        wrong = one(chars(bad))
        say, of = f"{{here}} is not allowed {say}", OF
        self._add(run, rest, "first-character", wrong, say, place=of, part=part, fix=safe_fix, listed=listed)

    def _only_here(self, run: CharacterRun) -> tuple[str, CharSet]:
        """Return the list of the first characters of an optional sign and a run, for a message."""
        context, site = self._builder.context, run.site
        before = site.concatenation.items[: site.index]
        simple = site.depth == 0 and len(site.alternation.alternatives) == 1
        if simple and context.sequence(before).longest == 1:
            return self._expected(run.key, context.sequence((*before, run.item)).first, begins=True)
        return "", CharSet()

    def _only(
        self, run: CharacterRun, part: Repetition | None, similar: list[CharacterRun]
    ) -> tuple[str, CharSet]:
        """Return the part of a message that names the rule and, if few, the characters that can follow.

        These characters are also returned as a set, which is empty if the message does not list them.
        """
        context = self._builder.context
        inside = f"in the {self._builder.rule_name(run.key)} here"
        read, readers = run.shape.chars, [each.item for each in similar]
        if part is None:
            shape = context.shapes[run.key]
            continuation = shape.continuation | (shape.first if shape.nullable else 0)
        else:
            continuation = run.shape.first
            for each in similar:
                before = each.site.concatenation.items[: each.site.index]
                if run.item.min == 0 and each.site.index and not context.item(before[-1]).nullable:
                    continuation |= context.item(before[-1]).continuation
                    read |= context.item(before[-1]).chars
                    readers.append(before[-1])
                elif run.item.min == 0 and (before or each.site.depth or each.site.others):
                    return inside, CharSet()  # another item can begin where the run is empty
                continuation |= context.within(run.key, each.site)
        for site in context.sites(run.key):
            if isinstance(site.item.element, Group | Option) or any(
                holds(each, site.item) for each in readers
            ):
                continue
            shape = context.shape(site.item.element)
            if not shape.chars & read or all(_apart(context, each.site, site.item, read) for each in similar):
                continue
            # Another item can match the same characters and continue differently.
            if shape.longest > 1 and not _is_like(shape, run):
                return inside, CharSet()
            continuation |= context.item(site.item).continuation | context.within(run.key, site)
        begins = any(each.site.first and each.item.min == 0 for each in similar)
        after = context.always_after[run.key] & ~continuation
        if not all(context.can_end(run.key, each.site) for each in similar):
            characters, charset = self._expected(run.key, continuation, begins)
            return inside + characters, charset
        if not after:
            is_certain = not context.after[run.key] & ~continuation
            characters, charset = (
                self._expected(run.key, continuation, begins) if is_certain else ("", CharSet())
            )
            return inside + characters, charset
        characters, charset = self._expected(run.key, continuation | after, begins)
        after_it = f"in or after the {self._builder.rule_name(run.key)}"
        return f"{after_it if characters else inside}{characters}", charset

    def _expected(self, key: str, allowed: int, begins: bool = False) -> tuple[str, CharSet]:
        """Return the part of a message that lists the allowed characters, and their set.

        Both are empty if the list is unreliable. ``begins`` means that the rule can begin here.
        """
        context = self._builder.context
        if key in context.recursive or (charset := context.charset(allowed)).almost_all:
            return "", CharSet()
        shape = context.shapes[key]
        if begins and shape.nullable and context.allowed[key] != allowed:
            return "", CharSet()  # if the rule is empty here, something else can begin
        # Another string of the rule can begin here, or an earlier one can continue.
        again = shape.first & (context.after[key] | context.outer[key])
        if (again | (shape.continuation if again and begins else 0)) & ~allowed:
            return "", CharSet()
        return expected(charset), charset


def expected(charset: CharSet) -> str:
    """Return the end of a message that lists the allowed characters; "" if there are none."""
    return f"; use {escaped(described(charset))}" if charset else ""


def _together(escape_pairs: Iterable[Escape]) -> int:
    """Return the second characters of some escapes."""
    result = 0
    for _, following, _ in escape_pairs:
        result |= following
    return result


def _is_like(shape: EdgeSets, run: CharacterRun) -> bool:
    """Return whether an element matches only the characters and escapes of a run's unit."""
    unit, escapes = run.shape, shape.first & ~shape.alone
    return shape.longest <= unit.longest and not shape.chars & ~unit.chars and not escapes & ~run.escapes


def _apart(context: FollowSets, site: Site, item: Repetition, read: int) -> bool:
    """Return whether a required item separates the strings of a run from those of another item."""
    items = site.concatenation.items
    place = next((number for number, each in enumerate(items) if holds(each, item)), None)
    if place is None or site.depth:
        return False
    low, high = sorted((place, site.index))
    against = read if place > site.index else context.item(item).chars
    between = map(context.item, items[low + 1 : high])
    return any(not each.nullable and not each.chars & against for each in between)


def _is_only(concatenation: Concatenation, key: str) -> bool:
    """Return whether an alternative is a single rule."""
    element = concatenation.items[0].element
    return len(concatenation.items) == 1 and isinstance(element, RuleName) and element.name.lower() == key


def _escapes(
    context: FollowSets, element: Element, escapes: int, depth: int, label: str = "escape"
) -> Iterator[Escape]:
    """Yield the escapes of a unit that begin with one of some characters."""
    match element:
        case RuleName(name=name) if depth < MAX_EXPANDED:
            alternation, label = context.grammar.rules[name.lower()].elements, name
        case Group(alternation=alternation):
            pass
        case CharVal(charsets=(first, second, *_)) if context.bits(first) & escapes:
            yield context.bits(first) & escapes, context.bits(second), label
            return
        case NumVal(values=(first, second, *_), is_range=False) if (
            context.bits(CharSet.of(chr(first))) & escapes
        ):
            yield context.bits(CharSet.of(chr(first))) & escapes, context.bits(CharSet.of(chr(second))), label
            return
        case _:
            return
    for each in alternation.alternatives:
        shape = context.item(each.items[0])
        if len(each.items) == 1:
            yield from _escapes(context, each.items[0].element, escapes, depth + 1, label)
        elif shape.first & escapes and not shape.nullable:
            yield shape.first & escapes, context.sequence(each.items[1:]).first, label
