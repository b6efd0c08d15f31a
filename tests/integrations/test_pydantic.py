"""pydantic: fields that match a rule, and fields with URI types, including in a FastAPI service."""

from __future__ import annotations

import json
import threading
import urllib.request
from collections.abc import Iterator
from typing import Annotated, Any
from urllib.error import HTTPError

import pytest

import abnforge
from abnforge import uri
from tests.raising import raises

pydantic = pytest.importorskip("pydantic")

from abnforge.integrations.pydantic import Abnf  # noqa: E402

WEB = uri.policy(schemes=["http", "https"], max_port=65535).rule("rfc3986:URI")
HEX = abnforge.loads('color = "#" 6HEXDIG\n', name="mine")["color"]


class Row(pydantic.BaseModel):  # type: ignore[misc]
    """A model with a field of every kind."""

    url: Annotated[str, Abnf("rfc3986:URI", suggest=True)]
    web: Annotated[str, Abnf(WEB)] = "http:"
    color: Annotated[str, Abnf(HEX)] | None = None
    link: uri.URI = uri.parse("a:", "URI")
    ref: uri.Reference | None = None
    octets: Annotated[bytes, Abnf("rfc3986:URI")] = b"a:"


def errors(**fields: object) -> list[dict[str, Any]]:
    with pytest.raises(pydantic.ValidationError) as caught:
        Row(**fields)
    result: list[dict[str, Any]] = caught.value.errors()
    return result


@pytest.mark.parametrize(
    "text", ["http://a:99999/", "HTTP://EXAMPLE.com", "http://a/%7e/../b", "urn:a", "http://h?"]
)
def test_the_value_stays_as_it_is(text: str) -> None:
    """``AnyUrl`` rejects the first string and changes the others."""
    row = Row(url=text, link=text)
    assert (row.url, str(row.link)) == (text, text)
    assert Row.model_validate_json(row.model_dump_json()) == row


@pytest.mark.parametrize("text", ["http:/example.com\n", "http://a/ b", "http://a/[x]", "", "http://a\n"])
def test_values_that_are_not_uris(text: str) -> None:
    """``AnyUrl`` accepts some of them, and changes them."""
    (one,) = errors(url=text)
    rejection = abnforge.rule("rfc3986:URI").explain(text)
    assert rejection is not None
    assert (one["type"], one["msg"], one["loc"]) == (
        rejection.code,
        rejection.message_with_position,
        ("url",),
    )
    assert errors(url="a:", link=text)[0]["type"] == rejection.code


def test_errors_say_where() -> None:
    (one,) = errors(url="http://h:80x/")
    assert one["type"] == "port-not-digits"
    assert one["input"] == "http://h:80x/"
    rejection = abnforge.rule("rfc3986:URI").explain("http://h:80x/")
    assert rejection is not None
    assert one["ctx"] == {
        "reason": one["msg"],
        "grammar": "rfc3986",
        "rule": "URI",
        "offset": 12,
        "start": 11,
        "end": 12,
        "section": "3.2.3",
        "suggestion": "http://h:80/",
    }
    (one,) = errors(url="a:", web="http:{alert}")  # braces are not placeholders
    rejection = abnforge.rule("rfc3986:URI").explain("http:{alert}")
    assert rejection is not None
    assert one["msg"] == rejection.message_with_position
    (one,) = errors(url="a:", web="javascript:alert")
    assert one["type"] == "policy-scheme"
    (one,) = errors(url="a:", octets="é:".encode())
    assert one["ctx"]["offset"] == 0
    assert [each["type"] for each in errors(url=3, link=3, ref=3)] == ["string_type"] * 3


def test_objects_are_taken_as_they_are() -> None:
    value = uri.parse("http://h/", "URI")
    row = Row(url="a:", link=value, ref=uri.parse("b"))
    assert row.link is value
    assert row.model_dump(mode="json")["ref"] == "b"
    assert [each["type"] for each in errors(url="a:", link=uri.parse("b"))] == ["string_type"]
    assert pydantic.TypeAdapter(uri.RelativeRef).validate_json('"b"') == uri.parse("b")


def test_json_schema() -> None:
    result = Row.model_json_schema()["properties"]
    assert (result["url"]["format"], result["web"]["format"], result["link"]["format"]) == ("uri",) * 3
    assert result["ref"]["anyOf"][0]["format"] == "uri-reference"
    assert result["color"]["anyOf"][0]["pattern"] == HEX.export("ecmascript")
    assert "pattern" not in result["url"]


def test_a_wrong_rule_is_reported_when_the_model_is_made() -> None:
    with raises(abnforge.UnknownNameError, "rule-name-unknown", name="UIR"):
        Abnf("rfc3986:UIR")
    with raises(
        TypeError, "argument-type", name="rule", expected="a Rule, or a str such as 'rfc3986:URI'", type="int"
    ):
        Abnf(3)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def served() -> Iterator[str]:
    """Yield the address of a FastAPI application on localhost."""
    fastapi, uvicorn = pytest.importorskip("fastapi"), pytest.importorskip("uvicorn")
    app = fastapi.FastAPI()

    @app.post("/rows")  # type: ignore[misc]
    def add(row: Row) -> dict[str, str]:
        return {"host": row.link.host or "", "url": row.url}

    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", ws="none"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        thread.join(0.01)
        assert thread.is_alive()
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()


def asked(url: str, body: object = None) -> tuple[int, Any]:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.load(answer)
    except HTTPError as error:
        with error:
            return error.code, json.load(error)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_an_application_says_why(served: str) -> None:
    status, result = asked(f"{served}/rows", {"url": "http://a:99999/", "link": "http://h/"})
    assert (status, result) == (200, {"host": "h", "url": "http://a:99999/"})
    status, result = asked(f"{served}/rows", {"url": "http://h:80x/", "link": "a b"})
    assert status == 422
    assert [(each["type"], each["loc"]) for each in result["detail"]] == [
        ("port-not-digits", ["body", "url"]),
        ("scheme-missing", ["body", "link"]),
    ]
    assert result["detail"][0]["ctx"]["suggestion"] == "http://h:80/"
    _, document = asked(f"{served}/openapi.json")
    fields = document["components"]["schemas"]["Row"]["properties"]
    assert fields["url"]["format"] == fields["link"]["format"] == "uri"


def test_values_that_are_no_texts() -> None:
    class Loose(pydantic.BaseModel):  # type: ignore[misc]
        url: Annotated[str | None, Abnf("rfc3986:URI")] = None
        port: Annotated[int, Abnf("rfc3986:port")] = 0

    assert Loose(url=None).url is None
    with pytest.raises(pydantic.ValidationError) as caught:
        Loose(url="a b", port=80)
    assert [each["type"] for each in caught.value.errors()] == ["scheme-missing", "not-text"]
