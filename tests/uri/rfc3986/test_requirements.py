"""The "should" and "must" statements of RFC 3986, one by one (see docs/requirements.md)."""

from __future__ import annotations

import pytest

from abnforge import Rejected, load, uri
from abnforge.uri import HostKind, Severity, build, equivalent, normalize, percent, resolve, security
from tests.law import each_row
from tests.raising import raises
from tests.reference import resolve as literal
from tests.reference.examples import BASE, examples

requirement = pytest.mark.requirement

GRAMMAR = load("rfc3986")
UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
GEN_DELIMS, SUB_DELIMS = ":/?#[]@", "!$&'()*+,;="


def codes(text: str) -> list[str]:
    return [finding.code for finding in security(text)]


# Rule, matching strings, other strings.
RULES = [
    pytest.param(
        "URI", ["a:", "a:b", "a://h", "a://h/"], ["", "a://h:b"], marks=requirement("rfc3986-3-may-1")
    ),
    pytest.param(
        "URI",
        ["a://h/b", "a://h"],
        ["a://[::1]b", "a://h:1b"],
        marks=requirement("rfc3986-3-must-1", "rfc3986-3.2-must-1", "rfc3986-3.3-must-1"),
    ),
    pytest.param("scheme", ["http", "HTTP", "hTTp"], ["1", ""], marks=requirement("rfc3986-3.1-should-1")),
    pytest.param(
        "IPv6address",
        ["1:2:3:4:5:6:7.8.9.10", "::1.2.3.4"],
        ["1.2.3.4::"],
        marks=requirement("rfc3986-3.2.2-may-3"),
    ),
    pytest.param(
        "IPv6address",
        ["::", "1::", "::1", "1::2"],
        ["1:::2", "1::2::3", ":1"],
        marks=requirement("rfc3986-3.2.2-may-4"),
    ),
    pytest.param(
        "IPv4address",
        ["127.0.0.1"],
        ["127.1", "0x7f.0.0.1", "0177.0.0.1"],
        marks=requirement("rfc3986-3.2.2-may-5"),
    ),
    pytest.param(
        "reg-name", ["example.com.", "", "a"], ["a:", "a/"], marks=requirement("rfc3986-3.2.2-may-7")
    ),
    pytest.param(
        "reg-name", ["not_a-host!", "%20", "1"], ["[a]"], marks=requirement("rfc3986-3.2.2-should-1")
    ),
    pytest.param("relative-ref", ["b/c:d", "./b:c", "/b:c"], ["b:c"], marks=requirement("rfc3986-3.3-may-1")),
    pytest.param("query", ["a/b?c", "?", "//"], ["#"], marks=requirement("rfc3986-3.4-may-1")),
    pytest.param("fragment", ["a/b?c", "?", "//"], ["#"], marks=requirement("rfc3986-3.5-may-4")),
]


@each_row(("rule", "valid", "invalid"), RULES)
def test_rule(rule: str, valid: list[str], invalid: list[str]) -> None:
    matches = GRAMMAR[rule].matches
    assert [text for text in valid if not matches(text)] == []
    assert [text for text in invalid if matches(text)] == []


# Section 2: characters


@requirement("rfc3986-2-must-1", "rfc3986-2-must-2")
def test_integers_of_the_grammar_are_characters_of_us_ascii() -> None:
    assert "%x30-39" in load("rfc5234")["DIGIT"].definition
    assert [chr(code) for code in range(256) if GRAMMAR["DIGIT"].matches(chr(code))] == list("0123456789")
    assert not GRAMMAR["unreserved"].matches("\xc1")  # "A" in EBCDIC


@requirement("rfc3986-2.1-should-1", "rfc3986-6.2.2.1-should-1")
def test_triplets_in_upper_case() -> None:
    assert percent.encode(b"\xab/") == "%AB%2F"
    assert str(normalize("//h/%ab?%2f#%5b")) == "//h/%AB?%2F#%5B"


@requirement("rfc3986-2.2-must-1", "rfc3986-2.2-should-1")
def test_reserved_data_is_encoded() -> None:
    assert percent.characters("reserved") == set(GEN_DELIMS + SUB_DELIMS)
    assert not set(percent.encode(GEN_DELIMS + SUB_DELIMS)) & set(GEN_DELIMS + SUB_DELIMS)
    u = build(scheme="a", path=f"/{percent.encode('b/c')}", query=f"d={percent.encode('e&f#')}")
    assert (u.segments, u.query, u.fragment) == (("b%2Fc",), "d=e%26f%23", None)


@requirement("rfc3986-2.2-should-2")
def test_a_reserved_character_is_its_octet() -> None:
    assert percent.decode_octets(SUB_DELIMS) == SUB_DELIMS.encode()


@requirement("rfc3986-2.3-should-1", "rfc3986-2.3-should-2", "rfc3986-6.2.2.2-should-1")
def test_unreserved_characters_are_not_encoded() -> None:
    assert percent.encode(UNRESERVED) == UNRESERVED
    triplets = "".join(f"%{ord(char):02x}" for char in UNRESERVED)
    assert str(normalize(f"a:b{triplets}")) == f"a:b{UNRESERVED}"
    assert str(normalize("a:b%2F%21")) == "a:b%2F%21"


@requirement("rfc3986-2.4-must-1", "rfc3986-7.3-must-2")
def test_components_are_taken_apart_before_they_are_decoded() -> None:
    u = uri.parse("http://h%2Fi/a%2Fb?c%23d")
    assert (u.host, u.segments, u.query, u.fragment) == ("h%2Fi", ("a%2Fb",), "c%23d", None)
    with raises(ValueError, "percent-slash", offset=2):
        percent.decode(u.path, "path")


@requirement("rfc3986-2.4-must-2", "rfc3986-2.4-must-3")
def test_a_percent_sign_is_data_once() -> None:
    assert percent.encode("%") == "%25"
    assert percent.decode("%2541") == "%41"
    assert percent.decode(percent.encode("%41")) == "%41"
    assert percent.encode("a%41 ", keep_triplets=True) == "a%41%20"


@requirement("rfc3986-2.5-should-1", "rfc3986-2.5-should-2")
@pytest.mark.parametrize(("text", "encoded"), [("A", "A"), ("À", "%C3%80"), ("ア", "%E3%82%A2")])
def test_text_is_encoded_as_utf_8(text: str, encoded: str) -> None:
    assert percent.encode(text) == encoded
    assert percent.decode(encoded) == text


# Section 3: components


@requirement("rfc3986-3-must-1", "rfc3986-3.2-must-1", "rfc3986-3.3-must-1")
def test_no_path_is_joined_to_an_authority() -> None:
    with pytest.raises(Rejected):
        build(scheme="a", host="h", path="b")
    with raises(ValueError, "unreadable-path-absolute"):
        build(scheme="a", path="//b")


@requirement("rfc3986-3.1-should-2", "rfc3986-6.2.2.1-should-2", "rfc3986-3.2.2-should-3")
def test_scheme_and_host_in_lower_case() -> None:
    assert str(normalize("HTTP://User@EXAMPLE.com%3a/A")) == "http://User@example.com%3A/A"
    assert str(normalize("a://[2001:DB8::A]")) == "a://[2001:db8::a]"


@requirement("rfc3986-3.2-should-1", "rfc3986-3.2.3-should-1", "rfc3986-6.2.3-should-2")
def test_needless_ports_are_left_out() -> None:
    assert str(normalize("http://h:/")) == "http://h/"
    assert str(normalize("http://h:80/", scheme=True)) == "http://h/"
    assert str(normalize("http://h:81/", scheme=True)) == "http://h:81/"


@requirement("rfc3986-3.2.1-should-1")
def test_passwords_are_not_shown() -> None:
    text = "ftp://user:secret@h/"
    assert "secret" not in repr(uri.parse(text))
    assert uri.mask_userinfo(text) == "ftp://user:******@h/"
    assert uri.mask_userinfo("ftp://user:@h/") == "ftp://user:@h/"


@requirement("rfc3986-3.2.1-may-2", "rfc3986-7.5-should-1", "rfc3986-7.5-should-2")
def test_a_password_is_an_error() -> None:
    (result,) = security("ftp://user:secret@h/")
    assert (result.code, result.severity) == ("password", Severity.ERROR)
    assert codes("ftp://user:@h/") == []


@requirement("rfc3986-3.2.2-should-2")
def test_an_address_is_not_a_name() -> None:
    kinds = {"1.2.3.4": HostKind.IPV4ADDRESS, "1.2.3.256": HostKind.REG_NAME, "1.2.3.4.5": HostKind.REG_NAME}
    assert {host: uri.parse(f"//{host}").host_kind for host in kinds} == kinds


@requirement("rfc3986-3.2.2-must-1", "rfc3986-3.2.2-should-4")
def test_version_flags_are_not_understood() -> None:
    (result,) = security("http://[v6.fe80::1]/")
    assert result.severity is Severity.ERROR
    assert result.code == "ipvfuture"
    assert str(build(host="[::1]")) == "//[::1]"


@requirement("rfc3986-3.2.2-should-7")
def test_long_names_are_reported() -> None:
    assert codes("//" + "a" * 255) == []
    assert codes("//" + "a" * 256) == ["host-too-long"]


@requirement("rfc3986-3.2.2-must-2", "rfc3986-3.2.2-must-3")
def test_names_are_encoded_as_utf_8() -> None:
    assert build(host="é.example", encode=True).host == "%C3%A9.example"


@requirement("rfc3986-3.2.2-must-4", "rfc3986-3.2.2-should-8")
@pytest.mark.parametrize(
    ("host", "expected"),
    [("%E9", ["host-not-utf8"]), ("%61", ["host-needless-encoding"]), ("%C3%A9", ["host-not-idna"])],
)
def test_encodings_in_hosts(host: str, expected: list[str]) -> None:
    assert codes(f"//{host}") == expected


@requirement("rfc3986-3.2.3-may-1", "rfc3986-6.2.3-may-1")
def test_schemes_have_default_ports() -> None:
    schemes = {**uri.SCHEMES, "foo": uri.Scheme("7")}
    assert equivalent("foo://h:7", "foo://h", schemes=schemes)
    assert not equivalent("foo://h:7", "foo://h")


@requirement("rfc3986-3.3-may-2", "rfc3986-5.2.1-may-2")
def test_undefined_is_not_empty() -> None:
    u = uri.parse("")
    assert (u.scheme, u.authority, u.path, u.query, u.fragment) == (None, None, "", None, None)
    u = uri.parse("//?#")
    assert (u.scheme, u.authority, u.path, u.query, u.fragment) == (None, "", "", "", "")


@requirement("rfc3986-3.4-may-2")
def test_a_query_of_the_base_is_no_path() -> None:
    assert str(resolve("http://h/a/b?c/d/e", "f")) == "http://h/a/f"


@requirement("rfc3986-3.5-may-3", "rfc3986-3.5-may-4")
def test_fragments_are_kept_and_play_no_part_in_a_base() -> None:
    assert uri.parse("a:b#c/d?e").fragment == "c/d?e"
    assert str(resolve("http://h/a/b#c/d/e", "f")) == "http://h/a/f"


# Sections 4 and 5: references and their resolution


@requirement("rfc3986-4.1-should-1")
def test_any_text_can_be_split() -> None:
    assert uri.split("a b://|?[#^") == ("a b", "|", "", "[", "^")


@requirement("rfc3986-4.2-must-1")
def test_a_colon_in_the_first_segment() -> None:
    reference = uri.relativize("http://h/a/b", "http://h/a/this:that")
    assert str(resolve("http://h/a/b", reference)) == "http://h/a/this:that"
    assert reference.scheme is None
    with pytest.raises(Rejected):
        build(path="this:that")
    assert str(build(path="./this:that")) == "./this:that"


@requirement("rfc3986-4.5-should-1")
def test_a_suffix_is_no_uri() -> None:
    assert not uri.is_valid("www.w3.org/Addressing/")
    assert uri.parse("www.w3.org/Addressing/").authority is None
    assert list(uri.scan("www.w3.org/Addressing/")) == []


@requirement("rfc3986-5.1-must-1", "rfc3986-5.1-must-2")
@pytest.mark.parametrize("base", ["", "a/b", "//h/a", "#a"])
def test_a_base_is_absolute(base: str) -> None:
    with raises(ValueError, "base-relative"):
        resolve(base, "b")


@requirement("rfc3986-5.1-must-3")
def test_a_base_loses_its_fragment() -> None:
    base = resolve("http://h/a/b#c", "d#e")
    assert str(resolve(base, "")) == "http://h/a/d"


@requirement("rfc3986-5.2-may-1", "rfc3986-5.4.2-should-1", "rfc3986-5.4.2-must-1", "rfc3986-5.4.2-must-2")
@pytest.mark.parametrize(("text", "target"), examples("rfc3986", "target"))
def test_examples_of_section_5_4(text: str, target: str) -> None:
    assert str(resolve(BASE, text)) == target


@requirement("rfc3986-5.2.1-may-1")
def test_a_base_of_a_scheme_alone() -> None:
    assert str(resolve("a:", "b?c")) == "a:b?c"


@requirement("rfc3986-5.2.1-must-1")
def test_a_relative_reference_keeps_its_dots_until_it_is_resolved() -> None:
    assert str(normalize("../a/./b")) == "../a/./b"
    assert str(normalize(resolve("http://h/c/d/e", "../a/./b"))) == "http://h/c/a/b"


@requirement("rfc3986-5.2.2-may-1", "rfc3986-5.4.2-should-2")
def test_the_bases_scheme_can_be_ignored() -> None:
    assert str(resolve(BASE, "http:g")) == "http:g"
    assert str(resolve(BASE, "http:g", strict=False)) == "http://a/b/c/g"


@requirement("rfc3986-5.2.4-may-1")
def test_dot_segments_are_removed_as_with_two_buffers() -> None:
    paths = [""]
    for _ in range(6):
        paths += [path + part for path in paths if len(path) < 9 for part in ("/", ".", "a")]
        paths = list(dict.fromkeys(paths))
    assert len(paths) > 1000
    for path in paths:
        assert uri.remove_dot_segments(path) == literal.remove_dot_segments(path)


# Section 6: normalization and comparison


@requirement("rfc3986-6.1-should-2", "rfc3986-6.1-should-3")
def test_references_are_resolved_before_they_are_compared() -> None:
    assert equivalent("b", "../c/b", base="http://h/c/d")
    assert not equivalent("b", "../c/b", base="http://h/d/d")
    assert equivalent("b", "b").same_base


@requirement("rfc3986-6.1-should-4")
def test_fragments_can_be_left_out() -> None:
    assert not equivalent("a:b#c", "a:b#d")
    assert equivalent("a:b#c", "a:b#d", fragment=False)


@requirement("rfc3986-6.2.1-should-2", "rfc3986-6-may-1", "rfc3986-6.2.2-may-1")
def test_the_ladder() -> None:
    assert equivalent("a:b", "a:b", "string")
    assert not equivalent("A:b", "a:b", "string")
    assert equivalent("A:b", "a:b", "syntax").step == "case"


@requirement("rfc3986-6.2.2.3-should-1")
def test_dot_segments_are_removed() -> None:
    assert str(normalize("http://h/a/./b/../c")) == "http://h/a/c"


@requirement("rfc3986-6.2.3-should-1")
def test_an_empty_path_behind_an_authority() -> None:
    assert str(normalize("http://h", scheme=True)) == "http://h/"
    assert str(normalize("http://h?a", scheme=True)) == "http://h/?a"


@requirement("rfc3986-6.2.3-should-3", "rfc3986-6.2.3-should-4")
def test_a_default_authority() -> None:
    assert str(normalize("file://localhost/a", scheme=True)) == "file:///a"
    assert str(normalize("file://user@localhost/a", scheme=True)) == "file://user@localhost/a"
    assert str(normalize("file://localhost:1/a", scheme=True)) == "file://localhost:1/a"


@requirement("rfc3986-6.2.3-should-5")
@pytest.mark.parametrize("text", ["http://example.com/?", "http://example.com/#", "http://@example.com/"])
def test_empty_components_stay(text: str) -> None:
    assert str(normalize(text, scheme=True)) == text


# Section 7: security


@requirement("rfc3986-7.2-should-1", "rfc3986-7.2-should-2")
def test_well_known_ports() -> None:
    assert codes("http://h:25/") == ["well-known-port"]
    assert security("http://h:25/", {"http": (25, 80)}) == []


@requirement("rfc3986-7.2-must-1")
def test_line_ends_are_not_decoded() -> None:
    text = "telnet://h/%0D%0A"
    assert codes(text) == ["encoded-line-break"]
    assert str(normalize(text, scheme=True)) == text
    assert str(resolve("telnet://h/a", "%0D%0A")) == text


@requirement("rfc3986-7.3-should-1", "rfc3986-7.4-should-1", "rfc3986-3.2.2-may-5")
def test_addresses_are_numbers() -> None:
    for host in ("0x7f.1", "017700000001", "2130706433", "127.1", "%31%32%37.0.1"):
        addresses = [finding.address for finding in security(f"//{host}/") if finding.address]
        assert addresses == ["127.0.0.1"]


@requirement("rfc3986-7.3-may-1", "rfc3986-7.3-should-2")
def test_nul_is_an_error() -> None:
    (result,) = security("a:b?%00")
    assert (result.code, result.severity) == ("encoded-nul", Severity.ERROR)


@requirement("rfc3986-7.3-should-3")
def test_what_file_systems_take_for_a_delimiter() -> None:
    assert codes("file:///a%2F..%5Cb/%2e%2e/c") == ["encoded-delimiter", "encoded-dot-segment"]
