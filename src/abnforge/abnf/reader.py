"""ABNF text to the surface model, with every mistake that can be told, and how it is corrected.

What reads to the letter (``abnf.parsing``) is all that counts as ABNF. For a text that does not,
``abnf.mending`` looks for what its author took from other notations; rules that read once that is mended take
part in the checks that follow, so that nothing new comes to light when the edits are made.

Cost: linear in the length of the text.
"""

from __future__ import annotations

from abnforge.abnf.model import Rulelist
from abnforge.abnf.parsing import parse
from abnforge.errors import GrammarError
from abnforge.late import importing
from abnforge.source import Source


def read(text: str | Source, name: str = "<string>", dialect: str | None = None) -> Rulelist:
    """Read a grammar.

    ``name`` stands for the text in messages; a Source has one, and tells its own places. ``dialect`` is
    ``"abnf"``, ``"rfc822"`` or None: then a ``|`` between elements, or a ``_`` in the name of a rule being
    defined, tells that it is ``"rfc822"``.
    A text without rules is an empty model.

    Raises :class:`GrammarError` with every error found (``.errors``, at most
    :data:`~abnforge.abnf.syntax_errors.MAX_ERRORS`); :class:`LimitExceeded` when the first one is a limit.
    Cost: linear.
    """
    rulelist, errors = read_partial(text, name, dialect)
    if errors:
        raise GrammarError.combine(errors)
    return rulelist


def read_partial(
    text: str | Source, name: str = "<string>", dialect: str | None = None
) -> tuple[Rulelist, list[GrammarError]]:
    """Read what can be read: the rules that are well-formed, or would be with the edits of the errors, and
    the errors in source order.

    A rule whose text can be understood but must not be written so (``5*3ALPHA``, ``%x5A-41``) is in the model
    *and* has an error. What was written in another notation in several places is one error, which has the
    edits of all of them.
    """
    rulelist, errors = parse(text, name, dialect)
    if not errors:
        return rulelist, errors
    with importing:
        from abnforge.abnf.mending import mended

    return mended(rulelist)
