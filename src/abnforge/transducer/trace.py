"""The form in which every reader hands over a derivation: what begins and ends at each place of the text.

A *trace* of a text of n characters has n + 1 elements, one for each place from 0 to n: a tuple of what
happens there, in order, before the next character is read. Most are the same empty tuple, and there are few
different ones, so whoever goes through a trace does his work once for each of these.

What happens is a string:

* a rule's key: the rule begins, within the innermost one that is open;
* ``END``: the innermost open rule ends;
* ``CALL``, ``RETURN``: between them what a reader does in a frame of its own. ``RETURN`` ends all rules that
  have begun since its ``CALL`` and have not ended: so a rule that reads on in its caller's frame (a tail
  call) leaves nothing behind to be ended;
* ``AGAIN`` and a rule's key: the innermost open rule and all that is in it so far become the first child of a
  new rule of that key, which is open in its place: left recursion, read as a loop;
* ``RATHER`` and a rule's key, directly behind the begin of another rule: it is this one that begins; the
  other one will begin in its place, by ``AGAIN``.

At the end of the text everything ends that has not.
"""

from __future__ import annotations

Trace = list[tuple[str, ...]]

# No rule's key has one of these characters (RFC 5234, 4: letters, digits, "-").
END = ""
CALL = "("
RETURN = ")"
AGAIN = "^"
RATHER = "="
