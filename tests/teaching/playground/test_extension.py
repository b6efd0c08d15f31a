"""The page runs the C extension as WebAssembly, or pure Python if it cannot be loaded."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from abnforge.teaching.playground.building import build, python_archive
from tests.places import DATA
from tests.teaching.playground.calls import wheel_with
from tests.teaching.playground.visits import IN_BROWSERS, PATIENCE, Visit, expect, pane, served, verdict
from tools import pyodide_wheel

pytestmark = IN_BROWSERS
TRAP = "void *PyInit_binding(void) { __builtin_trap(); }"
NODE = """\
import { loadPyodide } from %s;
import fs from "node:fs";
const [archive, cases, results] = process.argv.slice(2);
const python = await loadPyodide();
python.unpackArchive(new Uint8Array(fs.readFileSync(archive)), "zip", { extractDir: "/lib/playground" });
python.runPython("import sys; sys.path.insert(0, '/lib/playground')");
python.globals.set("cases", fs.readFileSync(cases, "utf-8"));
fs.writeFileSync(results, python.runPython(%s));
"""


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("ziglang")
    return pyodide_wheel.build(tmp_path_factory.mktemp("wheel"))


@contextmanager
def opened(browser: Any, node_modules: Path, wheel: Path) -> Iterator[Visit]:
    """Open the first example of a playground with the C extension of a wheel."""
    folder = wheel.with_name("site")
    with served(build(folder, modules=node_modules, wheel=wheel).folder) as address:
        context = browser.new_context(viewport={"width": 390, "height": 800})
        visit = Visit(context, address)
        verdict(visit.go(), "(offset 2)")
        yield visit
        context.close()


def test_the_page_runs_the_extension_and_says_so(browser: Any, node_modules: Path, wheel: Path) -> None:
    with opened(browser, node_modules, wheel) as visit:
        expect(visit.page.locator("#implementation")).to_contain_text("(C extension)", timeout=PATIENCE)
        visit.page.select_option("#menu", "uri")
        verdict(visit.page, "valid", rule="URI")
        for name in ("tree", "diagram", "rule", "why"):
            expect(pane(visit.page, name)).not_to_be_empty(timeout=PATIENCE)
        visit.page.fill("#string", "http://example.com/a b")
        verdict(visit.page, "(offset 20)")
        visit.check()


def test_without_a_wheel_the_page_says_so(page: Any) -> None:
    expect(page.locator("#implementation")).to_contain_text("(pure Python)", timeout=PATIENCE)


def trap(folder: Path) -> bytes:
    """Return a C extension that stops Python while it is loaded."""
    pytest.importorskip("ziglang")
    source, binary = folder / "trap.c", folder / "trap.o"
    source.write_text(TRAP)
    zig = [sys.executable, "-m", "ziglang"]
    compiler = ["clang", "--target=wasm32-emscripten", "-fPIC", "-c", str(source), "-o", str(binary)]
    linker = ["wasm-ld", "-shared", "--experimental-pic", "--export=PyInit_binding", str(binary)]
    subprocess.run([*zig, *compiler], check=True)
    subprocess.run([*zig, *linker, "-o", str(folder / "trap.so")], check=True)
    return (folder / "trap.so").read_bytes()


@pytest.mark.parametrize("extension", [None, b"", b"\0asm\1\0\0\0"], ids=["trap", "empty", "other"])
def test_an_extension_that_cannot_be_loaded(
    extension: bytes | None, browser: Any, node_modules: Path, tmp_path: Path
) -> None:
    wheel = wheel_with(trap(tmp_path) if extension is None else extension, tmp_path)
    with opened(browser, node_modules, wheel) as visit:
        expect(visit.page.locator("#implementation")).to_contain_text(
            "cannot load the C extension", timeout=PATIENCE
        )
        visit.page.fill("#string", "1234")
        verdict(visit.page, "✓ valid")
        assert visit.elsewhere == []
        assert bool(visit.said) == (extension is None)  # Pyodide reports its end


def results(cases: list[list[str]]) -> list[object]:
    """Return the implementation, and the verdict and the explanation of each string by its rule."""
    import abnforge

    rules = {name: abnforge.rule(name) for name in dict(cases)}
    found = []
    for name, string in cases:
        rejection = rules[name].explain(string)
        found.append([rules[name].matches(string), rejection and rejection.to_dict()])
    return [abnforge.KERNEL, found]


def test_results_are_the_same(node_modules: Path, wheel: Path, tmp_path: Path) -> None:
    cases = [
        [f"{grammar}:{case['rule']}", case["input"]]
        for grammar, kind in (("rfc3986", "uris"), ("rfc3339", "dates"), ("rfc5321", "addresses"))
        for case in map(json.loads, DATA.joinpath(f"wild_{kind}.jsonl").read_text("utf-8").splitlines())
    ]
    code = f"import json\n{inspect.getsource(results)}\njson.dumps(results(json.loads(cases)))"
    module = (node_modules / "pyodide" / "pyodide.mjs").as_uri()
    files = [tmp_path / name for name in ("run.mjs", "python.zip", "cases.json", "results.json")]
    files[0].write_text(NODE % (json.dumps(module), json.dumps(code)), "utf-8")
    files[1].write_bytes(python_archive(wheel))
    files[2].write_text(json.dumps(cases), "utf-8")
    subprocess.run(["node", *map(str, files)], check=True)
    kernel, found = json.loads(files[3].read_text("utf-8"))
    assert kernel == "compiled"
    assert len(found) > 1_000
    assert found == json.loads(json.dumps(results(cases)[1]))
