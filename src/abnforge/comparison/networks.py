"""A rule as a recursive transition network (Woods 1970): minimal automata over characters and calls.

Recursion at the ends of bodies becomes repetition, what leads to itself in another way is called: then the
body of each rule that is called is a regular language, whose automaton is the same however it is written.
"""

from __future__ import annotations

from functools import reduce

from abnforge.automaton.algebra import difference, union
from abnforge.automaton.dfa import DEAD, Automaton, build
from abnforge.budget import Meter
from abnforge.charset import CharSet
from abnforge.engine.rule import Rule
from abnforge.grammar.core import EPSILON, Chars, Choice, Core, Node, Ref, Repeat, Seq
from abnforge.grammar.facts import Facts, terminals
from abnforge.grammar.regular import without_end_recursion
from abnforge.late import importing

# A rule that derives nothing; no grammar has one of this name.
_NOTHING = "<nothing>"


class Network:
    """What a rule needs, by key: its body and those of other rules, and which of them are called.

    Recursion at the ends of bodies is written as repetition there. Raises LimitExceeded.
    """

    def __init__(self, rule: Rule, meter: Meter) -> None:
        with importing:
            from abnforge.pushdown.calls import called_rules

        core, facts, regular = rule.derivation_rules()
        self.root = rule.key
        bodies = dict.fromkeys(core.rules, EPSILON) | {**without_end_recursion(facts), **regular}
        needed = Facts(Core(bodies, {})).reachable(self.root)
        self._productive = facts.productive
        self._bodies = {key: bodies[key] for key in needed if key in self._productive}
        self._bodies.setdefault(self.root, Ref(_NOTHING))
        # The rule itself is called first: both sides begin with their own.
        rest = {**self._bodies, self.root: EPSILON}
        self._called = sorted({self.root, *called_rules(facts, rest, meter, None)})
        self.terminals = terminals(self._bodies.values())

    def automata(self, classes: list[CharSet], meter: Meter) -> Bodies:
        """The minimal automata of the bodies of what is called, over numbers of classes and, behind them,
        numbers of calls.
        """
        calls = {key: number for number, key in enumerate(self._called, len(classes))}
        members: dict[CharSet, CharSet] = {}

        def recoded(node: Node) -> Node:
            match node:
                case Chars(charset=charset):
                    if charset not in members:
                        found = [n for n, each in enumerate(classes) if each.min() in charset]
                        members[charset] = CharSet.from_ranges((n, n) for n in found)
                    return Chars(members[charset])
                case Ref(key=key) if key not in self._productive:
                    return Ref(_NOTHING)
                case Ref(key=key):
                    return Chars(CharSet(((calls[key], calls[key]),))) if key in calls else node
                case Seq(items=items):
                    return Seq(tuple(map(recoded, items)))
                case Choice(items=items):
                    return Choice(tuple(map(recoded, items)))
                case Repeat(item=item, min=low, max=high):
                    return Repeat(recoded(item), low, high)
            return node

        bodies: dict[str, Node] = {_NOTHING: Ref(_NOTHING)}
        bodies |= {key: recoded(body) for key, body in self._bodies.items()}
        core = Core(bodies, {key: key for key in bodies})
        automata = {key: build(core, bodies, key, meter) for key in self._called}
        return Bodies(self.root, _without_units(automata, calls, meter), calls, len(classes))


class Bodies:
    """Automata by rule, and what they read: the numbers below ``width`` are classes of characters, and
    ``calls`` has those of rules. ``root`` is the rule that all is about.
    """

    def __init__(self, root: str, automata: dict[str, Automaton], calls: dict[str, int], width: int) -> None:
        self.root = root
        self.automata = automata
        self.calls = calls
        self.width = width
        self._columns = {
            key: [automaton.class_of(chr(number)) for number in range(width + len(calls))]
            for key, automaton in automata.items()
        }

    @property
    def whole(self) -> Automaton | None:
        """The automaton of the rule itself where no call is in it: then it is regular."""
        found = self.automata[self.root]
        rows = range(0, len(found.table), found.width)
        called = any(self.move(self.root, row, n) != DEAD for row in rows for n in self.calls.values())
        return None if called else found

    def move(self, key: str, row: int, number: int) -> int:
        """The row of a body's automaton after a class or a call; ``DEAD`` for none."""
        return self.automata[key].table[row + self._columns[key][number]]


def _without_units(
    automata: dict[str, Automaton], calls: dict[str, int], meter: Meter
) -> dict[str, Automaton]:
    """The same languages with the body of a rule in place of a word that is a call of it alone: what has
    another name between is then built as what has none.
    """
    units = {
        key: [other for other, number in calls.items() if automaton.accepts(chr(number))]
        for key, automaton in automata.items()
    }
    lone = Chars(CharSet.from_ranges((number, number) for number in calls.values()))
    all_calls = build(Core({"": lone}, {}), {"": lone}, "", meter)
    result: dict[str, Automaton] = {}
    for key, automaton in automata.items():
        reached = dict.fromkeys((key,))
        for each in (queue := [key]):
            new = [unit for unit in units[each] if unit not in reached]
            reached.update(dict.fromkeys(new))
            queue += new
        if units[key]:
            joined = reduce(lambda one, other: union(one, other, meter), (automata[each] for each in reached))
            automaton = difference(joined, all_calls, meter)
        result[key] = automaton
    return result
