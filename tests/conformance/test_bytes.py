"""Implementations of grammars of bytes get bytes."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable

import pytest

import abnforge
from abnforge import conformance
from abnforge.conformance.judges import ByteJudge, FunctionJudge
from abnforge.conformance.programs import Command, Process
from abnforge.conformance.running import read_known, triage, written
from abnforge.conformance.vectors import lines, recorded
from tests.law import each_row
from tests.raising import raises

GRAMMAR = abnforge.loads(
    ';@ alphabet bytes\nframe = "#" 1*OCTET\nname = 1*( ALPHA / %xE9 ) [ "-" name ]\n'
    "nest = %x81 [ nest ] %x82\n"
)
NAME = re.compile(rb"[A-Za-z\xe9]+(?:-[A-Za-z\xe9]+)*")


def nest(octets: bytes) -> bool:
    return octets == b"\x81" * (len(octets) // 2) + b"\x82" * (len(octets) // 2) != b""


RIGHT = [
    ("frame", lambda octets: octets[:1] == b"#" and len(octets) > 1),
    ("name", NAME),
    ("name", lambda octets: NAME.fullmatch(octets) is not None),
    ("nest", nest),
]


@each_row("rule, judge", RIGHT)
def test_right_implementations(rule: str, judge: Callable[[bytes], bool]) -> None:
    assert conformance.run(GRAMMAR[rule], judge, "quick").passed
    assert conformance.run(GRAMMAR[rule], judge).passed


def test_wrong_implementations(tmp_path) -> None:
    rule = GRAMMAR["name"]
    report = conformance.run(rule, re.compile(NAME.pattern.replace(rb"\xe9", rb"\xe8")))
    assert {each.text for each in report.wrongly_rejected} == {"\xe9"}
    assert {each.text for each in report.wrongly_accepted} == {"\xe8"}
    assert bytes(report.wrongly_accepted[0].text) == b"\xe8"
    path = tmp_path / "known.toml"
    path.write_text("".join(written(rule, report.deviations, "a typo")))
    judge = FunctionJudge(re.compile(NAME.pattern).fullmatch)
    known = read_known(path)
    assert [bytes(each.text) for each in known] == [bytes(each.text) for each in report.deviations]
    assert triage(report, judge, known).vanished == tuple(known)


def test_every_string_of_a_suite_is_bytes() -> None:
    for rule in GRAMMAR.own_rules:
        for vectors in (conformance.suite(rule), conformance.sentences(rule), conformance.near_misses(rule)):
            for each in vectors:
                assert rule.matches(bytes(each.text)) is each.valid


def test_files_of_vectors() -> None:
    rule = GRAMMAR["name"]
    vectors = list(conformance.suite(rule, "quick"))
    read = list(recorded(lines(rule, vectors)))
    assert [(bytes(each.text), each.valid) for each in read] == [(bytes(v.text), v.valid) for v in vectors]


PROGRAM = """
import base64, json, re, sys
for line in sys.stdin:
    case = json.loads(line)
    octets = base64.b64decode(case["base64"])
    valid = re.fullmatch(rb"[A-Za-z\\xe9]+(?:-[A-Za-z\\xe9]+)*", octets) is not None
    print(json.dumps({"id": case["id"], "valid": valid}), flush=True)
"""


def test_a_program_gets_base64(tmp_path) -> None:
    path = tmp_path / "judge.py"
    path.write_text(PROGRAM)
    with Process([sys.executable, str(path)]) as judge:
        assert conformance.run(GRAMMAR["name"], judge, "quick").passed


def test_a_command_gets_bytes() -> None:
    for stdin, source in ((False, "os.fsencode(sys.argv[1])"), (True, "sys.stdin.buffer.read()")):
        code = f"import os, sys; sys.exit({source} != bytes([233, 45, 255]))"
        judge = ByteJudge(Command([sys.executable, "-c", code], stdin=stdin))
        answers = judge.answers(["\xe9-\xff", "\xe9-", "\u0100"])
        assert [answer and answer.yes for answer in answers] == [True, False, False]


def test_a_pattern_of_str_is_not_of_bytes() -> None:
    with raises(TypeError, "argument-type"):
        conformance.run(GRAMMAR["name"], re.compile("a"))


def test_learn_bytes() -> None:
    pytest.importorskip("aalpy")
    learnt = conformance.learn(
        lambda octets: octets[:1] == b"#" and len(octets) > 1, GRAMMAR["frame"], "quick"
    )
    assert learnt.comparison.relation == "equal"
