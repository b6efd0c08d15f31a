"""The language of a pattern as its engine decides it: a deterministic automaton, made state by state.

A state is what an engine that backtracks could still be trying after a prefix, as a list in order of
preference (``threads``). The text is accepted if one way of the outermost list comes to the end with it,
since engines try them all; within a part that gives nothing back the first way counts that comes to the
part's end, whatever follows.

*Why there are finitely many states*: what a commit holds counts only if all ways before it in its list
fail. A way behind it that has the same to match up to the end of its part as one of these fails with it,
so it is taken out (``_pruned``). Without that ``(?>a*b|a)*`` would nest commits for ever. That this is enough
is not proved; the meter ends what would not end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from abnforge.backends.regex.reading import Part
from abnforge.backends.regex.threads import (
    ACCEPTED,
    END,
    Chain,
    Commit,
    Cut,
    Either,
    Item,
    Items,
    Read,
    Sealed,
    Store,
    Thread,
    Turns,
    in_order,
)
from abnforge.budget import Meter
from abnforge.charset import CharSet

# Octets that a state which another one leads to takes, with its place in tables; an estimate.
_MOVE_OCTETS = 200

# What a list becomes, by the number of the class of the next character; and what it becomes with all others.
Moves = tuple[Mapping[int, Items], Items]


class Machine:
    """The states of one pattern over given classes of characters.

    ``cuts_turns``: see ``reading.Notation``. Work is charged to ``meter``: an entry of a list that is touched
    is a step. All methods raise LimitExceeded.
    """

    def __init__(self, tree: Part, classes: list[CharSet], cuts_turns: bool, meter: Meter) -> None:
        self._store = Store(meter)
        self._meter = meter
        self._moves: dict[tuple[Items, int], Moves] = {}
        self._prunings: dict[tuple[Items, frozenset[int], int], Items] = {}
        root = self._store.compiled(tree, classes, cuts_turns)
        self.start: Items = in_order(dict.fromkeys(self._opened(self._store.thread(root, None))))

    def moves(self, state: Items) -> Mapping[int, Items]:
        """The states after one more character, by the number of its class; without those in which no way is
        left. Cost: for each item of the list, the classes that it can read.
        """
        moves, rest = self._all_moves(state, 0)
        assert not rest, "no transition on an unread character"
        return moves

    def accepts(self, state: Items) -> bool:
        """Whether the text may end in a state."""
        for item in state:
            if item is ACCEPTED:
                return True
            if isinstance(item, Cut):
                behind = self._at_end(item.items)
                if behind is not None and self.accepts(behind):
                    return True
        return False

    def _at_end(self, items: Items) -> Items | None:
        """What the first commit of a cut's list holds, at the end of the text; None if there is none."""
        for item in items:
            if isinstance(item, Commit):
                return item.items
            if isinstance(item, Cut):
                inner = self._at_end(item.items)
                behind = None if inner is None else self._at_end(inner)
                if behind is not None:
                    return behind
        return None

    # What a stack is before the next character

    def _opened(self, thread: Thread | None) -> Items:
        """The ways that a stack stands for, each up to its next character. No recursion."""
        if thread is None:
            return (ACCEPTED,)
        waiting = [thread]
        while waiting:
            current = waiting[-1]
            if current.opened is None:
                needed = self._needed(current)
                missing = [t for t in needed if t is not None and t.opened is None]
                if missing:
                    waiting += missing
                    self._meter.charge(len(missing))
                    continue
                known = [(ACCEPTED,) if t is None else t.opened or () for t in needed]
                current.opened = self._combined(current, known)
            waiting.pop()
        return thread.opened or ()

    def _needed(self, thread: Thread) -> list[Thread | None]:
        """The stacks that one stands for, in order of preference; of a part that is begun, its own."""
        step, rest = thread.step, thread.rest
        push = self._store.thread
        match step:
            case Read():
                return []
            case Chain(items=()):
                return [rest]
            case Chain(items=items, at=at):
                return [push(items[at], self._store.following(step, rest))]
            case Either(items=items):
                return [push(item, rest) for item in items]
            case Sealed(item=item):
                return [push(item, push(END, rest))]
            case Turns(item=item, min=minimum, max=maximum, fresh=fresh):
                if minimum > 0:
                    less = None if maximum is None else maximum - 1
                    last = minimum == maximum == 1
                    left = rest if last else push(self._store.turns(item, minimum - 1, less, False), rest)
                    return [push(item, left)]
                if maximum == 0 or fresh:
                    return [rest]
                last = maximum == 1
                less = None if maximum is None else maximum - 1
                left = rest if last else push(self._store.turns(item, 0, less, True), rest)
                return [push(item, left), rest]
        return [rest]  # END

    def _combined(self, thread: Thread, known: list[Items]) -> Items:
        step = thread.step
        if isinstance(step, Read):
            return (thread,)
        if step is END:
            return (self._store.commit(known[0]),)
        if isinstance(step, Sealed):
            return self._cut(known[0], thread.level)
        return self._joined(known, thread.level)

    # Lists

    def _joined(self, lists: Iterable[Items], level: int) -> Items:
        """Lists of a level one behind the other, each item where it is first, up to the first commit."""
        found: dict[Item, None] = {}
        for items in lists:
            self._meter.charge(1 + len(items))
            for item in items:
                found[item] = None
                if isinstance(item, Commit):
                    return tuple(found)
        return tuple(found) if level else in_order(found)

    def _cut(self, items: Items, level: int) -> Items:
        """What a cut with such a list is in the list of the level around it."""
        if not items:
            return ()
        if isinstance(items[0], Commit):
            return items[0].items
        last = items[-1]
        if isinstance(last, Commit):
            keys = frozenset([self._store.key(item) for item in items[:-1]])
            behind = self._pruned(last.items, keys, level)
            if not behind:  # to come to nothing is to fail
                items = items[:-1]
            elif behind is not last.items:
                items = (*items[:-1], self._store.commit(behind))
        return (self._store.cut(items),)

    def _pruned(self, items: Items, failing: frozenset[int], level: int) -> Items:
        """A list without the items that fail if those do that have the keys of ``failing``."""
        self._meter.charge(1 + len(items))
        memo = items, failing, level
        known = self._prunings.get(memo)
        if known is not None:
            return known
        kept: dict[Item, None] = {}
        for item in items:
            if isinstance(item, Commit):
                behind = self._pruned(item.items, failing, level - 1)
                kept[item if behind is item.items else self._store.commit(behind)] = None
                break
            if self._store.key(item) in failing:
                continue
            if not isinstance(item, Cut):
                kept[item] = None
                continue
            inner = self._pruned(item.items, failing, level + 1)
            left = (item,) if inner is item.items else self._cut(inner, level)
            kept.update(dict.fromkeys(left))
            if left and isinstance(left[-1], Commit):
                break
        result = tuple(kept) if level else in_order(kept)
        if result == items:
            result = items
        self._prunings[memo] = result
        return result

    # Moves

    def _all_moves(self, items: Items, level: int) -> Moves:
        """What a list of a level becomes, by the class of the next character."""
        memo = items, level
        known = self._moves.get(memo)
        if known is None:
            found: dict[int, list[Items]] = {}
            elsewhere: list[Items] = []
            for item in items:
                moves, other = self._item_moves(item, level)
                self._meter.charge(1 + len(moves) // 4)
                for number, after in moves.items():
                    found.setdefault(number, elsewhere[:]).append(after)
                if other:
                    elsewhere.append(other)
                    self._meter.charge(len(found) // 4)
                    for number in found.keys() - moves.keys():
                        found[number].append(other)
            rest = self._joined(elsewhere, level)
            joined = ((number, self._joined(lists, level)) for number, lists in found.items())
            known = {number: after for number, after in joined if after != rest}, rest
            self._moves[memo] = known
            self._meter.hold(sum(_MOVE_OCTETS + 8 * len(after) for after in known[0].values()))
        return known

    def _item_moves(self, item: Item, level: int) -> Moves:
        """The same of one item. A commit whose ways fail is still one: what is behind it is not tried."""
        if isinstance(item, Thread):
            return dict.fromkeys(item.classes, self._opened(self._store.moved(item.rest))), ()
        if isinstance(item, Cut):
            moves, rest = self._all_moves(item.items, level + 1)
            return {number: self._cut(inner, level) for number, inner in moves.items()}, self._cut(
                rest, level
            )
        if isinstance(item, Commit):
            commit = self._store.commit
            moves, rest = self._all_moves(item.items, level - 1)
            return {number: (commit(behind),) for number, behind in moves.items()}, (commit(rest),)
        return {}, ()
