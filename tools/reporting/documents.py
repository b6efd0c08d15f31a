"""Python's readers of JSON and TOML."""

from __future__ import annotations

from importlib import import_module

from reporting.implementation import (
    ANOTHER,
    OWN,
    SPECIFICATION,
    Asked,
    Implementation,
    always,
    encodable,
)

JSON, TOML_1_0, TOML_1_1 = "rfc8259:JSON-text", "toml-1.0.0:toml", "toml-1.1.0:toml"


def _loads(module: str, rule: str, name: str = "loads") -> dict[str, Asked]:
    def load() -> object:
        return always(getattr(import_module(module), name))

    return {rule: Asked(f"{name}(s)", encodable(load))}  # type: ignore[arg-type]


IMPLEMENTATIONS = (
    Implementation(
        "json",
        "python",
        SPECIFICATION,
        "RFC 7159 and ECMA-404; reads NaN, Infinity and -Infinity beside them",
        "https://docs.python.org/3/library/json.html#standard-compliance-and-interoperability",
        _loads("json", JSON),
    ),
    Implementation(
        "orjson",
        "orjson",
        SPECIFICATION,
        "“strictly compliant with UTF-8 and RFC 8259”",
        "https://pypi.org/project/orjson/",
        _loads("orjson", JSON),
    ),
    Implementation(
        "msgspec.json",
        "msgspec",
        SPECIFICATION,
        "JSON; strict UTF-8",
        "https://msgspec.dev/api#json",
        _loads("msgspec.json", JSON, "decode"),
    ),
    Implementation(
        "simplejson",
        "simplejson",
        SPECIFICATION,
        "JSON; NaN, Infinity and -Infinity where `allow_nan` says so",
        "https://simplejson.readthedocs.io/en/latest/#standard-compliance-and-interoperability",
        _loads("simplejson", JSON),
    ),
    Implementation(
        "python-rapidjson",
        "python-rapidjson",
        SPECIFICATION,
        "JSON; reads NaN and Infinity by default (`number_mode`)",
        "https://python-rapidjson.readthedocs.io/en/latest/loads.html",
        _loads("rapidjson", JSON),
    ),
    Implementation(
        "pydantic_core",
        "pydantic_core",
        SPECIFICATION,
        "JSON; `allow_inf_nan` is true by default",
        "https://docs.pydantic.dev/latest/api/pydantic_core/#pydantic_core.from_json",
        _loads("pydantic_core", JSON, "from_json"),
    ),
    Implementation(
        "ujson",
        "ujson",
        OWN,
        "fast; that more is taken than JSON is labelled wontfix",
        "https://github.com/ultrajson/ultrajson/issues/556",
        _loads("ujson", JSON),
        known={
            JSON: "[556](https://github.com/ultrajson/ultrajson/issues/556), "
            "[591](https://github.com/ultrajson/ultrajson/issues/591)"
        },
    ),
    Implementation(
        "json5",
        "json5",
        ANOTHER,
        "JSON5, which takes all of JSON and more",
        "https://pypi.org/project/json5/",
        {
            JSON: Asked(
                "loads(s)", encodable(lambda: always(import_module("json5").loads)), strings=1_000, slow=True
            )
        },
    ),
    Implementation(
        "tomllib",
        "python",
        SPECIFICATION,
        "TOML 1.0.0",
        "https://docs.python.org/3.11/library/tomllib.html",
        _loads("tomllib", TOML_1_0),
    ),
    Implementation(
        "pytomlpp",
        "pytomlpp",
        SPECIFICATION,
        "“fully compatible with TOML v1.0.0”",
        "https://pypi.org/project/pytomlpp/",
        _loads("pytomlpp", TOML_1_0),
    ),
    Implementation(
        "tomli",
        "tomli",
        SPECIFICATION,
        "“compatible with TOML v1.1.0”",
        "https://pypi.org/project/tomli/",
        _loads("tomli", TOML_1_1),
    ),
    Implementation(
        "tomlkit",
        "tomlkit",
        SPECIFICATION,
        "“a 1.1.0-compliant TOML library”",
        "https://pypi.org/project/tomlkit/",
        _loads("tomlkit", TOML_1_1, "parse"),
    ),
    Implementation(
        "rtoml",
        "rtoml",
        SPECIFICATION,
        "“passes all the standard TOML tests for TOML 1.1”",
        "https://pypi.org/project/rtoml/",
        _loads("rtoml", TOML_1_1),
    ),
    Implementation(
        "toml",
        "toml",
        ANOTHER,
        "TOML 0.5.0",
        "https://pypi.org/project/toml/",
        _loads("toml", TOML_1_0),
    ),
)
