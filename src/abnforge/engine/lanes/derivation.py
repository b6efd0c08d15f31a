"""Which derivation: the choice among all those of a string.

The contract (RFC 3986 3.2.2 "first match wins", RFC 2396 4.3 "greedy"): among the derivations of
the *whole* string, the first alternative in declaration order that leads to one;
repetitions take as much as they can while the rest can still be derived; decided from left to
right. An optional iteration that matches the empty string is not taken. A tree never has a rule below itself
over the same span: so a rule that derives itself and nothing else (``a = a / "x"``) has finitely many
derivations, and the choice is among these (``cyclic`` makes it there).

This module does not parse. It is told which parts of the text each rule derives (``Spans``, from
a parser that found all of them) and walks the core form once, from left to right, asking at each
decision whether the rest can still be derived. That question depends only on the place where a
part ends, so sets of ends answer it exactly (``ends``).

Cost: linear in the text for grammars whose rules have few ends per start (all of RFC 3986); at worst
quadratic in the number of spans, times what ``cyclic`` takes. Nothing recurses with the text's nesting.
"""

from __future__ import annotations

from abnforge.analysis.core_form import Chars, Choice, Core, Node, Ref, Repeat, Seq
from abnforge.analysis.facts import Facts
from abnforge.budget import Meter
from abnforge.engine.lanes.cyclic import CyclicRules
from abnforge.engine.lanes.ends import Ends, Spans, bits
from abnforge.engine.lanes.events import CHARACTER, NODE_OCTETS, trace_of
from abnforge.transducer.trace import END, Trace

# What is left to do: a node to derive; ``(seq, index)``, a sequence from an item on; ``(repeat, count,
# fronts)``, a repetition after so many iterations with its allowed fronts (None: any number of them will do);
# a rule key, the end of that rule's tree node.
_Task = Node | str | tuple[Seq, int] | tuple[Repeat, int, list[int] | None]


def choose(core: Core, facts: Facts, start: str, text: str, spans: Spans, meter: Meter) -> Trace:
    """The preferred derivation of ``text`` from the rule ``start`` (a key).

    ``spans`` must hold every span that takes part in a derivation of the whole text, but for empty ones.
    Raises ValueError when there is none, LimitExceeded when ``meter`` has no more to spend.
    """
    ends = Ends(core, facts, text, spans, meter)
    cyclic = CyclicRules(ends, facts, meter)
    goal = 1 << len(text)
    if not ends.of(Ref(start), 0) & goal:
        raise ValueError(f"the text is not derived from {core.names[start]}")
    events: list[str] = []
    position = 0
    # With the offsets at which each may end.
    todo: list[tuple[_Task, int]] = [(Ref(start), goal)]
    while todo:
        meter.charge()
        task, allowed = todo.pop()
        match task:
            case str():
                events.append(END)
            case Chars():
                events.append(CHARACTER)
                position += 1
            case Ref(key=key) if key in facts.cycles:
                position = cyclic.derive(key, position, allowed, events)
            case Ref(key=key):
                meter.hold(NODE_OCTETS)
                events.append(key)
                todo += ((key, allowed), (core.rules[key], allowed))
            case Choice(items=items):
                todo.append((next(item for item in items if ends.of(item, position) & allowed), allowed))
            case Seq():
                todo.append(((task, 0), allowed))
            case (Seq() as seq, index):
                if index == len(seq.items):
                    continue
                here = 0
                for end in bits(ends.of(seq.items[index], position)):
                    if ends.of_rest(seq, index + 1, end) & allowed:
                        here |= 1 << end
                todo += (((seq, index + 1), allowed), (seq.items[index], here))
            case Repeat(min=0, max=None):
                todo.append(((task, 0, None), allowed))
            case Repeat():
                todo.append(((task, 0, ends.allowed_fronts(task, position, allowed)), allowed))
            case (Repeat() as repeat, count, fronts):
                mandatory = count < ends.minimum(repeat)
                if fronts is not None and repeat.max is None and not mandatory:
                    todo.append((ends.repeat(repeat.item, 0, None), allowed))
                    continue
                here = 0
                for end in bits(ends.of(repeat.item, position)):
                    if end == position and not mandatory:
                        continue
                    if fronts is None:
                        viable = ends.of(repeat, end) & allowed
                    else:
                        viable = count + 1 < len(fronts) and fronts[count + 1] >> end & 1
                    if viable:
                        here |= 1 << end
                if here:
                    todo += (((repeat, count + 1, fronts), allowed), (repeat.item, here))
            case _:
                raise AssertionError(f"no derivation passes through {task!r}")
    return trace_of(events)
