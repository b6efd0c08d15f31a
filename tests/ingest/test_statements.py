"""N-Triples and N-Quads as sources: their columns, positions and verdicts."""

from __future__ import annotations

import gzip
import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from abnforge import ingest
from abnforge.ingest.messages import JobError
from tests.law import each_row

S, P, X = "<http://a/s>", "<http://a/p>", "<http://a/o>"
RULE = "rfc3987:IRI"


def split(
    folder: Path, data: bytes | str, name: str = "a.nq", **options: Any
) -> tuple[bytes, list[dict[str, Any]]]:
    """Return the bytes of valid rows and the rejects of a job with one source."""
    data = data.encode() if isinstance(data, str) else data
    source, rejects = folder / name, folder / "rejects.jsonl"
    is_packed = name.endswith(".gz")
    source.write_bytes(gzip.compress(data) if is_packed else data)
    valid = folder / f"valid-{name}"
    ingest.split(source, options.pop("columns", {"subject": RULE}), valid, rejects, **options)
    written = gzip.decompress(valid.read_bytes()) if is_packed else valid.read_bytes()
    return written, [json.loads(line) for line in rejects.read_text().split("\n")[:-1]]


# line, its terms
TERMS: list[tuple[str, dict[str, str]]] = [
    (f"{S} {P} {X} .", {"subject": "http://a/s", "predicate": "http://a/p", "object": "http://a/o"}),
    (f"{S}{P}{X}<http://a/g>.", {"object": "http://a/o", "graph": "http://a/g"}),
    (f"\t_:s {P} _:o _:g . # x", {"blank_subject": "_:s", "blank_object": "_:o", "blank_graph": "_:g"}),
    (f'{S} {P} "" .', {"literal": ""}),
    (f'{S} {P} "x"@en-GB {X} .', {"literal": "x", "language": "en-GB", "graph": "http://a/o"}),
    (f'{S} {P} "<#_:\\"" ^^ {X} _:g.', {"literal": '<#_:"', "datatype": "http://a/o", "blank_graph": "_:g"}),
    (f'{S} {P} "\\t\\b\\n\\r\\f\\"\\\'\\\\u" .', {"literal": "\t\b\n\r\f\"'\\u"}),
    (f'<http://a/\\u00e9\\U0001F600> {P} "\\\\u0041" .', {"subject": "http://a/é😀", "literal": "\\u0041"}),
    (f'{S} {P} "é\u2028" .', {"literal": "é\u2028"}),
]


@each_row("line, terms", TERMS)
def test_terms_are_columns(tmp_path: Path, line: str, terms: dict[str, str]) -> None:
    _, [reject] = split(tmp_path, line, columns={"predicate": "rfc3987:irelative-ref"})
    columns = {key: value for key, value in reject.items() if not key.startswith("_")}
    assert terms.items() <= columns.items()
    given = {key for key, value in columns.items() if value is not None}
    assert given - set(terms) <= {"subject", "predicate"}
    assert list(columns) == [
        *("subject", "predicate", "object", "graph", "blank_subject", "blank_object", "blank_graph"),
        *("literal", "language", "datatype"),
    ]


# document, valid lines, and for each reject its column, line, byte offset of the line, and offset
DOCUMENTS: list[tuple[str, list[int], list[tuple[str, int, int, int]]]] = [
    (f"# c\n{S} {P} {X} .\r\n\n \t\r\n{S} {P} _:o .\n", [1, 4], []),
    (f"{S} {P} {X} . # {S}\n#{S}\n{S} {P} .", [0], [("_row", 3, 70, 26)]),
    (f"é {S}\n<s> {P} {X} .\n<http://a/é> {P} {X} .", [2], [("_row", 1, 0, 0), ("subject", 2, 16, 1)]),
    (f"# c\r{S} {P} {X} .\n", [], [("_row", 1, 0, 3)]),  # CR alone does not end a line
    (f"{S} {P} {X} <g> .", [], [("graph", 1, 0, 1)]),
    (f'{S} {P} "x"^^<d> .', [], [("datatype", 1, 0, 1)]),
    (f'{S} {P} "\\uD800" .', [], [("_row", 1, 0, 30)]),
    ("", [], []),
    ("# only a comment", [], []),
]


@each_row("document, valid, rejected", DOCUMENTS)
@pytest.mark.parametrize("name", ["a.nq", "a.nq.gz"])
def test_lines_are_kept_or_rejected(
    tmp_path: Path, name: str, document: str, valid: list[int], rejected: list[tuple[str, int, int, int]]
) -> None:
    columns = dict.fromkeys(("subject", "object", "graph", "datatype"), RULE)
    written, rejects = split(tmp_path, document, name, columns=columns)
    lines = document.encode().splitlines(keepends=True) if "\r<" not in document else []
    assert written == b"".join(lines[at] for at in valid)
    found = [
        (error["column"], each["_source"]["line"], each["_source"]["byte_offset"], error["offset"])
        for each in rejects
        for error in each["_errors"]
    ]
    assert found == rejected


def test_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    bad = f'{S} {P} "'.encode() + b'\xff" .\n'
    written, [reject] = split(tmp_path, b"# \xff\n" + bad + f"{S} {P} {X} .\n".encode())
    assert written == f"{S} {P} {X} .\n".encode()
    assert [error["code"] for error in reject["_errors"]] == ["not-utf-8"]


def test_triples_have_no_graph(tmp_path: Path) -> None:
    _, [reject] = split(tmp_path, f"{S} {P} {X} {X} .", "a.nt")
    assert reject["_errors"][0]["column"] == "_row"
    with pytest.raises(JobError) as error:
        split(tmp_path, "", "b.nt", columns={"graph": RULE})
    assert error.value.code == "column-unknown"


def test_other_outputs(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    (tmp_path / "a.nq").write_text(f'{S} {P} "é\\n"@en .\n_:b {P} {X} {X} .\n<s> {P} 1 .\n')
    paths = [tmp_path / "valid.parquet", tmp_path / "rejects.parquet"]
    ingest.split(tmp_path / "a.nq", {"subject": RULE}, *paths, id="predicate")
    rows = pq.read_table(paths[0]).to_pylist()
    assert [row["literal"] for row in rows] == ["é\n", None]
    assert [row["blank_subject"] for row in rows] == [None, "_:b"]
    [reject] = pq.read_table(paths[1]).to_pylist()
    assert (reject["_row"], reject["_source"]["id"]) == (f"<s> {P} 1 .", None)


# option, code
MISUSES: list[tuple[dict[str, Any], str]] = [
    ({"on_error": "keep", "rejects": None}, "lines-without-flag"),
    ({"id": "x"}, "column-unknown"),
    ({"valid": "b.csv", "input_format": "lines"}, "format-of-accepted"),
]


@each_row("options, code", MISUSES)
def test_misuse(tmp_path: Path, options: dict[str, Any], code: str) -> None:
    source = tmp_path / "a.nt"
    source.write_text("")
    outputs: dict[str, Any] = {"valid": tmp_path / "v.nt", "rejects": tmp_path / "r.jsonl", **options}
    if isinstance(outputs["valid"], str):
        source, outputs = tmp_path / "a.nt", {**outputs, "valid": tmp_path / "v.nt", "input_format": "csv"}
        source.write_text("subject\n")
    with pytest.raises(JobError) as error:
        ingest.split(source, {"subject": RULE}, **outputs)
    assert error.value.code == code


PIECES = (
    *(
        S,
        P,
        X,
        "_:b",
        "_:b.",
        "_:b.c",
        '"x"',
        '"\\n"',
        '"\\u00e9"',
        "@en",
        "@en-1",
        "^^",
        " ",
        "  ",
        "\t",
        ".",
    ),
    *(
        "#",
        "# c",
        "<s>",
        "<>",
        "<http://a/\\u00e9>",
        "<http://a/ >",
        '"',
        "\\",
        "é",
        "<http://é/>",
        "@",
        "'x'",
    ),
)

# RDF 1.1 allows colons in labels; Oxigraph follows RDF 1.2, which does not.
COLON = re.compile(r'_:[^ \t<"]*:')


@pytest.mark.slow
@pytest.mark.parametrize("form", ["nt", "nq"])
def test_verdicts_equal_those_of_oxigraph(tmp_path: Path, form: str) -> None:
    oxigraph = pytest.importorskip("pyoxigraph")
    format = oxigraph.RdfFormat.N_QUADS if form == "nq" else oxigraph.RdfFormat.N_TRIPLES
    choice = random.Random(form)
    lines = []
    for _ in range(20_000):
        pieces = [S, " ", P, " ", choice.choice((X, "_:o", '"x"', '"x"@en', f'"x"^^{X}')), " "]
        pieces += [choice.choice((X, "_:g")), " "] if choice.random() < 0.4 else []
        pieces += ["."]
        for _ in range(choice.randrange(4)):
            at = choice.randrange(len(pieces))
            pieces[at : at + choice.randrange(2)] = [choice.choice(PIECES)]
        line = "".join(pieces)
        if not COLON.search(line):
            lines.append(line)
    iris = ("subject", "predicate", "object", "datatype", *(["graph"] if form == "nq" else ()))
    # Oxigraph also requires that language tags are those of RFC 5646.
    rules = {**dict.fromkeys(iris, RULE), "language": "rfc5646:Language-Tag"}
    _, rejects = split(tmp_path, "\n".join(lines), f"a.{form}", columns=rules)
    rejected = {each["_source"]["line"] - 1 for each in rejects}

    def matches(line: str) -> bool:
        try:
            return len(list(oxigraph.parse(line, format=format))) < 2
        except SyntaxError:
            return False

    different = [line for at, line in enumerate(lines) if matches(line) != (at not in rejected)]
    assert different == []
