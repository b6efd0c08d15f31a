"""A program that is started once, and asked line by line."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from tempfile import TemporaryDirectory, TemporaryFile
from threading import Thread
from time import sleep
from typing import IO

from abnforge._arguments import choice_argument
from abnforge.catalog import ArgumentError
from abnforge.conformance.judges import Answer, JudgeError
from abnforge.conformance.messages import message
from abnforge.conformance.programs import MAX_LOST, SECONDS, Program, ended, kill

# Strings that are written before answers are read: so many, and so many octets, that pipes hold them and
# nobody waits for the other one (pipes hold 64 KiB, answers are short).
_CHUNK = 200
_CHUNK_OCTETS = 16_000
_SILENCE = 0.02  # seconds in which a line would be there that nobody has asked for

_YES = frozenset(("1", "true", "yes", "y", "valid", "ok", "accept", "accepted"))
_NO = frozenset(("0", "false", "no", "n", "invalid", "reject", "rejected"))


class Process(Program):
    """A program that is started once (``jobs`` times) and asked line by line; use it in a ``with`` statement.

    ``protocol`` is ``"jsonl"``: it reads ``{"id": 1, "text": "..."}`` and answers ``{"valid": true}``, with
    ``"id"`` and ``"error"`` if it likes; or ``"lines"``: it reads strings as they are and answers 1, true,
    yes, ok, valid, or 0, false, no, invalid, with what else it likes to say behind that. An answer is a line,
    in the order of the questions, written out at once. All is UTF-8, and lone surrogates are not asked; as
    lines, strings with a line end are not asked either.

    A program that ends, or does not answer within ``seconds``, has said no, and is started again.
    """

    def __init__(
        self,
        args: Sequence[str],
        *,
        protocol: str = "jsonl",
        seconds: float = SECONDS,
        jobs: int = 1,
        here: bool = False,
    ) -> None:
        super().__init__(args, seconds=seconds, jobs=jobs, here=here)
        choice_argument(protocol, "protocol", ("jsonl", "lines"))
        self._json = protocol == "jsonl"
        self._idle: SimpleQueue[_Peer] = SimpleQueue()
        self._peers: list[_Peer] = []
        self._closed = False

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the programs; no question can be asked any more."""
        self._closed = True
        while self._peers:
            self._peers.pop().end()

    def answers(self, texts: Sequence[str]) -> Iterator[Answer | None]:
        """An answer a string. Raises OSError for a program that cannot be started, speaks another protocol or
        is lost again and again; ValueError once it is closed.
        """
        if self._closed:
            raise ArgumentError(message("judge-closed"))
        while len(self._peers) < self._jobs:
            peer = _Peer(self, self._json)
            self._peers.append(peer)
            self._idle.put(peer)
        for answers in self.in_order(self._chunk, list(_chunks(texts))):
            yield from answers
        if len(texts) > 1:  # of a single question the next one tells
            for peer in self._peers:
                peer.finished()

    def _chunk(self, texts: list[str]) -> list[Answer | None]:
        peer = self._idle.get()
        try:
            return peer.ask(texts)
        finally:
            self._idle.put(peer)


class _Peer:
    """One running program. Its answers are read by a thread, since pipes know no time-outs everywhere."""

    def __init__(self, program: Process, as_json: bool) -> None:
        self._program = program
        self._json = as_json
        self._number = 0
        self._lost = 0
        self._answered = False
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, texts: Sequence[str]) -> list[Answer | None]:
        """The answers for strings, in their order."""
        found: list[Answer | None] = [None] * len(texts)
        lines: list[tuple[int, int, bytes]] = []
        for place, text in enumerate(texts):
            if (line := self._line(text)) is not None:
                lines.append((place, self._number, line))
        while lines:
            if self._process is None:
                self._begin()
            self._refuse_more()
            self._write(b"".join([line for _, _, line in lines]))
            for done, (place, number, _) in enumerate(lines):
                answer = self._read(number)
                if answer is None:  # it is lost, and those behind this one are asked again
                    found[place] = Answer(False, self._given_up())
                    lines = lines[done + 1 :]
                    break
                self._lost = 0
                self._answered = True
                found[place] = answer
            else:
                break
        return found

    def finished(self) -> None:
        """After the last question: nothing more may be said."""
        if self._process is not None:
            sleep(_SILENCE)
            self._refuse_more()

    def _refuse_more(self) -> None:
        """Raise OSError for lines that nobody has asked for: the answers would be those of other strings."""
        if self._process is None or self._process.poll() is not None or self._answers.empty():
            return
        line = self._answers.get()
        if line is None:
            self._answers.put(None)
            return
        self.end()
        said = line.decode(errors="replace").strip()[:80]
        raise JudgeError(message("judge-extra-line", program=self._program.args[0], line=said))

    def _line(self, text: str) -> bytes | None:
        try:
            octets = text.encode()
        except UnicodeEncodeError:
            return None
        self._number += 1
        if self._json:
            return json.dumps({"id": self._number, "text": text}).encode() + b"\n"
        return None if "\n" in text or "\r" in text else octets + b"\n"

    def _begin(self) -> None:
        self._folder = TemporaryDirectory(prefix="abnforge-", ignore_cleanup_errors=True)
        self._said: IO[bytes] = TemporaryFile()  # noqa: SIM115 - closed by end
        try:
            self._process = self._program.start(
                self._program.args,
                self._folder.name,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._said,
            )
        except OSError:
            self._said.close()
            self._folder.cleanup()
            raise
        self._answers: SimpleQueue[bytes | None] = SimpleQueue()
        Thread(target=_forward, args=(self._process.stdout, self._answers), daemon=True).start()

    def _write(self, octets: bytes) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        with suppress(OSError):  # it has ended: reading tells
            self._process.stdin.write(octets)
            self._process.stdin.flush()

    def _read(self, number: int) -> Answer | None:
        """An answer; None, with ``_why``, where there is none."""
        try:
            line = self._answers.get(timeout=self._program.seconds)
        except Empty:
            hint = "" if self._answered else "; flush each line"
            self._why = f"did not answer within {self._program.seconds:g} s{hint}"
            return None
        if line is None:
            assert self._process is not None
            self._process.wait()
            self._said.seek(0)
            self._why = ended(self._process.returncode, self._said.read())
            return None
        return self._answer(line, number)

    def _answer(self, line: bytes, number: int) -> Answer:
        text = line.decode(errors="replace").strip()
        if not self._json:
            word, _, more = text.replace("\t", " ").partition(" ")
            if word.lower() in _YES or word.lower() in _NO:
                yes = word.lower() in _YES
                return Answer(yes, None if yes else more.strip() or None)
        else:
            try:
                value = json.loads(text)
            except (ValueError, RecursionError):
                value = None
            if isinstance(value, Mapping) and value.get("id", number) == number:
                valid, error = value.get("valid"), value.get("error")
                if isinstance(valid, bool):
                    return Answer(valid, None if error is None or valid else str(error))
            elif isinstance(value, bool):
                return Answer(value)
        self.end()
        wanted = '{"valid": true} or {"valid": false}' if self._json else "1 or 0"
        program = self._program.args[0]
        raise JudgeError(message("judge-answer", program=program, line=text[:80], expected=wanted))

    def _given_up(self) -> str:
        self.end()
        self._lost += 1
        if self._lost >= MAX_LOST:
            program = self._program.args[0]
            raise JudgeError(message("judge-lost", program=program, count=self._lost, reason=self._why))
        return self._why

    def end(self) -> None:
        """Stop the program, if it runs."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        kill(process)
        process.wait()
        for stream in (process.stdin, self._said):
            with suppress(OSError):  # what could not be written any more
                stream.close()
        self._folder.cleanup()


def _forward(stream: IO[bytes], answers: SimpleQueue[bytes | None]) -> None:
    with stream:
        for line in stream:
            answers.put(line)
    answers.put(None)


def _chunks(texts: Sequence[str]) -> Iterator[list[str]]:
    chunk: list[str] = []
    octets = 0
    for text in texts:
        size = 6 * len(text) + 40  # as JSON's escapes
        if chunk and (octets + size > _CHUNK_OCTETS or len(chunk) >= _CHUNK):
            yield chunk
            chunk, octets = [], 0
        chunk.append(text)
        octets += size
    if chunk:
        yield chunk
