"""Results for a grammar while the user types it."""

from __future__ import annotations

from abnforge.rejection import Edit, applied
from tests.teaching.playground.calls import ask, refused

PIN = '; PINs\n;@ match "1234" (four)\n;@ no-match "12", "1234567"\npin = 4*6DIGIT\n'


def test_findings_have_places_and_edits() -> None:
    text = 'é = 1\na = "x" | b\nb = DIGIT*\n'
    result = ask("grammar", text=text)
    assert result["count"] == len(result["findings"])
    for each in result["findings"]:
        assert 0 <= each["start"] <= each["end"] <= len(text)
        assert text.count("\n", 0, each["start"]) + 1 == each["line"]
    [bar] = [each for each in result["findings"] if "|" in text[each["start"] : each["end"]]]
    assert applied(text, [Edit(**edit) for edit in bar["edits"]]).splitlines()[1] == 'a = "x" / b'


def test_rules_have_the_places_of_their_parts() -> None:
    text = "a = b\nb = DIGIT\na =/ ALPHA\n"
    rules = ask("grammar", text=text)["rules"]
    parts = [(each["name"], [text[start:end].strip() for start, end in each["places"]]) for each in rules]
    assert parts == [("a", ["a = b", "a =/ ALPHA"]), ("b", ["b = DIGIT"])]


def test_a_clean_grammar_has_no_findings() -> None:
    assert ask("grammar", text=PIN)["findings"] == []


def test_examples_are_tried() -> None:
    text = PIN.replace('"12", ', '"4444", ')
    result = ask("examples", text=text)
    assert [(each["text"], each["valid"], each["status"], each["note"]) for each in result] == [
        ("1234", True, "passed", "four"),
        ("4444", False, "failed", None),
        ("1234567", False, "passed", None),
    ]
    assert all(each["message"] for each in result if each["status"] == "failed")
    assert [text[each["start"]] for each in result] == ['"'] * 3


def test_examples_of_a_grammar_that_ships_stand_in_what_is_shown() -> None:
    [shown] = [each["grammar"] for each in ask("menu") if each["id"] == "uri"]
    for each in ask("examples", text=shown):
        assert each["status"] == "passed"
        assert shown[each["start"]] in '"%'


def test_advice_is_for_the_page() -> None:
    [result] = ask("grammar", text="a = IPv4address\n")["findings"]
    assert "--" not in result["message"]


def test_names_and_renaming() -> None:
    names = [each["name"] for each in ask("names", text=PIN, at=len(PIN))]
    assert names[:2] == ["pin", "ALPHA"]
    at = PIN.index("pin")
    renamed = PIN.replace("pin =", "code =")
    assert ask("rename", text=PIN, at=at, name="code") == {"text": renamed, "was": "pin"}
    assert refused("rename", text=PIN, at=at, name="digit")


def test_formatting() -> None:
    formatted = 'a = "x"\nlong = a\n'
    assert ask("format", text='a="x"\nlong=a')["text"] == formatted
    assert refused("format", text='a = ( "x"')["code"] == "syntax-error"
