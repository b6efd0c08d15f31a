"""Django: validators of fields."""

from __future__ import annotations

import pytest

import abnforge

pytest.importorskip("django")

from django.core.exceptions import ValidationError

from abnforge.integrations.django import AbnfValidator


def test_it_says_why() -> None:
    validate = AbnfValidator("rfc3986:URI")
    validate("http://a/")
    with pytest.raises(ValidationError) as caught:
        validate("http://h:80x/")
    assert caught.value.code == "port-not-digits"
    rejection = abnforge.rule("rfc3986:URI").explain("http://h:80x/")
    assert rejection is not None
    assert caught.value.messages == [rejection.message_with_position]


def test_migrations_hold_it_by_name() -> None:
    validate = AbnfValidator("rfc3986:URI")
    path, arguments, options = validate.deconstruct()
    assert path == "abnforge.integrations.django.AbnfValidator"
    assert (arguments, options) == (("rfc3986:URI",), {})
    assert validate == AbnfValidator(abnforge.rule("rfc3986:URI"))
    assert hash(validate) == hash(AbnfValidator("rfc3986:URI"))
    assert validate != AbnfValidator("rfc3986:host")
