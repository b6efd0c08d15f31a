"""Characters that a run cannot hold: a family of mistakes for each run, by the kind of the first of them.

Each is written behind what the run has read (``after`` it): the first character that it cannot go on with,
and whatever follows up to what ends it. So there is one mistake for each run of a text, one fix for all of
it, and nothing is read twice. A fix is derived where it is right for every text: percent-encoding, where the
run has it, and white space dropped at the run's ends, where it cannot hold any.
"""

from __future__ import annotations

from abnforge.abnf.model import CharVal, Concatenation, Element, Group, NumVal, Repetition, RuleName
from abnforge.abnf.printer import print_alternation
from abnforge.charset import CharSet
from abnforge.mistakes.deriving.bodies import body, chars, choice, name, one, some
from abnforge.mistakes.deriving.drafting import Drafting, quoted
from abnforge.mistakes.deriving.runs import MAX_EXPANDED, Run
from abnforge.mistakes.deriving.signs import ASCII, BLANKS, CONTROLS, UNSEEN, described
from abnforge.mistakes.deriving.surroundings import Surroundings
from abnforge.mistakes.model import AFTER, BEFORE, ENCODE, OF, Mapped, Part, Slot, Text

_C0 = CharSet.from_ranges([(0, 0x1F)])


class Characters:
    """Derives the families of runs. ``delimiters`` are signs that the grammar has between things."""

    def __init__(self, drafting: Drafting, delimiters: CharSet) -> None:
        self._drafting = drafting
        self._delimiters = delimiters
        self._seen: set[tuple[str, str]] = set()

    def derive(self, run: Run, found: list[Run]) -> None:
        """The mistakes of one run. ``found`` are all of its rule; those written alike are read alike."""
        around, drafting = self._drafting.around, self._drafting
        key, rule = run.key, drafting.shown(run.key)
        ends = 0
        for each in found:
            ends |= each.stops if each.item == run.item else 0
        stops = around.charset(ends)
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
        fix: tuple[Part, ...] | None = None
        if run.encodes:
            held_rule = drafting.helper(f"set-of-{rule}", [one(chars(held))])
            fix = (Mapped(ENCODE, Slot("all"), held_rule.name.lower()),)
        other = part is None and around.shapes[key].first & ~(run.shape.alone | run.escapes)
        what = "" if other else self._only(run, part, found)  # the rule has more than the run
        if not run.encodes and not run.closed:
            self._edges(run, part, bad & (BLANKS | UNSEEN), whole=run.whole or run.leads)
        for kind, charset in self._kinds(bad - escapes, held):
            other_meant = kind == "delimiter" and self._begins_another(run, charset)
            say = self._say(kind, rule, what, run.encodes)
            self._add(
                run,
                rest.name,
                kind,
                some(chars(charset), 1),
                say,
                part=part,
                fix=None if other_meant else fix,
            )
        if escapes:
            following = _following(around, run.item.element, around.bits(escapes), 0)
            said = "two hexadecimal digits" if run.encodes else described(around.charset(following))
            say = f"{{here}} in {rule} is not followed by {quoted(said)}"
            here, reach = one(chars(escapes)), 2 if run.encodes else 1
            self._add(run, rest.name, "escape", here, say, part=part, fix=fix, reach=reach)
        more = (
            good & ~run.stops
            if part is None and len(around.grammar.rules[key].elements.alternatives) > 1
            else 0
        )
        if more:
            # What another alternative could go on with, behind one that has ended: a digit behind a zero.
            here = some(chars(around.charset(more)), 1)
            self._add(run, rest.name, "more", here, f"{rule} ends before {{here}}")
        if run.item.min or run.leads:
            self._first(run, rest.name, fix, stops)

    def _add(
        self,
        run: Run,
        rest: str,
        kind: str,
        here: Repetition,
        say: str,
        *,
        place: str = AFTER,
        part: Repetition | None = None,
        fix: tuple[Part, ...] | None = None,
        reach: int = 0,
    ) -> None:
        """What cannot stand ``here``, and the rest of the run; ``{here}`` in ``say`` is its text."""
        rule = self._drafting.shown(run.key)
        helper = self._drafting.helper(f"{kind.removesuffix('-character')}-here-in-{rule}", [here])
        slot = Slot(helper.name.lower())
        self._drafting.add(
            f"{kind}-in-{rule}",
            (run.key,),
            [[name(helper.name), name(rest)]],
            say.replace("{here}", f"{{{slot}}}"),
            place=place,
            part=part,
            blame=(slot,),
            fix=fix,
            reach=reach,
        )

    def _rest(self, run: Run, stops: CharSet) -> Element:
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

    def _say(self, kind: str, rule: str, what: str, encodes: bool) -> str:
        other = "; percent-encode it" if encodes else ""
        if kind == "space":
            return f"{rule} has no white space here{what}{other}"
        if kind == "control":
            return f"{rule} has no control character ({{here}}) here{what}{other}"
        return f"{rule} has no {{here}} here{what}{other}"

    def _edges(self, run: Run, part: Repetition | None, blank: CharSet, whole: bool) -> None:
        """White space before and behind a run that cannot hold it: dropped."""
        if not blank:
            return
        rule = self._drafting.shown(run.key)
        body = [[some(chars(blank), 1)]]
        add, fix = self._drafting.add, (Text(""),)
        add(
            f"space-after-{rule}",
            (run.key,),
            body,
            f"white space stands behind {rule}",
            place=AFTER,
            part=part,
            fix=fix,
        )
        if whole:
            add(
                f"space-before-{rule}",
                (run.key,),
                body,
                f"white space stands before {rule}",
                place=BEFORE,
                fix=fix,
            )

    def _begins_another(self, run: Run, charset: CharSet) -> bool:
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

    def _first(self, run: Run, rest: str, fix: tuple[Part, ...] | None, stops: CharSet) -> None:
        """What a run of at least one, or a rule of single characters and then a run, begins with instead."""
        around = self._drafting.around
        if run.whole or run.leads:
            part: Repetition | None = None
            shape = around.shapes[run.key]
        else:
            part, shape = run.item, around.item(run.item)
        begun = around.begun[run.key] if part is None else shape.first
        one_of = part is not None and run.site.others
        if one_of:
            begun = around.alternation(run.site.alternation).first
        left = around.charset(around.before[run.key]) & BLANKS  # such as belong to what stands before it
        if part is not None:
            left |= around.charset(run.site.before)
        bad = ~(stops | left | around.charset(begun))
        if shape.nullable or not bad or (begun != shape.first and not one_of):
            return  # or another alternative was meant
        rule = self._drafting.shown(run.key)
        what = quoted(described(around.charset(shape.first)))
        begins = "begins with" if part is None else "goes on with"
        say = f"{rule} {begins} {what}, not with {{here}}"
        if one_of:
            say = f"{rule} cannot begin with {{here}}"
        kept = fix if run.item.min == 1 and not run.leads else None
        self._add(run, rest, "first-character", one(chars(bad)), say, place=OF, part=part, fix=kept)

    def _only(self, run: Run, part: Repetition | None, found: list[Run]) -> str:
        """What the rule can go on with behind a run, where that is told in a few words."""
        around = self._drafting.around
        if part is None:
            shape = around.shapes[run.key]
            goes_on = shape.goes_on | (shape.first if shape.nullable else 0)
        else:
            goes_on = run.shape.first
            for each in found:
                if each.item != run.item:
                    continue
                before = each.site.concatenation.items[: each.site.index]
                if run.item.min == 0 and each.site.index and not around.item(before[-1]).nullable:
                    goes_on |= around.item(before[-1]).goes_on
                elif run.item.min == 0 and (before or each.site.depth or each.site.others):
                    return ""  # something else may begin where the run is empty
                goes_on |= around.within(run.key, each.site)
        allowed = around.charset(goes_on)
        return "" if allowed.almost_all else f", only {quoted(described(allowed))}"


def _is_only(concatenation: Concatenation, key: str) -> bool:
    """Whether an alternative is one rule."""
    element = concatenation.items[0].element
    return len(concatenation.items) == 1 and isinstance(element, RuleName) and element.name.lower() == key


def _following(around: Surroundings, element: Element, escapes: int, depth: int) -> int:
    """What can follow the first characters of escapes in a unit."""
    match element:
        case RuleName(name=name) if depth < MAX_EXPANDED:
            alternation = around.grammar.rules[name.lower()].elements
        case Group(alternation=alternation):
            pass
        case CharVal(charsets=(first, second, *_)) if around.bits(first) & escapes:
            return around.bits(second)
        case NumVal(values=(first, second, *_), is_range=False) if (
            around.bits(CharSet.of(chr(first))) & escapes
        ):
            return around.bits(CharSet.of(chr(second)))
        case _:
            return 0
    found = 0
    for each in alternation.alternatives:
        shape = around.item(each.items[0])
        if len(each.items) == 1:
            found |= _following(around, each.items[0].element, escapes, depth + 1)
        elif shape.first & escapes and not shape.nullable:
            found |= around.sequence(each.items[1:]).first
    return found
