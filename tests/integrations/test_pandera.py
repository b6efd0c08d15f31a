"""pandera: checks for columns in pandas and polars."""

from __future__ import annotations

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("pandera")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # pandera itself causes a warning

TEXTS = ["http://a/", "http://h:80x/", None, "a b"]


def test_pandas() -> None:
    pandas = pytest.importorskip("pandas")
    from pandera import pandas as pandera

    from abnforge.integrations.pandera import abnf

    schema = pandera.DataFrameSchema({"url": pandera.Column(str, abnf("rfc3986:URI"), nullable=True)})
    good = pandas.DataFrame({"url": ["a:", None]})
    assert schema.validate(good).equals(good)
    with pytest.raises(pandera.errors.SchemaErrors) as caught:
        schema.validate(pandas.DataFrame({"url": TEXTS}, index=[3, 4, 5, 6]), lazy=True)
    cases = caught.value.failure_cases
    assert list(cases["failure_case"]) == ["http://h:80x/", "a b"]
    assert list(cases["index"]) == [4, 6]
    assert set(cases["check"]) == {"rfc3986:URI"}


def test_polars() -> None:
    polars = pytest.importorskip("polars")
    from pandera import polars as pandera

    from abnforge.integrations.pandera import abnf

    check = abnf("rfc3986:URI", name="uri")
    schema = pandera.DataFrameSchema({"url": pandera.Column(str, check, nullable=True)})
    good = polars.DataFrame({"url": ["a:", None]})
    assert schema.validate(good).equals(good)
    with pytest.raises(pandera.errors.SchemaErrors) as caught:
        schema.validate(polars.DataFrame({"url": TEXTS}), lazy=True)
    cases = caught.value.failure_cases
    assert list(cases["failure_case"]) == ["http://h:80x/", "a b"]
