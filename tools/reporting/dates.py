"""Python's readers of date-times."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Annotated

from abnforge.conformance.judges import Function
from reporting.addresses import DATE_T_Z, DATE_TIME
from reporting.implementation import (
    ANOTHER,
    OWN,
    SPECIFICATION,
    Asked,
    Implementation,
    Load,
    always,
    function,
)
from reporting.uris import raising


def _both(call: str, load: Load) -> dict[str, Asked]:
    """Asked with small letters as with capitals: some take the latter alone."""
    return dict.fromkeys((DATE_TIME, DATE_T_Z), Asked(call, load))


def _asked(call: str, module: str, name: str) -> dict[str, Asked]:
    return _both(call, raising(module, name))


def _judged(call: str, module: str, name: str) -> dict[str, Asked]:
    return _both(call, function(lambda: getattr(import_module(module), name)))


def _msgspec() -> Function:
    module, aware = import_module("msgspec"), import_module("datetime").datetime
    return always(partial(module.convert, type=Annotated[aware, module.Meta(tz=True)]))


def _fromisoformat() -> Function:
    return always(import_module("datetime").datetime.fromisoformat)


def _aware() -> Function:
    module = import_module("pydantic")
    return always(module.TypeAdapter(module.AwareDatetime).validate_python)


IMPLEMENTATIONS = (
    Implementation(
        "rfc3339-validator",
        "rfc3339-validator",
        SPECIFICATION,
        "“a pure python RFC3339 validator”",
        "https://pypi.org/project/rfc3339-validator/",
        _judged("validate_rfc3339(s)", "rfc3339_validator", "validate_rfc3339"),
        known={
            DATE_T_Z: "[JSON Schema 959](https://github.com/json-schema-org/JSON-Schema-Test-Suite/pull/959)"
        },
    ),
    Implementation(
        "strict-rfc3339",
        "strict-rfc3339",
        SPECIFICATION,
        "“be very strict and follow RFC3339”",
        "https://pypi.org/project/strict-rfc3339/",
        _judged("validate_rfc3339(s)", "strict_rfc3339", "validate_rfc3339"),
        known={DATE_T_Z: "[8](https://github.com/danielrichman/strict-rfc3339/issues/8)"},
    ),
    Implementation(
        "ciso8601",
        "ciso8601",
        SPECIFICATION,
        "a datetime “if and only if the entire string conforms to RFC 3339”",
        "https://github.com/closeio/ciso8601#strict-rfc-3339-parsing",
        _asked("parse_rfc3339(s)", "ciso8601", "parse_rfc3339"),
    ),
    Implementation(
        "pyrfc3339",
        "pyRFC3339",
        SPECIFICATION,
        "“parses and generates RFC 3339-compliant timestamps”",
        "https://pyrfc3339.readthedocs.io/",
        _asked("parse(s)", "pyrfc3339", "parse"),
    ),
    Implementation(
        "datetime.fromisoformat",
        "python",
        ANOTHER,
        "“any valid ISO 8601 format”, with exceptions",
        "https://docs.python.org/3/library/datetime.html#datetime.datetime.fromisoformat",
        _both("datetime.fromisoformat(s)", function(_fromisoformat)),
    ),
    Implementation(
        "iso8601",
        "iso8601",
        ANOTHER,
        "ISO 8601 date strings, with differences that it names",
        "https://pypi.org/project/iso8601/",
        _asked("parse_date(s)", "iso8601", "parse_date"),
    ),
    Implementation(
        "isodate",
        "isodate",
        ANOTHER,
        "“an ISO 8601 date/time/duration parser”",
        "https://pypi.org/project/isodate/",
        _asked("parse_datetime(s)", "isodate", "parse_datetime"),
    ),
    Implementation(
        "dateutil isoparse",
        "python-dateutil",
        ANOTHER,
        "“an ISO-8601 datetime string”",
        "https://dateutil.readthedocs.io/en/stable/parser.html#dateutil.parser.isoparse",
        _asked("isoparse(s)", "dateutil.parser", "isoparse"),
    ),
    Implementation(
        "arrow",
        "arrow",
        ANOTHER,
        "ISO 8601-compliant strings, among others",
        "https://arrow.readthedocs.io/en/latest/guide.html#creation",
        _asked("get(s)", "arrow", "get"),
        beside=("python-dateutil",),
    ),
    Implementation(
        "msgspec",
        "msgspec",
        OWN,
        "RFC 3339 with “a few common ISO8601 compatible relaxations”; asked for those with an offset",
        "https://msgspec.dev/supported-types#datetime",
        _both("convert(s, Annotated[datetime, Meta(tz=True)])", function(_msgspec)),
        known=dict.fromkeys((DATE_T_Z, DATE_TIME), "[539](https://github.com/msgspec/msgspec/pull/539)"),
    ),
    Implementation(
        "pendulum",
        "pendulum",
        OWN,
        "“the RFC 3339 format, most ISO 8601 formats and some other common formats”",
        "https://pendulum.eustace.io/docs/#parsing",
        _asked("parse(s)", "pendulum", "parse"),
        beside=("python-dateutil",),
    ),
    Implementation(
        "pydantic AwareDatetime",
        "pydantic",
        OWN,
        "`YYYY-MM-DD[T]HH:MM[:SS[.ffffff]][Z or [±]HH[:]MM]`, or a number of seconds",
        "https://docs.pydantic.dev/latest/api/standard_library_types/#datetime-types",
        _both("AwareDatetime validates s", function(_aware)),
        beside=("pydantic_core",),
    ),
)
