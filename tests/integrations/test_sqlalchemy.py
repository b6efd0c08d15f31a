"""SQLAlchemy: columns whose texts are judged before the database sees them."""

from __future__ import annotations

import pytest

import abnforge

sqlalchemy = pytest.importorskip("sqlalchemy")

from abnforge.integrations.sqlalchemy import AbnfText  # noqa: E402


def test_what_is_bound_is_judged() -> None:
    links = sqlalchemy.Table(
        "links", sqlalchemy.MetaData(), sqlalchemy.Column("url", AbnfText("rfc3986:URI"))
    )
    engine = sqlalchemy.create_engine("sqlite://")
    with engine.begin() as connection:
        links.create(connection)
        connection.execute(links.insert(), [{"url": "HTTP://a/"}, {"url": None}])
        assert connection.execute(links.select()).all() == [("HTTP://a/",), (None,)]
        with pytest.raises(sqlalchemy.exc.StatementError) as caught:
            connection.execute(links.insert(), {"url": "http://h:80x/"})
        assert isinstance(caught.value.orig, abnforge.Rejected)
        assert caught.value.orig.rejection.code == "port-not-digits"
        assert connection.execute(links.select().where(links.c.url == "HTTP://a/")).all()
        for asked in (links.c.url.like("HTTP%"), links.c.url.startswith("HTTP"), links.c.url.contains("/a")):
            assert connection.execute(links.select().where(asked)).all() == [("HTTP://a/",)]
        assert connection.execute(links.select().where(links.c.url == "no uri")).all() == []
        with pytest.raises(sqlalchemy.exc.StatementError):
            connection.execute(links.update().values(url="a b"))
    engine.dispose()
    assert "AbnfText" in repr(links.c.url.type)
