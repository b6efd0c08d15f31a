"""A server on this machine as a judge."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from http.client import HTTPConnection, HTTPException
from ipaddress import ip_address
from urllib.parse import urlsplit

from abnforge.catalog import ArgumentError
from abnforge.conformance.judges import Answer, Judge, JudgeError
from abnforge.conformance.messages import message

# Statuses that say that nobody there answers such questions.
_NOT_THERE = (401, 403, 404, 405, 407, 415)


class Url(Judge):
    """An HTTP server on loopback: each string is posted to it as ``{"text": "..."}``.

    It answers ``{"valid": true}``, ``{"valid": false}``, ``true`` or ``false``; any other answer is yes by a
    status of 200 to 299 and no by 400 to 499, as servers do that validate what they take. Other hosts than
    ``localhost`` and addresses of loopback are refused: a suite is thousands of requests. Lone surrogates are
    not asked. Use it in a ``with`` statement. Raises ValueError for another URL.
    """

    dear = True

    def __init__(self, url: str, *, seconds: float = 10.0) -> None:
        parts = urlsplit(url)
        host = parts.hostname or ""
        if parts.scheme != "http" or not _loopback(host):
            raise ArgumentError(message("url-not-local", url=url))
        self._path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        # The name is not looked up: what it leads to is not for others to say.
        address = "127.0.0.1" if host == "localhost" else host
        self._connection = HTTPConnection(address, parts.port or 80, timeout=seconds)
        self._url = url

    def __enter__(self) -> Url:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def answers(self, texts: Sequence[str]) -> Iterator[Answer | None]:
        """An answer a string. Raises OSError where no server is, or one that takes no such questions."""
        for text in texts:
            try:
                text.encode()
            except UnicodeEncodeError:
                yield None
                continue
            yield self._one(json.dumps({"text": text}))

    def _one(self, body: str) -> Answer:
        for again in (True, False):
            try:
                self._connection.request("POST", self._path, body, {"Content-Type": "application/json"})
                response = self._connection.getresponse()
                said = response.read()
                break
            except TimeoutError:
                self._connection.close()
                return Answer(False, "did not answer in time")
            except (ConnectionRefusedError, HTTPException, ConnectionError) as error:
                self._connection.close()  # servers end connections that were kept; a new one may do
                if not again:
                    raise JudgeError(
                        message(
                            "url-unreachable",
                            url=self._url,
                            reason=getattr(error, "strerror", None) or str(error),
                        )
                    ) from None
        return self._answer(response.status, said)

    def _answer(self, status: int, said: bytes) -> Answer:
        try:
            value = json.loads(said)
        except ValueError:
            value = None
        if isinstance(value, dict) and isinstance(value.get("valid"), bool):
            value = value["valid"]
        if isinstance(value, bool) and 200 <= status < 500:
            return Answer(value)
        if 200 <= status < 300:
            return Answer(True)
        if status in _NOT_THERE or 300 <= status < 400:
            raise JudgeError(message("url-status", url=self._url, status=status))
        return Answer(False, None if 400 <= status < 500 else f"HTTP status {status}")


def _loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
