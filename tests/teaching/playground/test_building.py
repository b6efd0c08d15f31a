"""The playground's directory is complete, pinned and small, and is published as a whole."""

from __future__ import annotations

import ast
import gzip
import hashlib
import html
import io
import json
import re
import subprocess
import sys
import zipfile
from importlib.resources import files
from pathlib import Path

import pytest

from abnforge import __version__
from abnforge.grammar.shipped import bundled_names
from abnforge.teaching.playground import building
from abnforge.teaching.playground.building import (
    MARK,
    NPM,
    PLATFORM,
    POLICY,
    PYODIDE,
    BuildError,
    build,
    refuse,
)
from abnforge.teaching.playground.loaded import examples
from tests.law import each_row
from tests.raising import raises
from tests.teaching.playground.calls import wheel_with

pytest.importorskip("railroad")

WEB = files("abnforge.teaching.playground").joinpath("web")
LOCK = json.loads(WEB.joinpath("package-lock.json").read_text("utf-8"))
BUNDLER = """\
const fs = require("fs");
const out = process.argv.find((each) => each.startsWith("--outfile=")).slice(10);
fs.writeFileSync(out, "// bundled");
"""


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a directory of empty packages with pinned versions."""
    folder = tmp_path / "node_modules"
    (folder / "pyodide").mkdir(parents=True)
    sums = {}
    for name in PYODIDE:
        octets = name.encode() * 100
        if name.endswith(".zip"):
            buffer = io.BytesIO()
            with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
                for each in ("typing.py", "pdb.py", "unittest/mock.py", "email/__init__.py"):
                    archive.writestr(zipfile.ZipInfo(each), each)
            octets = buffer.getvalue()
        (folder / "pyodide" / name).write_bytes(octets)
        sums[name] = hashlib.sha256(octets).hexdigest()
    monkeypatch.setattr(building, "PYODIDE", sums)
    (folder / "pyodide" / "package.json").write_text(
        '{"name": "pyodide", "version": "1", "license": "MPL-2.0"}'
    )
    (folder / "esbuild" / "bin").mkdir(parents=True)
    (folder / "esbuild" / "bin" / "esbuild").write_text("")
    (folder / "esbuild" / "package.json").write_text('{"name": "esbuild", "version": "1"}')

    def run(command: list[str], work: Path) -> None:
        if command[0] == "node":  # compresses files, or bundles modules
            for name in command[3:]:
                (work / f"{name}.br").write_bytes(b"brotli")
        for each in command:
            if each.startswith("--outfile="):
                Path(each.removeprefix("--outfile=")).write_text("// bundled")

    monkeypatch.setattr(building, "_run", run)
    return folder


def test_the_directory_is_complete(modules: Path, tmp_path: Path) -> None:
    result = build(tmp_path / "site", modules=modules)
    names = {
        path.relative_to(result.folder).as_posix() for path in result.folder.rglob("*") if path.is_file()
    }
    plain = {name for name in names if not name.endswith((".br", ".gz"))}
    assert plain == set(result.files)
    assert plain == {
        *("index.html", "style.css", "pictures.css", "app.js", "worker.js", "python.zip", "licenses.txt"),
        *("service.js", "_headers", MARK, *(f"pyodide/{name}" for name in PYODIDE)),
    }
    assert result.size == sum((result.folder / name).stat().st_size for name in plain)
    for name in names - plain:
        original = (result.folder / name).with_suffix("").read_bytes()
        assert name.endswith(".br") or gzip.decompress((result.folder / name).read_bytes()) == original
    for suffix in (".br", ".gz"):
        assert {"index.html", "python.zip", "worker.js"} <= {each.removesuffix(suffix) for each in names}
    data = json.loads((result.folder / MARK).read_text("utf-8"))
    for name, expected in data["files"].items():
        assert hashlib.sha256((result.folder / name).read_bytes()).hexdigest() == expected
    licenses = (result.folder / "licenses.txt").read_text("utf-8")
    assert "== pyodide 1\n\nMPL-2.0" in licenses
    assert "== lark" in licenses
    assert "esbuild" not in licenses
    assert f"  Content-Security-Policy: {POLICY}\n" in (result.folder / "_headers").read_text("utf-8")


def test_the_page_has_the_first_example_before_its_scripts(modules: Path, tmp_path: Path) -> None:
    page = (build(tmp_path / "site", modules=modules).folder / "index.html").read_text("utf-8")
    [first, *_] = examples()
    assert html.escape(first["grammar"]) in page
    assert f">{html.escape(first['string'])}</textarea>" in page


def test_addresses_change_with_the_files(
    modules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page of one build never uses the stored files of another build."""

    def addresses(name: str) -> dict[str, str]:
        folder = build(tmp_path / name, modules=modules).folder
        service = (folder / "service.js").read_text("utf-8")
        for each in re.findall(r'(?:href|src)="([^"]*\?[^"]*)"', (folder / "index.html").read_text("utf-8")):
            assert f'"{each}"' in service
        listed = json.loads(re.findall(r"FILES = (.*);", service)[0])
        for each in listed:
            assert each == "./" or (folder / each.partition("?")[0]).is_file(), each
        return {each.partition("?")[0]: each for each in listed}

    first = addresses("a")
    monkeypatch.setattr(building, "python_archive", lambda *sources: b"changed")
    second = addresses("b")
    assert {name for name in first if first[name] != second[name]} == {"worker.js", "python.zip"}


def test_the_standard_library_has_no_unused_modules(modules: Path, tmp_path: Path) -> None:
    folder = build(tmp_path / "site", modules=modules).folder
    names = zipfile.ZipFile(folder / "pyodide" / "python_stdlib.zip").namelist()
    assert names == ["email/__init__.py", "typing.py"]


def test_the_same_is_built_each_time(modules: Path, tmp_path: Path) -> None:
    first, second = (build(tmp_path / name, modules=modules) for name in ("a", "b"))
    assert first.files == second.files
    assert (first.folder / MARK).read_bytes() == (second.folder / MARK).read_bytes()


def test_a_playground_is_replaced_and_nothing_else(modules: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    build(site, modules=modules)
    (site / "index.html").write_text("old")
    build(site, modules=modules)
    assert (site / "index.html").read_text() != "old"
    (site / "thesis.txt").write_text("mine")
    (site / "within").mkdir()
    (site / "within" / "more.txt").write_text("mine")
    with raises(BuildError, "directory-foreign-file", file="thesis.txt"):
        build(site, modules=modules)
    assert (site / "thesis.txt").read_text() == "mine"
    (site / "thesis.txt").unlink()
    (site / "within" / "more.txt").unlink()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".site")] == []
    (site / MARK).unlink()
    with raises(BuildError, "directory-not-empty", directory=site):
        build(site, modules=modules)
    (site / MARK).write_text("{")
    with raises(BuildError, "manifest-unreadable", path=site / MARK):
        refuse(site)
    (tmp_path / "file").write_text("")
    with raises(BuildError, "directory-is-file"):
        refuse(tmp_path / "file")


def test_another_pyodide_is_rejected(modules: Path, tmp_path: Path) -> None:
    (modules / "pyodide" / "pyodide.asm.wasm").write_text("another one")
    with raises(BuildError, "module-changed", name="pyodide.asm.wasm"):
        build(tmp_path / "site", modules=modules)
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize(
    ("begins", "expected"), [(b"#!/usr/bin/env node\n", ["node"]), (b"\x7fELF", []), (b"", [])]
)
def test_a_bundler_that_its_installation_made_a_program_is_run_as_one(
    begins: bytes, expected: list[str], tmp_path: Path
) -> None:
    (tmp_path / "esbuild").write_bytes(begins)
    assert building._bundler(tmp_path / "esbuild") == [*expected, str(tmp_path / "esbuild")]


def test_a_missing_package_is_named(modules: Path, tmp_path: Path) -> None:
    (modules / "esbuild" / "bin" / "esbuild").unlink()
    with raises(BuildError, "module-missing", path=modules / "esbuild" / "bin" / "esbuild"):
        build(tmp_path / "site", modules=modules)


def test_a_missing_program_is_named(tmp_path: Path) -> None:
    with raises(BuildError, "program-missing", program="no-such-program"):
        building._run(["no-such-program"], tmp_path)


def test_the_output_of_a_failed_program_is_kept(tmp_path: Path) -> None:
    command = ["python3", "-c", "import sys; sys.exit('no network')"]
    with raises(BuildError, "program-failed", program="python3", status=1) as caught:
        building._run(command, tmp_path)
    assert caught.value.__notes__ == ["no network"]


def test_every_package_is_pinned_with_its_hash_and_names_no_registry() -> None:
    packages = {name: each for name, each in LOCK["packages"].items() if name}
    assert packages["node_modules/pyodide"]["version"] == "314.0.7"
    for name, each in packages.items():
        assert each["integrity"].startswith("sha512-"), name
        assert "resolved" not in each
    expected = json.loads(WEB.joinpath("package.json").read_text("utf-8"))
    for name, version in {**expected["dependencies"], **expected["devDependencies"]}.items():
        assert re.fullmatch(r"\d+\.\d+\.\d+", version), name
        assert packages[f"node_modules/{name}"]["version"] == version
    assert "--ignore-scripts" in NPM


def test_the_page_names_no_other_host() -> None:
    for path in [*WEB.iterdir(), *WEB.joinpath("panes").iterdir()]:
        if path.name.endswith((".js", ".html", ".css")):
            assert not re.search(r"https?://|(?:src|href)=\"//", path.read_text("utf-8")), path.name


def test_the_page_has_the_policy_of_the_server_too() -> None:
    page = WEB.joinpath("index.html").read_text("utf-8")
    [result] = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    assert result == POLICY.replace("frame-ancestors 'none'; ", "")  # a page cannot set it itself
    assert not re.search(r"\son[a-z]+=|style=", page)


def test_areas_that_scroll_are_positioned() -> None:
    """Otherwise, hidden text with ``position: absolute`` in such an area would lengthen the page."""
    style = WEB.joinpath("style.css").read_text("utf-8")
    scroll = [rule for rule in re.findall(r"[^{}]*\{[^{}]*\}", style) if re.search(r"overflow: auto", rule)]
    assert len(scroll) >= 3
    assert [rule for rule in scroll if "position: relative" not in rule] == []


def test_a_link_to_a_playground_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The target directory of the link is replaced."""

    def fill(made: Path, *sources: object) -> None:
        made.mkdir()
        (made / MARK).write_text('{"files": {}}')

    monkeypatch.setattr(building, "_fill", fill)
    target, link = tmp_path / "v1", tmp_path / "public"
    link.symlink_to("v1")
    for _ in ("new", "old"):
        build(link, modules=tmp_path)
        assert link.is_symlink()
        assert (target / MARK).is_file()
    assert {path.name for path in tmp_path.iterdir()} == {"v1", "public"}


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
    data = json.loads(done.stdout)
    assert not {"click", "abnf", "pygls", "numpy"} & set(data["modules"])
    from abnforge.teaching.playground.questions import answer

    for name, result in data["told"].items():
        assert list(json.loads(result)) in (["answer"], ["error"])
        if name.endswith((" grammar", " examples", " string", " diagram")) and not name.startswith("empty"):
            assert "answer" in json.loads(result), (name, result)
    assert json.loads(data["told"]["imported"])["answer"]["valid"]
    assert data["told"]["uri menu"] == answer('{"ask": "menu"}')


def test_it_has_what_grammars_can_import_and_nothing_of_the_command(archive: bytes) -> None:
    names = zipfile.ZipFile(io.BytesIO(archive)).namelist()
    assert {f"abnforge/_data/{name}.abnf" for name in bundled_names()} <= set(names)
    assert not [
        name for name in names if name.startswith(("abnforge/cli", "abnforge/ingest", "abnforge/columns"))
    ]
    assert not [name for name in names if name.endswith((".c", ".so", ".pyc", ".js", ".sets"))]


def test_it_imports_no_omitted_module_of_the_standard_library(archive: bytes) -> None:
    unused = tuple(building._UNUSED.split())
    archived = zipfile.ZipFile(io.BytesIO(archive))
    for name in archived.namelist():
        if name.endswith(".py") and not name.startswith(
            ("abnforge/grammar/extract/", "abnforge/teaching/playground/b")
        ):
            for node in ast.walk(ast.parse(archived.read(name))):
                modules = [each.name for each in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom) and not node.level:
                    modules = [f"{node.module}.{each.name}" for each in node.names]
                for module in modules:
                    path = module.replace(".", "/") + "/"
                    assert not any(
                        path.startswith(each.removesuffix(".py").rstrip("/") + "/") for each in unused
                    ), name


def test_it_is_the_same_each_time(archive: bytes) -> None:
    assert building.python_archive() == archive


def test_it_has_the_extension_of_a_wheel(archive: bytes, tmp_path: Path) -> None:
    result = zipfile.ZipFile(io.BytesIO(building.python_archive(wheel_with(b"extension", tmp_path))))
    others = zipfile.ZipFile(io.BytesIO(archive))
    assert set(result.namelist()) - set(others.namelist()) == {"abnforge/_native/binding.abi3.so"}
    assert result.read("abnforge/_native/binding.abi3.so") == b"extension"
    for name in others.namelist():
        assert result.read(name) == others.read(name)


def test_it_has_the_exercises_of_a_file(archive: bytes) -> None:
    own = zipfile.ZipFile(io.BytesIO(building.python_archive(exercises=b"own")))
    others = zipfile.ZipFile(io.BytesIO(archive))
    assert own.namelist() == others.namelist()
    changed = [name for name in own.namelist() if own.read(name) != others.read(name)]
    assert changed == ["abnforge/teaching/exercises.toml"]
    assert own.read(changed[0]) == b"own"


@each_row(
    "tag",
    [
        f"0.0.9-cp311-abi3-{PLATFORM}",
        f"{__version__}-cp311-abi3-pyodide_2025_0_wasm32",
        f"{__version__}-cp311-abi3-manylinux_2_28_x86_64",
        f"{__version__}-py3-none-any",
    ],
)
def test_other_wheels_are_rejected(tag: str, tmp_path: Path) -> None:
    wheel = wheel_with(b"", tmp_path, tag)
    with raises(BuildError, "wheel-unusable", wheel=wheel, platform=PLATFORM, version=__version__):
        build(tmp_path / "site", modules=tmp_path, wheel=wheel)


def test_a_wheel_is_an_archive(tmp_path: Path) -> None:
    wheel = wheel_with(b"", tmp_path)
    wheel.write_bytes(b"no archive")
    with raises(BuildError, "wheel-unusable", wheel=wheel):
        build(tmp_path / "site", modules=tmp_path, wheel=wheel)


def test_licenses_are_reported() -> None:
    results = dict(building.licenses())
    assert [name.partition(" ")[0] for name in results] == list(building.LIBRARIES)
    assert all(
        "Permission is hereby granted" in text or "creativecommons" in text.lower()
        for text in results.values()
    )


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "LIBRARIES", ("no-such-library",))
    with pytest.raises(ModuleNotFoundError) as caught:
        building.python_archive()
    assert caught.value.msg.code == "library-missing"
