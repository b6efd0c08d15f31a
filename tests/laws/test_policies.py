"""A policy as a rule agrees with hand-written conditions, on real URIs and on mutants of URIs.

The policy allows http and https URIs with a host, at most 2,048 characters, and a port up to 65535. The
hand-written version uses the verdict of ``URI``, the pattern for components in RFC 3986, appendix B, and four
comparisons. The policy is also written as a grammar, whose pattern is proved.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

import pytest

import abnforge
from abnforge import uri
from abnforge.grammar.sentences import Sentences
from tests.places import SHARED

URI = abnforge.rule("rfc3986:URI")
LINKS = uri.policy(schemes=["http", "https"], require_host=True, max_port=65535, max_length=2048).rule(URI)
CORPUS = SHARED / "corpus" / "real-uris.txt"

APPENDIX_B = re.compile(r"(([^:/?#]+):)?(//([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?", re.DOTALL)
AUTHORITY = re.compile(r"(?:[^@]*@)?(?P<host>\[[^]]*\]|[^:]*)(?::(?P<port>[0-9]*))?", re.DOTALL)

# The policy as a grammar, as a specification of links could define it.
WEB = """
;@ import rfc3986: userinfo, IP-literal, unreserved, pct-encoded, sub-delims, path-abempty, query, fragment
web = ( "http" / "https" ) "://" web-authority path-abempty [ "?" query ] [ "#" fragment ]
web-authority = [ userinfo "@" ] web-host [ ":" web-port ]
web-host = IP-literal / 1*( unreserved / pct-encoded / sub-delims )
web-port = *"0" [ 1*4DIGIT / %x31-35 4DIGIT / "6" %x30-34 3DIGIT / "65" %x30-34 2DIGIT
         / "655" %x30-32 DIGIT / "6553" %x30-35 ]
"""


def by_hand(text: str) -> str | None:
    """Return the code of the first condition of the policy that a string violates, or None."""
    if not URI.matches(text):
        return "syntax"
    match = APPENDIX_B.fullmatch(text)
    assert match
    if match[2].lower() not in ("http", "https"):
        return "policy-scheme"
    authority = AUTHORITY.fullmatch(match[4] or "")
    assert authority
    if not authority["host"]:
        return "policy-host"
    if authority["port"] and int(authority["port"]) > 65535:
        return "policy-port"
    return "policy-length" if len(text) > 2048 else None


def check(text: str, told: dict[str | None, int]) -> None:
    rejected = by_hand(text)
    told[rejected] = told.get(rejected, 0) + 1
    assert LINKS.matches(text) is (rejected is None), text
    if rejected not in (None, "syntax"):
        rejection = LINKS.explain(text)
        assert rejection
        assert rejection.code == rejected, text


def mutants(count: int, seed: int) -> Iterator[str]:
    """Return random URIs with parts that matter for policies, some with one or two changes."""
    source = Random(seed)
    sentences = Sentences(URI.grammar.core, URI.grammar.facts)
    parts = [
        "http://",
        "https:",
        "HTTP://h",
        ":65535",
        ":65536",
        ":0",
        "@",
        "//",
        "[::1]",
        "x" * 500,
        ":",
        "/",
        "1",
    ]
    for _ in range(count):
        text = sentences.random("uri", source, source.choice((10, 40, 80)))
        kind = source.randint(0, 4)
        if kind > 1:
            scheme, port = source.choice(("http", "HTTPS", "https")), source.choice(("", ":1", ":70000"))
            text = f"{scheme}://h{port}/{text[:30]}"
        for _ in range(source.randint(0, 2)):
            place = source.randint(0, len(text))
            text = text[:place] + source.choice(parts) + text[place + source.randint(0, 3) :]
        yield (
            text
            if source.randint(0, 40)
            else text + "y" * source.choice((2030, 2048 - len(text), 2049 - len(text)))
        )


@pytest.mark.parametrize("count", [1_500, pytest.param(15_000, marks=pytest.mark.slow)])
def test_mutants(count: int) -> None:
    results: dict[str | None, int] = {}
    for text in mutants(count, count):
        check(text, results)
    codes = (None, "syntax", "policy-scheme", "policy-host", "policy-port", "policy-length")
    assert all(results[code] > count // 2_000 for code in codes), results


@pytest.mark.slow
def test_real_uris() -> None:
    if not CORPUS.is_file():
        pytest.skip("the shared corpus is not here")
    results: dict[str | None, int] = {}
    for text in CORPUS.read_text("utf-8").split("\n"):
        check(text, results)
    assert results[None] > 10_000
    assert results["policy-scheme"] > 100


def test_the_same_as_a_grammar_has_one_pattern() -> None:
    web = abnforge.loads(WEB)["web"]
    unbounded = uri.policy(schemes=["http", "https"], require_host=True, max_port=65535).rule(URI)
    assert abnforge.compare(web, unbounded).relation == "equal"
    assert web.pattern
    pattern = re.compile(web.pattern)
    for text in mutants(1_000, 7):
        rejected = by_hand(text)
        assert (pattern.fullmatch(text) is not None) is (rejected in (None, "policy-length")), text
    for dialect in ("python", "rust", "re2", "ecmascript"):
        assert web.export(dialect)
