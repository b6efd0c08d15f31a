"""Registrable domains by lists of public suffixes: the cases of the algorithm, and lists of any form."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import pytest
from hypothesis import strategies as st

from abnforge.uri import SuffixList, suffix_list
from tests.law import each_row, law
from tests.raising import raises

LIST = """\
// ===BEGIN ICANN DOMAINS===
com

biz  a comment after the rule
jp
ac.jp
kyoto.jp
ide.kyoto.jp
*.kobe.jp
!city.kobe.jp
*.ck
!www.ck
us
k12.ak.us
cn
公司.cn
中国
XN--P1AI
*.sch.uk
a.*.b.test
// ===END ICANN DOMAINS===
// ===BEGIN PRIVATE DOMAINS===
blogspot.com
*.compute.example
// ===END PRIVATE DOMAINS===
// after all sections
org
"""
RULES = SuffixList(LIST.split("\n"))

# host, public suffix, registrable domain
CASES: list[tuple[str, str | None, str | None]] = [
    # mixed case
    ("COM", "COM", None),
    ("example.COM", "COM", "example.COM"),
    ("WwW.example.COM", "COM", "example.COM"),
    # empty labels; a dot at the end
    ("", None, None),
    (".", None, None),
    (".com", None, None),
    ("a..com", None, None),
    ("a.com..", None, None),
    ("a.com.", "com", "a.com"),
    # unlisted: the rule is "*"
    ("example", "example", None),
    ("b.example.example", "example", "example.example"),
    # one rule, several rules
    ("biz", "biz", None),
    ("a.b.domain.biz", "biz", "domain.biz"),
    ("test.jp", "jp", "test.jp"),
    ("ac.jp", "ac.jp", None),
    ("www.test.ac.jp", "ac.jp", "test.ac.jp"),
    ("kyoto.jp", "kyoto.jp", None),
    ("ide.kyoto.jp", "ide.kyoto.jp", None),
    ("b.ide.kyoto.jp", "ide.kyoto.jp", "b.ide.kyoto.jp"),
    ("a.b.kyoto.jp", "kyoto.jp", "b.kyoto.jp"),
    # wildcards and exceptions
    ("kobe.jp", "jp", "kobe.jp"),
    ("c.kobe.jp", "c.kobe.jp", None),
    ("a.b.c.kobe.jp", "c.kobe.jp", "b.c.kobe.jp"),
    ("city.kobe.jp", "kobe.jp", "city.kobe.jp"),
    ("www.city.kobe.jp", "kobe.jp", "city.kobe.jp"),
    ("ck", "ck", None),
    ("test.ck", "test.ck", None),
    ("a.b.test.ck", "test.ck", "b.test.ck"),
    ("www.ck", "ck", "www.ck"),
    ("www.www.ck", "ck", "www.ck"),
    ("x.a.y.b.test", "a.y.b.test", "x.a.y.b.test"),
    # a rule of three labels without the rules of one and two
    ("ak.us", "us", "ak.us"),
    ("k12.ak.us", "k12.ak.us", None),
    ("www.test.k12.ak.us", "k12.ak.us", "test.k12.ak.us"),
    # Unicode and Punycode
    ("www.食狮.公司.cn", "公司.cn", "食狮.公司.cn"),
    ("www.xn--85x722f.xn--55qx5d.cn", "xn--55qx5d.cn", "xn--85x722f.xn--55qx5d.cn"),
    ("公司.cn", "公司.cn", None),
    ("shishi.XN--FIQS8S", "XN--FIQS8S", "shishi.XN--FIQS8S"),
    ("пример.рф", "рф", "пример.рф"),
    ("xn--\udc80.com", "com", "xn--\udc80.com"),
    ("xn--0000000.com", "com", "xn--0000000.com"),
    # private domains; a rule after the sections is not private
    ("a.b.blogspot.com", "blogspot.com", "b.blogspot.com"),
    ("x.us.compute.example", "us.compute.example", "x.us.compute.example"),
    ("a.b.org", "org", "b.org"),
    # addresses are not names
    ("192.0.2.1", None, None),
    ("[::1]", None, None),
    ("192.0.2.256", "256", "2.256"),
    ("a." * 600 + "com", None, None),
]


@each_row("host, suffix, domain", CASES)
def test_hosts(host: str, suffix: str | None, domain: str | None) -> None:
    assert (RULES.public_suffix(host), RULES.registrable_domain(host)) == (suffix, domain)


def test_without_private_domains(tmp_path: Path) -> None:
    path = tmp_path / "list.dat"
    path.write_bytes(b"\xef\xbb\xbf" + LIST.replace("\n", "\r\n").encode())
    assert suffix_list(path) == RULES
    icann = suffix_list(path, private=False)
    assert len(icann) == len(RULES) - 2
    assert icann.registrable_domain("a.b.blogspot.com") == "blogspot.com"
    assert icann.registrable_domain("a.org") == "a.org"


def test_a_list_is_a_value() -> None:
    for other in (pickle.loads(pickle.dumps(RULES)), copy.deepcopy(RULES)):
        assert (other, hash(other), repr(other)) == (RULES, hash(RULES), "<SuffixList of 21 rules>")
    assert SuffixList(["com"]) != RULES


@pytest.mark.parametrize("rule", ["a..b", ".a", "!", "!uk", "a."])
def test_malformed_rules(rule: str) -> None:
    with raises(ValueError, "suffix-malformed"):
        SuffixList(["com", rule])


@each_row("data, code", [(bytes(2**24 + 1), "suffixes-too-large"), (b"com\n\xff", "suffixes-not-utf8")])
def test_files_that_are_not_lists(tmp_path: Path, data: bytes, code: str) -> None:
    path = tmp_path / "list.dat"
    path.write_bytes(data)
    with raises(ValueError, code):
        suffix_list(path)


LABELS = st.sampled_from(["a", "b", "*"])
NAMES = st.lists(LABELS, min_size=1, max_size=3)


@law(
    st.lists(NAMES, max_size=5),
    st.lists(NAMES.filter(lambda name: len(name) > 1), max_size=2),
    st.lists(st.sampled_from("ab"), min_size=1, max_size=4),
    few=100,
    many=2_000,
)
def test_the_longest_rule_prevails(
    names: list[list[str]], exceptions: list[list[str]], host: list[str]
) -> None:
    """The algorithm of publicsuffix.org."""

    def matches(rule: list[str]) -> bool:
        tail = host[-len(rule) :]
        return len(tail) == len(rule) and all(x in ("*", y) for x, y in zip(rule, tail, strict=True))

    names = [name for name in names if name not in exceptions]
    rules = SuffixList([".".join(name) for name in names] + ["!" + ".".join(name) for name in exceptions])
    sizes = [len(rule) - 1 for rule in exceptions if matches(rule)]
    # two exceptions do not have an order
    expected = set(sizes) or {max([len(rule) for rule in names if matches(rule)], default=1)}
    suffix = rules.public_suffix(".".join(host))
    assert suffix is not None
    assert len(suffix.split(".")) in expected
