"""The playground in a browser under other conditions.

The tests use only the keyboard, the size of a phone, dark mode, axe-core (as a screen reader), and grammars
and strings that exceed limits.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.teaching.playground.visits import IN_BROWSERS, PATIENCE, Visit, expect, pane, verdict, write

pytestmark = IN_BROWSERS

SUMS = 'sum = sum "+" part / part\npart = part "*" unit / unit\nunit = 1*DIGIT / "(" sum ")"\n'
HOSTILE = {
    "billion": "".join(f"a{n} = " + f"a{n + 1} " * 9 + "\n" for n in range(12)) + "a12 = DIGIT",
    "square": "".join(f"a{n} = a{n + 1} a{n + 1}\n" for n in range(60)) + "a60 = DIGIT\n",
    "itself": "a = a / a a / DIGIT\n",
}


@pytest.mark.parametrize("grammar", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_grammar_leaves_the_page_alive(grammar: str, page: Any) -> None:
    write(page, grammar, "1" * 30)
    expect(page.locator("#status")).to_have_text("Ready", timeout=PATIENCE)
    expect(page.locator("#verdict")).not_to_be_empty()
    write(page, "a = DIGIT\n", "1")
    verdict(page, "✓ valid", rule="a")


def test_the_budget_says_so(page: Any) -> None:
    write(page, "a = *1000( *1000( *1000DIGIT ) )\n", "1" * 30)
    pane(page, "rule")
    expect(page.locator("#pane-rule")).not_to_be_empty(timeout=PATIENCE)
    assert "--budget" not in page.locator("main").inner_text()


def test_what_takes_long_is_stopped(page: Any) -> None:
    write(page, 'a = "x" / a a\nb = "x" / b b b\n', "xx")
    verdict(page, "✓ valid")
    pane(page, "compare").get_by_role("button", name="Compare").click()
    page.evaluate("document.getElementById('stop').click()")
    expect(page.locator("#pane-compare .result")).not_to_contain_text("Comparing", timeout=PATIENCE)
    page.fill("#string", "x")
    verdict(page, "✓ valid")


def test_deep_strings_do_not_end_python(page: Any) -> None:
    write(page, 'a = "(" a ")" / "x"\n', "(" * 900)
    expect(page.locator("#status")).to_have_text("Ready", timeout=PATIENCE)
    page.fill("#string", "(" * 499 + "x" + ")" * 499)
    verdict(page, "✓ valid")
    expect(pane(page, "tree")).to_contain_text("nodes")
    page.fill("#string", "(" * 5_000)
    verdict(page, "2,000")
    page.fill("#string", "(x)")
    verdict(page, "✓ valid")


def test_what_ends_python_is_reported_and_the_page_goes_on(visit: Visit) -> None:
    """A browser's stack is small, and Python does not know its limit."""
    page = visit.go()
    write(page, SUMS, "(" * 900 + "1" + ")" * 900)
    expect(page.locator("#status")).to_have_text("Ready", timeout=PATIENCE)
    expect(page.locator("#verdict")).to_contain_text(re.compile("valid|restarted"))
    page.fill("#string", "1+2")
    verdict(page, "✓ valid")
    visit.said.clear()  # Pyodide reports its exit there


@pytest.mark.parametrize("width", [390, 820, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_there_is_no_barrier(width: int, scheme: str, browser: Any, site: str, node_modules: Path) -> None:
    """axe-core reports nothing in any pane, and nothing is wider than the window.

    390 px is the width of a phone, and about the width of a 1280 px window at a zoom of 330 %.
    """
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    visit = Visit(context, site)
    page = visit.go()
    axe = (node_modules / "axe-core" / "axe.min.js").read_text("utf-8")
    page.evaluate(axe)
    page.select_option("#menu", "sums")
    pane(page, "strings")
    page.fill("#lines", "+ 1\n- 2\n(3")
    everything = (
        "tree",
        "derivation",
        "diagram",
        "rule",
        "constructions",
        "compare",
        "strings",
        "exercises",
        "why",
    )
    for string, names in (("2*(3+4)", everything), ("2*(", ("why",))):
        page.fill("#string", string)
        verdict(page, "valid")
        for name in names:
            expect(pane(page, name)).not_to_be_empty()
            page.wait_for_timeout(300)
            result = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
            results = [
                (each["id"], [node["html"][:120] for node in each["nodes"]]) for each in result["violations"]
            ]
            assert results == [], json.dumps(results, indent=1)
            wide = page.evaluate(
                "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            )
            assert wide <= 0, name
    context.close()


def test_the_page_is_usable_before_python(visit: Visit) -> None:
    """Without Python, the editor has the first example, and keeps the input for the first call."""
    page, site = visit.page, visit.site
    page.route("**/python.zip*", lambda route: page.wait_for_timeout(1) or waiting.append(route))
    waiting: list[Any] = []
    page.goto(site)
    expect(page.locator("#grammar .cm-content")).to_contain_text("pin = 4*6DIGIT")
    expect(page.locator("#menu option")).not_to_have_count(1)
    write(page, "b = 2DIGIT\n", "1")
    expect(page.locator("#status")).to_contain_text("MB", timeout=PATIENCE)
    waiting[0].continue_()
    verdict(page, "✗ not valid", rule="b")
    expect(page.locator("#status")).to_have_text("Ready", timeout=PATIENCE)
    expect(page.locator("#progress")).to_be_hidden()


def test_the_second_visit_needs_no_network(visit: Visit) -> None:
    page = visit.go()
    page.evaluate("navigator.serviceWorker.ready.then(() => 1)")
    write(page, "b = 2DIGIT\n", "12")
    verdict(page, "✓ valid", rule="b")
    page.context.unroute_all()
    page.context.set_offline(True)
    page.reload()
    expect(page.locator("#grammar .cm-content")).to_contain_text("b = 2DIGIT")
    verdict(page, "✓ valid", rule="b")
    page.context.set_offline(False)


def test_colors_and_text_size_are_stored(visit: Visit) -> None:
    def look() -> Any:
        return page.evaluate(
            "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).fontSize]"
        )

    page = visit.go()
    light = look()
    page.select_option("#theme", "dark")
    page.select_option("#size", "huge")
    dark = look()
    assert light[0] == "rgb(255, 255, 255)"
    assert dark[0] == "rgb(21, 24, 28)"
    assert (light[1], dark[1]) == ("16px", "25.6px")
    page.reload()
    assert look() == dark


def test_the_page_does_not_shift(visit: Visit) -> None:
    """Cumulative layout shift, from an empty page to a verdict."""
    visit.page.add_init_script(
        "window.shifts = 0; new PerformanceObserver((list) => { for (const each of list.getEntries())"
        " if (!each.hadRecentInput) window.shifts += each.value; })"
        ".observe({type: 'layout-shift', buffered: true});"
    )
    page = visit.go()
    verdict(page, "not valid")
    page.wait_for_timeout(500)
    assert page.evaluate("window.shifts") < 0.1


def test_without_a_mouse(visit: Visit) -> None:
    """The keyboard reaches the string and the tabs from the top of the page, and moves through a tree."""
    page = visit.go()
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    page.locator("#string").focus()
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type("123456")
    verdict(page, "✓ valid")
    page.locator("#tab-why").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#tab-tree")).to_be_focused()
    expect(page.locator("#pane-tree [role=treeitem]").first).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.locator("#pane-tree")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator("#pane-tree [role=treeitem]").first).to_be_focused()
    # The selected element keeps the keyboard focus.
    page.locator("#tab-derivation").focus()
    page.keyboard.press("Enter")
    forward = page.locator("#pane-derivation").get_by_role("button", name="Last")
    forward.focus()
    page.keyboard.press("Enter")
    expect(forward).to_be_focused()
    order = page.get_by_label("Order")
    order.select_option("rightmost")
    expect(page.get_by_label("Order")).to_be_focused()
    # Leave the editor.
    page.locator("#grammar .cm-content").focus()
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    expect(page.locator("#grammar .cm-content")).not_to_be_focused()
