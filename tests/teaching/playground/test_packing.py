"""What is packed for browsers is enough, and runs without anything else that is installed here."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from abnforge.grammar.shipped import bundled_names

pytest.importorskip("railroad")
from abnforge.teaching.playground import building

ALONE = """\
import json, sys
sys.path.insert(0, sys.argv[1])
from abnforge.teaching.playground.questions import ANSWERS, answer
told = {}
for each in json.loads(answer('{"ask": "menu"}'))["answer"]:
    for ask in ANSWERS:
        question = {"ask": ask, "text": each["grammar"], "rule": each["rule"], "string": each["string"],
                    "other_rule": each["rule"], "exercise": "pin", "name": "renamed"}
        told[each["id"] + " " + ask] = answer(json.dumps(question))
imported = ";@ import rfc3986 : IPv6address\\na = IPv6address\\n"
told["imported"] = answer(json.dumps({"ask": "string", "text": imported, "rule": "a", "string": "::1"}))
print(json.dumps({"told": told, "modules": sorted({name.partition(".")[0] for name in sys.modules})}))
"""


@pytest.fixture(scope="module")
def archive() -> bytes:
    return building.python_archive()


@pytest.mark.slow
def test_it_answers_alone_what_is_answered_here(archive: bytes, tmp_path: Path) -> None:
    zipfile.ZipFile(io.BytesIO(archive)).extractall(tmp_path)
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", ALONE, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert not {"click", "abnf", "pygls", "numpy"} & set(found["modules"])
    from abnforge.teaching.playground.questions import answer

    for name, told in found["told"].items():
        assert list(json.loads(told)) in (["answer"], ["error"])
        if name.endswith((" grammar", " examples", " string", " diagram")) and not name.startswith("empty"):
            assert "answer" in json.loads(told), (name, told)
    assert json.loads(found["told"]["imported"])["answer"]["valid"]
    assert found["told"]["uri menu"] == answer('{"ask": "menu"}')


def test_it_has_what_grammars_can_import_and_nothing_of_the_command(archive: bytes) -> None:
    names = zipfile.ZipFile(io.BytesIO(archive)).namelist()
    assert {f"abnforge/_data/{name}.abnf" for name in bundled_names()} <= set(names)
    assert not [
        name for name in names if name.startswith(("abnforge/cli", "abnforge/ingest", "abnforge/columns"))
    ]
    assert not [name for name in names if name.endswith((".c", ".so", ".pyc", ".js", ".sets"))]


def test_it_is_the_same_each_time(archive: bytes) -> None:
    assert building.python_archive() == archive


def test_licences_are_told() -> None:
    found = dict(building.licenses())
    assert [name.partition(" ")[0] for name in found] == list(building.LIBRARIES)
    assert all(
        "Permission is hereby granted" in text or "creativecommons" in text.lower() for text in found.values()
    )


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "LIBRARIES", ("no-such-library",))
    with pytest.raises(ModuleNotFoundError) as caught:
        building.python_archive()
    assert caught.value.msg.code == "library-missing"
