"""The playground in a browser: Debian's Chromium, controlled by Playwright, without other hosts.

Slow, and skipped without Playwright, chromium, npm or railroad-diagrams; docs/playground.md describes their
installation. Other tests call Python directly; these act like a user of the page.
"""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

import abnforge
from abnforge.teaching.constructions import CONSTRUCTIONS
from tests.teaching.playground.visits import (
    IN_BROWSERS,
    PATIENCE,
    Visit,
    expect,
    no_verdict,
    pane,
    paste,
    verdict,
    write,
)

pytestmark = IN_BROWSERS


def test_the_first_page_has_a_verdict_a_reason_and_tests(visit: Visit) -> None:
    page = visit.go()
    verdict(page, "✗ not valid", rule="pin")
    verdict(page, "(offset 2)")
    expect(page.locator("#tests-says")).to_have_text("4 of 4 pass")
    expect(page.locator("#pane-why [role=treeitem]").first).to_contain_text(re.compile('^.pin .*"12"'))
    page.fill("#string", "1234")
    verdict(page, "✓ valid")


def test_the_modules_of_the_first_verdict_are_compiled(site: str) -> None:
    def names(archive: str) -> set[str]:
        with urlopen(f"{site}{archive}") as reply:
            return set(zipfile.ZipFile(io.BytesIO(reply.read())).namelist())

    own, standard = names("python.zip"), names("pyodide/python_stdlib.zip")
    assert {"abnforge/engine/grammar.pyc", "abnforge/teaching/normal_forms.py"} <= own
    assert {"typing.pyc", "copy.pyc", "difflib.py"} <= standard
    assert not {each for each in own | standard if each.endswith(".py") and f"{each}c" in own | standard}


def test_every_example_of_the_menu_can_be_looked_at_in_every_pane(page: Any) -> None:
    for example in page.locator("#menu option").evaluate_all("all => all.map(o => o.value)")[1:]:
        page.select_option("#menu", example)
        no_verdict(page) if example == "empty" else verdict(page, "valid")
        for name in ("tree", "derivation", "diagram", "rule", "constructions", "compare", "strings", "why"):
            expect(pane(page, name)).not_to_be_empty()
        expect(page.locator("[role=alert]:visible")).to_have_count(0)


@pytest.mark.parametrize(("example", "rule"), [("uri", "URI"), ("dates", "date-time"), ("json", "JSON-text")])
def test_the_page_ends_below_its_footer(page: Any, example: str, rule: str) -> None:
    page.select_option("#menu", example)
    expect(page.locator("#rule")).to_have_value(rule, timeout=PATIENCE)
    expect(page.locator("#tests-says")).to_have_text(re.compile(r"\d{2,} of \d{2,} pass"), timeout=PATIENCE)
    high = page.evaluate("document.documentElement.scrollHeight")
    ends = page.evaluate("document.querySelector('footer').getBoundingClientRect().bottom + scrollY")
    assert high <= max(ends, page.viewport_size["height"]) + 2


def test_the_tree_is_linked_with_the_string_and_the_grammar(page: Any) -> None:
    page.select_option("#menu", "sums")
    page.fill("#string", "2*(3+4)")
    verdict(page, "✓ valid")
    tree = pane(page, "tree")
    rows = tree.locator("[role=treeitem] .line")
    rows.filter(has_text="factor").filter(has_text="2–7").hover()  # waits until the tree is drawn
    assert rows.count() == tree.locator("svg > g").count()  # a box for each node
    expect(page.locator("#text .pointed")).to_have_text("(3+4)")
    expect(page.locator("#grammar .cm-pointed").first).to_contain_text("factor")
    expect(tree.locator("g.pointed")).to_have_count(1)
    # From the drawing.
    tree.locator("svg > g", has_text="factor").nth(1).hover()
    expect(tree.locator(".line.pointed")).to_have_text(re.compile("factor.*2–7"))
    # From the grammar.
    page.locator("#grammar .cm-line", has_text="number  =").hover()
    expect(tree.locator(".line.pointed").first).to_contain_text("number")
    expect(page.locator("#text .pointed").first).to_have_text("2")
    # From the string.
    page.locator("#text").hover(position={"x": 12, "y": 16})
    expect(tree.locator(".line.pointed")).to_have_count(1)
    expect(page.locator("#grammar .cm-pointed").first).to_be_visible()
    # by keyboard
    tree.locator("[role=treeitem][tabindex='0']").focus()
    for _ in range(2):
        page.keyboard.press("ArrowDown")
    expect(page.locator("#text .pointed")).to_have_text("2")
    for _ in range(2):
        page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowLeft")
    expect(tree.locator("[role=treeitem]").first).to_have_attribute("aria-expanded", "false")


def test_both_trees_of_an_ambiguous_string_are_linked(page: Any) -> None:
    page.select_option("#menu", "ambiguous")
    verdict(page, "✓ valid", rule="s")
    tree = pane(page, "tree")
    root = tree.locator(".line").first
    root.hover()
    expect(tree.locator("svg > g.pointed")).to_have_count(2)
    figures = tree.locator(".figure")
    figures.first.locator("svg > g").nth(1).hover()
    expect(tree.locator(".line.pointed")).to_have_count(1)
    length = len(page.locator("#text .pointed").inner_text())
    expect(figures.first.locator("g.pointed text.soft")).to_have_text(f"0-{length}")
    expect(figures.nth(1).locator("g.pointed")).to_have_count(int(length == 1))


def test_a_drawing_scrolls_to_the_box_that_is_pointed_at(page: Any) -> None:
    write(page, "row = *( pair / other )\npair = ALPHA DIGIT\nother = ALPHA ALPHA\n", "a1bcd2efg3hij4kl" * 2)
    verdict(page, "✓ valid", rule="row")
    tree = pane(page, "tree")
    last = tree.locator(".line", has_text="other").last
    last.hover()
    expect(tree.locator("g.pointed")).to_have_count(1)
    outer, inner = (
        tree.locator(each).evaluate("e => { const r = e.getBoundingClientRect(); return [r.left, r.right]; }")
        for each in (".drawing", "g.pointed")
    )
    assert tree.locator(".drawing").evaluate("e => e.scrollLeft") > 0
    assert outer[0] - 1 <= inner[0] < inner[1] <= outer[1] + 1


def test_what_is_pointed_at_in_the_tree_is_seen_in_the_grammar(page: Any) -> None:
    for _ in range(2):  # the editor estimates line heights differently the second time
        for example in ("empty", "pin"):
            page.select_option("#menu", example)
        page.click("#tab-why")
        verdict(page, "(offset 2)")
        page.select_option("#menu", "dates")
        expect(page.locator("#rule")).to_have_value("date-time", timeout=PATIENCE)
        verdict(page, "valid")
        page.fill("#string", "1985-04-12T23:20:50.52Z")
        verdict(page, "✓ valid")
        line = pane(page, "tree").locator(".line", has_text="time-secfrac").last
        expect(line).to_contain_text("19–22")  # the tree is drawn again for the string
        line.hover()
        expect(line).to_have_class(re.compile("pointed"))
        expect(page.locator("#grammar .cm-pointed", has_text="time-secfrac").first).to_be_in_viewport()
        assert page.evaluate("scrollY") == 0  # the editor scrolls, but not the page


def test_strings_are_compared_with_their_expected_verdicts(page: Any) -> None:
    strings = pane(page, "strings")
    page.fill("#lines", '+ 1234\n- 12345\n12\tvalid\n12x\n\n- "1\n')
    expect(page.locator("#lines-says")).to_have_text(
        "5 strings: 2 valid, 3 not valid. 2 of 4 as expected.", timeout=PATIENCE
    )
    classes = strings.locator("li").evaluate_all("all => all.map(each => each.className)")
    assert classes == ["passed", "failed", "failed", "", "passed"]
    page.click("#disagreement")
    expect(strings.locator("li.failed button").first).to_be_focused()
    page.click("#lines-add")
    expect(page.locator("#tests-says")).to_have_text("6 of 8 pass", timeout=PATIENCE)
    expect(page.locator("#tests .failed").first).to_contain_text("pin should not match")
    strings.locator("li.failed button").first.click()
    verdict(page, "valid")
    expect(page.locator("#string")).to_have_value("12345")


def test_many_strings_are_in_the_link_and_in_a_file_of_examples(page: Any, tmp_path: Path) -> None:
    strings = pane(page, "strings")
    page.fill("#lines", "\n".join(f"{'+' if n > 999 else '-'} {n}" for n in range(900, 1100)))
    expect(page.locator("#lines-says")).to_contain_text("200 of 200 as expected", timeout=PATIENCE)
    expect(page.locator("#disagreement")).to_be_disabled()
    with page.expect_download() as download:
        page.click("#lines-save")
    download.value.save_as(tmp_path / "pin.abnf")
    results = abnforge.load(tmp_path / "pin.abnf").test()
    assert (len(results), all(each.passed for each in results)) == (204, True)
    page.click("#share")
    expect(page.locator("#shared")).not_to_be_empty()
    address = page.url
    page.fill("#lines", "")
    expect(strings.locator("li")).to_have_count(0)
    page.evaluate("hash => { location.hash = hash; }", address.partition("#")[2])
    expect(page.locator("#lines-says")).to_contain_text("200 of 200 as expected", timeout=PATIENCE)


def test_constructions_follow_the_rule_and_the_string(page: Any) -> None:
    constructions = pane(page, "constructions")
    for name in CONSTRUCTIONS:
        page.select_option("#construction", name)
        expect(constructions.locator(f"section#{name}")).not_to_be_empty()
    expect(constructions).to_contain_text("does not match")
    page.fill("#string", "1234")
    expect(constructions.locator("mark").first).to_be_visible()
    page.select_option("#construction", "steps")
    expect(constructions.locator("svg")).to_have_count(3)
    with page.expect_download() as saved:
        constructions.get_by_role("button", name="Save SVG").click()
    assert saved.value.suggested_filename == "pin-steps.svg"
    assert Path(saved.value.path()).read_text("utf-8").count('class="automaton"') == 3


def test_a_derivation_goes_forward_back_and_by_itself(page: Any) -> None:
    page.select_option("#menu", "ambiguous")
    verdict(page, "✓ valid")
    expect(pane(page, "tree").locator("p.problem")).to_contain_text("2")
    page.locator("#pane-tree .problem button").click()
    steps = page.locator("#pane-derivation")
    expect(steps).to_contain_text("step 0 of 5")
    steps.get_by_role("button", name="Forward").click()
    expect(steps.locator(".form")).to_have_text("s s")
    steps.get_by_role("button", name="Back").click()
    expect(steps.locator(".form")).to_have_text("s")
    steps.get_by_role("button", name="Last").click()
    expect(steps.locator(".form")).to_have_text('"aaa"')
    first = steps.locator("[role=tree]").inner_text()
    steps.get_by_label("Derivation").select_option("1")
    expect(steps.locator("h3")).to_contain_text("2")
    assert steps.locator("[role=tree]").inner_text() != first
    steps.get_by_role("button", name="Play").click()
    expect(steps).to_contain_text("step 2 of 5", timeout=10_000)
    steps.get_by_role("button", name="Pause").click()


def test_a_diagram_shows_the_way_and_leads_to_other_rules(page: Any) -> None:
    page.select_option("#menu", "sums")
    page.fill("#string", "1+2")
    verdict(page, "✓ valid")
    diagram = pane(page, "diagram")
    expect(diagram.locator("svg .used").first).to_be_visible()
    assert diagram.locator("svg style").count() == 0
    diagram.locator("svg a", has_text="product").first.click()
    expect(diagram.get_by_label("Rule to draw")).to_have_value("product")
    color = diagram.locator("svg .rule text").first.evaluate("node => getComputedStyle(node).fill")
    assert color != "rgb(0, 0, 0)"  # pictures.css is present


def test_attempts_lead_down_to_the_character(page: Any) -> None:
    page.select_option("#menu", "ipv6")
    page.fill("#string", "1::2:::3")
    verdict(page, "✗ not valid")
    why = page.locator("#pane-why")
    leaf = why.locator(".line", has=page.locator(".reason")).first
    expect(leaf.locator(".reason")).to_contain_text('":"')
    leaf.hover()
    expect(page.locator("#text .wrong")).not_to_be_empty()


def test_errors_while_typing_and_their_fixes(page: Any) -> None:
    write(page, "pin = DIGIT*\n", "1234")
    expect(page.locator("#findings li")).to_have_count(1)
    expect(page.locator("#grammar .cm-lintRange-error").first).to_be_visible()
    no_verdict(page)
    page.locator("#findings").get_by_role("button", name=re.compile("^Fix")).click()
    verdict(page, "✓ valid")
    expect(page.locator("#grammar .cm-content")).to_contain_text("pin = *DIGIT")


def test_names_are_completed_and_rules_renamed(page: Any) -> None:
    write(page, "word = 1*ALPHA\nline = wor", "x")
    page.locator("#grammar .cm-content").click()
    page.keyboard.press("ControlOrMeta+End")
    page.keyboard.press("Control+Space")
    expect(page.locator("#grammar .cm-tooltip-autocomplete li").first).to_contain_text("word")
    page.wait_for_timeout(200)  # CodeMirror handles keys only afterwards
    page.keyboard.press("Enter")
    expect(page.locator("#grammar .cm-content")).to_contain_text("line = word")
    page.keyboard.press("F2")
    page.fill("#rename-name", "1x")
    page.keyboard.press("Enter")
    expect(page.locator("#rename-says")).not_to_be_empty()
    page.fill("#rename-name", "token")
    page.keyboard.press("Enter")
    expect(page.locator("#grammar .cm-content")).to_contain_text("token = 1*ALPHA")
    expect(page.locator("#grammar .cm-content")).to_contain_text("line = token")


def test_examples_fail_at_a_glance_and_are_added(page: Any) -> None:
    write(page, ';@ match "12"\npin = 4DIGIT\n', "12é")
    expect(page.locator("#tests-says")).to_have_text("0 of 1 pass")
    expect(page.locator("#tests .failed")).to_contain_text('"12"')
    page.click("#add-no-match")
    expect(page.locator("#tests-says")).to_have_text("1 of 2 pass")
    expect(page.locator("#grammar .cm-content")).to_contain_text(';@ no-match "12"%xE9')
    page.locator("#tests button", has_text="12é").click()
    assert page.input_value("#string") == "12é"


def test_a_link_holds_what_is_on_the_page(visit: Visit) -> None:
    page = visit.go()
    grammar = 's = %x1F600 1*DIGIT ; "é"\n'
    write(page, grammar, "😀1x\n")
    page.click("#tab-tree")
    verdict(page, "✗ not valid")
    page.click("#share")
    expect(page).to_have_url(re.compile("#s="))
    expect(page.locator("#shared")).to_contain_text("link")
    link = page.url
    assert "#s=" in link
    page.evaluate("localStorage.clear()")
    page.goto("about:blank")
    visit.go(link.removeprefix(visit.site))
    verdict(page, "✗ not valid")
    assert page.input_value("#string") == "😀1x\n"
    expect(page.locator("#grammar .cm-content")).to_contain_text('; "é"')
    expect(page.locator("#tab-tree")).to_have_attribute("aria-selected", "true")
    expect(page.locator("#text .wrong")).to_have_text("x")


def test_a_link_opens_an_exercise(visit: Visit) -> None:
    page = visit.go()
    pane(page, "exercises")
    page.select_option("#exercise", "time-24")
    page.click("#share")
    expect(page).to_have_url(re.compile("#s="))
    expect(page.locator("#shared")).to_contain_text("link")
    link = page.url
    page.evaluate("localStorage.clear(); sessionStorage.clear()")
    page.goto("about:blank")
    visit.go(link.removeprefix(visit.site))
    expect(page.locator("#exercise")).to_have_value("time-24", timeout=PATIENCE)


def test_renaming_says_which_rule(page: Any) -> None:
    write(page, "pin = digits\n\ndigits = 1*DIGIT\n", "1234")
    verdict(page, "✓ valid")
    page.locator("#grammar .cm-content").focus()
    page.keyboard.press("ControlOrMeta+Home")
    page.keyboard.press("F2")
    expect(page.locator("#rename-title")).to_contain_text(" pin")
    page.keyboard.press("Escape")
    page.locator("#grammar .cm-content").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("F2")
    expect(page.locator("#rename-dialog")).to_be_hidden()
    expect(page.locator("#grammar-says")).not_to_be_empty()


def test_the_other_tabs_stay_in_place(page: Any) -> None:
    def places() -> list[float]:
        return page.locator("[role=tab]").evaluate_all("all => all.map(o => o.getBoundingClientRect().x)")

    before = places()
    pane(page, "rule")
    assert places() == before


@pytest.mark.parametrize("fragment", ["#s=AAAA", "#s=!!!", "#s=q1YqSy1RslIqLsjPS1WyMq0FAA%20"])
def test_a_damaged_link_is_reported_and_harms_nothing(fragment: str, visit: Visit) -> None:
    page = visit.go(fragment)
    verdict(page, "not valid")
    expect(page.locator("#notice")).not_to_be_empty()


def test_a_link_with_a_pane_that_there_is_not(visit: Visit) -> None:
    page = visit.go()
    state = {"grammar": "a = DIGIT\n", "rule": "a", "string": "1", "tab": "__proto__"}
    page.evaluate("state => localStorage.setItem('abnforge-draft', JSON.stringify(state))", state)
    page.evaluate("sessionStorage.clear()")
    page.reload()
    verdict(page, "✓ valid", rule="a")
    expect(page.locator("#pane-why")).to_be_visible()


def test_a_draft_is_there_again(visit: Visit) -> None:
    page = visit.go()
    write(page, "mine = 3DIGIT\n", "123")
    verdict(page, "✓ valid", rule="mine")
    page.reload()
    verdict(page, "✓ valid", rule="mine")
    # A fragment after a copied link stays, too.
    page.click("#share")
    expect(page).to_have_url(re.compile("#s="))
    expect(page.locator("#shared")).to_contain_text("link")
    write(page, "later = 3DIGIT\n")
    verdict(page, "✓ valid", rule="later")
    page.reload()
    verdict(page, "✓ valid", rule="later")
    # Opening a link without editing keeps everything.
    page.click("#share")
    expect(page).to_have_url(re.compile("#s="))
    expect(page.locator("#shared")).to_contain_text("link")
    link = page.url
    write(page, "own = 3DIGIT\n")
    verdict(page, "✓ valid", rule="own")
    page.goto("about:blank")
    visit.go(link.removeprefix(visit.site))
    verdict(page, "✓ valid", rule="later")
    page.goto("about:blank")
    visit.go()
    verdict(page, "✓ valid", rule="own")


def test_a_changed_link_keeps_the_draft_and_the_answer(visit: Visit) -> None:
    page = visit.go()
    exercises = pane(page, "exercises")
    exercises.get_by_label("Exercise", exact=True).select_option("pin")
    paste(exercises.locator(".cm-content"), "pin = 5DIGIT")
    link = shared_link(page)
    paste(exercises.locator(".cm-content"), "pin = 4DIGIT / 6DIGIT")
    page.click("#tab-why")
    write(page, "mine = 3DIGIT\n")
    verdict(page, "not valid", rule="mine")
    page = visit.go(link)
    answer = page.locator("#pane-exercises .cm-content")
    expect(answer).to_have_text("pin = 5DIGIT")
    paste(answer, "pin = 7DIGIT")
    page.get_by_role("button", name="Restore my answer").click()
    expect(answer).to_have_text("pin = 4DIGIT / 6DIGIT")
    page.goto("about:blank")
    visit.go(link)
    expect(answer).to_have_text("pin = 5DIGIT")
    page.click("#tab-why")
    write(page, "other = 3DIGIT\n")
    verdict(page, "not valid", rule="other")
    page = visit.go("")
    page.get_by_role("button", name="Restore the draft").click()
    verdict(page, "not valid", rule="mine")
    expect(page.get_by_role("button", name="Restore the draft")).to_be_hidden()


def test_what_is_written_while_python_is_loaded_stays(visit: Visit) -> None:
    page = visit.page
    page.goto(visit.site)
    page.locator("#grammar .cm-content").wait_for()
    write(page, "soon = 2DIGIT\n", "12")
    verdict(page, "✓ valid", rule="soon")


def test_a_string_can_have_carriage_returns(page: Any) -> None:
    write(page, ';@ match "abc"%x0D.0A\nline = 1*ALPHA CRLF\n', "")
    expect(page.locator("#tests-says")).to_have_text("1 of 1 pass")
    page.locator("#tests button", has_text="abc").click()
    verdict(page, "✓ valid", rule="line")
    expect(page.locator("#crlf")).to_be_checked()
    page.fill("#string", "other\n")
    verdict(page, "✓ valid", rule="line")
    page.click("#add-match")
    expect(page.locator("#tests-says")).to_have_text("2 of 2 pass")
    page.uncheck("#crlf")
    verdict(page, "✗ not valid")
    page.fill("#string", "")


def test_the_rule_that_was_chosen_stays_while_it_is_written(page: Any) -> None:
    write(page, "first = ALPHA\nsecond = 2DIGIT\n", "12")
    verdict(page, "not valid")
    page.select_option("#rule", "second")
    verdict(page, "✓ valid", rule="second")
    write(page, "first = ALPHA\nsecond = 2DIGIT / (\n")
    no_verdict(page)
    write(page, "first = ALPHA\nsecond = 2DIGIT / ALPHA\n")
    verdict(page, "✓ valid", rule="second")


def test_html_in_literals_is_text(page: Any) -> None:
    evil = "<img src=x onerror=document.title='evil'>"
    write(page, f'a = "{evil}" / b\nb = %s"</script><b>" ; {evil}\n', evil)
    verdict(page, "✓ valid")
    for name in ("tree", "derivation", "diagram", "rule", "compare", "why"):
        expect(pane(page, name)).not_to_be_empty()
    page.fill("#string", f"{evil}<b>")
    verdict(page, "✗ not valid")
    assert page.title() == "abnforge playground"
    assert page.locator("main :is(img, script)").count() == 0


def test_an_exercise_is_solved(page: Any) -> None:
    exercises = pane(page, "exercises")
    expect(exercises.get_by_label("Exercise", exact=True)).to_be_visible()
    exercises.get_by_label("Exercise", exact=True).select_option("pin")
    lesson = exercises.get_by_role("link", name="Lesson: repetition")
    expect(lesson).to_have_attribute("href", re.compile(r"/tutorial/3-repetition\.html$"))
    exercises.get_by_role("button", name="Hint").click()
    expect(exercises.locator(".hints li")).to_have_count(1)
    for answer, kind in (("4DIGIT", "problem"), ("4*6DIGIT", "good")):
        paste(exercises.locator(".cm-content"), f"pin = {answer}")
        exercises.get_by_role("button", name="Check").click()
        expect(exercises.locator(".result p").first).to_have_class(kind)
    expect(exercises.locator(".result")).to_contain_text("1 exercise of 40")
    # The findings about an answer, and a string to try.
    paste(exercises.locator(".cm-content"), "pin = 4DIGIT |")
    expect(exercises.locator(".findings .error")).to_have_count(1)
    paste(exercises.locator(".cm-content"), "pin = 4DIGIT")
    expect(exercises.locator(".findings li")).to_have_count(0)
    for string, kind in (("12345", "bad"), ("1234", "good")):
        exercises.get_by_label("Try a string").fill(string)
        expect(exercises.locator(f"#try + .{kind}")).to_be_visible()
    exercises.get_by_role("button", name="Next exercise").click()
    expect(exercises.get_by_label("Exercise", exact=True)).not_to_have_value("pin")


def test_a_link_has_the_answer_and_the_compared_rule(visit: Visit) -> None:
    page = visit.go()
    exercises = pane(page, "exercises")
    exercises.get_by_label("Exercise", exact=True).select_option("pin")
    paste(exercises.locator(".cm-content"), "pin = 5DIGIT")
    link = shared_link(page)
    paste(exercises.locator(".cm-content"), "pin = 6DIGIT")
    page = visit.go(link)
    expect(page.locator("#pane-exercises .cm-content")).to_have_text("pin = 5DIGIT")
    page.click("#tab-why")
    write(page, "a = DIGIT\nb = ALPHA\nc = HEXDIG\n", "1")
    verdict(page, "✓ valid", rule="a")
    pane(page, "compare").locator("#compare-b").select_option("c")
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.locator(".relation")).to_be_visible()
    link = shared_link(page)
    pane(page, "why")
    page = visit.go(link)
    expect(page.locator("#compare-b")).to_have_value("c", timeout=PATIENCE)


def shared_link(page: Any) -> str:
    page.click("#share")
    expect(page).to_have_url(re.compile("#s="))
    link = str(page.evaluate("location.hash"))
    page.evaluate("history.replaceState(null, '', location.pathname)")
    return link


def test_pictures_are_saved(page: Any) -> None:
    page.fill("#string", "1234")
    verdict(page, "✓ valid")
    heads = {"SVG": b"<svg ", "PNG": b"\x89PNG"}
    for name, count in (("tree", 1), ("diagram", 1), ("rule", 1)):
        buttons = [pane(page, name).get_by_role("button", name=f"Save {kind}") for kind in heads]
        for button, head in zip(buttons, heads.values(), strict=True):
            expect(button).to_have_count(count)
            with page.expect_download() as saved:
                button.click()
            assert Path(saved.value.path()).read_bytes().startswith(head)
    page.select_option("#menu", "ambiguous")
    verdict(page, "✓ valid", rule="s")
    expect(pane(page, "tree").locator("svg")).to_have_count(2)


def test_an_operation_that_exceeds_its_budget_is_retried_with_a_larger_one(visit: Visit) -> None:
    page = visit.go()
    write(page, 'a = *( "a" / "b" ) "a" 17( "a" / "b" )\nb = a / "c"\n', "c")
    verdict(page, "✗ not valid", rule="a")
    compare = pane(page, "compare")
    compare.get_by_role("button", name="Compare").click()
    retry = compare.get_by_role("button", name="Retry with 10 times the budget")
    retry.click()
    expect(retry).to_have_count(0)
    expect(compare).to_be_focused()


def test_two_rules_are_compared(page: Any) -> None:
    write(page, "a = 1*DIGIT\nb = 1*3DIGIT\n", "1")
    verdict(page, "✓ valid")
    compare = pane(page, "compare")
    compare.get_by_role("button", name="Compare").click()
    expect(compare.locator(".relation")).to_have_class("relation wider")
    compare.locator(".result button.string").click()
    verdict(page, "✓ valid", rule="a")
    assert len(page.input_value("#string")) == 4
