"""Python's validators of e-mail addresses."""

from __future__ import annotations

from functools import partial
from importlib import import_module

from abnforge.conformance.judges import Function
from reporting.addresses import MAILBOX
from reporting.implementation import (
    ANOTHER,
    OWN,
    SPECIFICATION,
    Asked,
    Implementation,
    always,
    function,
)
from reporting.uris import django

ADDR_SPEC = "rfc5322:addr-spec"


def _validate_email() -> Function:
    validate = import_module("email_validator").validate_email
    return always(partial(validate, check_deliverability=False))


def _address() -> Function:
    address = import_module("email.headerregistry").Address
    return always(lambda text: address(addr_spec=text))


def _is_email() -> Function:
    return import_module("pyisemail").is_email  # type: ignore[no-any-return]


IMPLEMENTATIONS = (
    Implementation(
        "email.headerregistry",
        "python",
        SPECIFICATION,
        "“should be a properly RFC quoted string; if it is not Address will raise an error”",
        "https://docs.python.org/3/library/email.headerregistry.html#email.headerregistry.Address",
        {ADDR_SPEC: Asked("Address(addr_spec=s)", function(_address))},
    ),
    Implementation(
        "pyIsEmail",
        "pyIsEmail",
        ANOTHER,
        "an address that “could be real”, and a diagnosis by the RFCs; without DNS",
        "https://pypi.org/project/pyIsEmail/",
        {
            MAILBOX: Asked("is_email(s)", function(_is_email)),
            ADDR_SPEC: Asked("is_email(s)", function(_is_email)),
        },
    ),
    Implementation(
        "email-validator",
        "email-validator",
        OWN,
        "“of the form `name@example.com`”, for use on the Internet and not all of the RFCs; without DNS",
        "https://pypi.org/project/email-validator/",
        {MAILBOX: Asked("validate_email(s, check_deliverability=False)", function(_validate_email))},
        beside=("idna",),
    ),
    Implementation(
        "validators.email",
        "validators",
        OWN,
        "“inspired from Django's email validator”",
        "https://validators.readthedocs.io/en/stable/api/email/",
        {MAILBOX: Asked("validators.email(s)", function(lambda: import_module("validators").email))},
    ),
    Implementation(
        "Django EmailValidator",
        "Django",
        OWN,
        "“ensures that a value looks like an email”",
        "https://docs.djangoproject.com/en/stable/ref/validators/#emailvalidator",
        {MAILBOX: Asked("EmailValidator()(s)", django("EmailValidator"))},
    ),
)
