"""The URIs alone, one a line, for programs to read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abnforge.cli.reports.base import Report

if TYPE_CHECKING:  # it takes longer to import than most runs do
    from abnforge.uri.scan import LocatedURI


class Uris(Report["LocatedURI"]):
    """URIs found in a text."""

    def add(self, place: LocatedURI) -> None:
        self.write(place.found.uri + "\n")
