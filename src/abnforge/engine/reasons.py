"""Why a rule rejects a text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from abnforge.arguments import (
    Given,
    Text,
    given,
    instance_argument,
    wrong_value,
)
from abnforge.catalog import ArgumentError
from abnforge.engine.judging import Judging
from abnforge.engine.messages import message
from abnforge.errors import Rejected
from abnforge.late import importing
from abnforge.rejection import Rejection

# Imported where they are used, too: a verdict needs none of them, and importing takes longer than most uses.
if TYPE_CHECKING:
    from abnforge.explain.failure import Failure
    from abnforge.explain.lessons import Lesson
    from abnforge.explain.rejections import Explainer


class Reasons(Judging):
    """The part of a rule that explains what it rejects."""

    def check(self, text: Text, *, engine: str = "auto") -> None:
        """Raise Rejected, with the explanation, unless the rule derives the text. Builds no tree."""
        rejection = self.explain(text, engine=engine)
        if rejection is not None:
            raise Rejected(rejection)

    def explain(
        self, text: Text, *, suggest: bool = True, hypotheses: int = 1, engine: str = "auto"
    ) -> Rejection | None:
        """Why the text is rejected; None when it is valid.

        The first hypothesis, and with it ``code``, ``section`` and ``message``, is the mistake by the
        likeliest reading of the text. At most so many ``hypotheses`` are told: each further one has another
        code, and takes some milliseconds. ``suggest=False`` leaves out the suggestion, and changes nothing
        else. There is none for bytes that are not UTF-8.
        """
        instance_argument(hypotheses, "hypotheses", int, "an int")
        if hypotheses < 1:
            raise wrong_value("hypotheses", "at least 1", hypotheses)
        it = given(text, "text")
        if engine == "auto" and it.broken is None and self._fast is not None:
            if self._fast(it.text):
                return None
            if self._made is not None:
                return self._explain_made(it, suggest, hypotheses, engine)
            told = self._explain_mistake(it, suggest) if hypotheses == 1 else None
            if told is not None:
                return told
        name = self._lane(engine)
        if self._made is not None:
            matches = self._matches(text, engine=engine)
            return None if matches else self._explain_made(it, suggest, hypotheses, engine)
        with self.grammar.readers.taken() as readers:
            lane = readers.lane(self._key, name, self._parser)
            if it.broken is not None:
                with importing:
                    from abnforge.engine.octets import explain_broken

                return explain_broken(readers, lane, self._key, it.text, it.broken)
            failure = lane.failure(it.text)
            if failure is None:
                return None
            derives = lane.matches if engine != "auto" or self._fast is None else self._fast
            rejection = readers.explainer(self._key).explain(
                it.text, failure, derives, suggest=suggest, hypotheses=hypotheses
            )
        return rejection.to_byte_offsets() if it.octets else rejection

    def _explain_made(self, it: Given, suggest: bool, hypotheses: int, engine: str) -> Rejection:
        """Why a rule that is made of others rejects a text."""
        with importing:
            from abnforge.engine.combined_rejections import explain_combined

        return explain_combined(self, it, suggest, hypotheses, engine)

    def _explain_mistake(self, it: Given, suggest: bool) -> Rejection | None:
        """Why a text is rejected, where a declared mistake tells and a table says where reading stops."""
        table = self._compilation.table(self._key)
        if table is None:
            return None
        offset, _ = table.read(it.text)
        assert self._fast is not None
        with self.grammar.readers.taken() as readers:
            told = readers.explainer(self._key).explain_mistake(
                it.text, offset, self._fast, partial(self._failure, it.text), suggest=suggest
            )
        return told.to_byte_offsets() if told is not None and it.octets else told

    @contextmanager
    def _failure(self, text: str) -> Iterator[tuple[Explainer, Failure]]:
        """Where reading a text that is rejected stops, and who explains that; for as long as it is asked."""
        with self.grammar.readers.taken() as readers:
            failure = readers.lane(self._key, self._lane("auto"), self._parser).failure(text)
            assert failure is not None, "the lanes disagree"
            yield readers.explainer(self._key), failure

    def lesson(self, text: Text, *, engine: str = "auto") -> Lesson | None:
        """Why the text is rejected, as steps: what was read as what, where no rule could go on, which mistake
        that is, and what to change. None when it is valid. Offsets count code points, of bytes, too.

        Raises ValueError for bytes that are not UTF-8.
        """
        it = given(text, "text")
        if it.broken is not None:
            raise ArgumentError(message("lesson-not-utf8"))
        name = self._lane(engine)
        if self._made is not None:
            with importing:
                from abnforge.engine.combined_rejections import combined_lesson

            return combined_lesson(self, it.text, engine)
        with self.grammar.readers.taken() as readers:
            lane = readers.lane(self._key, name, self._parser)
            failure = lane.failure(it.text)
            if failure is None:
                return None
            return readers.explainer(self._key).lesson(it.text, failure, lane.matches)

    def _rejected(self, text: Text, engine: str) -> Rejected:
        rejection = self.explain(text, engine=engine)
        assert rejection is not None, "the lanes disagree"
        return Rejected(rejection)
