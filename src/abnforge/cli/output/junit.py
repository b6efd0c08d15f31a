"""JUnit's XML. Every string is first made printable (``text.escape``) and then quoted for XML."""

from __future__ import annotations

from tempfile import SpooledTemporaryFile
from typing import IO, Any
from xml.sax.saxutils import escape as xml_escape
from xml.sax.saxutils import quoteattr

from abnforge.cli.output.diagnostic import FAILED, NOTE, PASSED, SKIPPED, SOURCES
from abnforge.cli.output.formats import ResultReport
from abnforge.text import escape

SPOOL_BYTES = 1 << 20  # totals come first; longer reports wait in a temporary file, not in memory


class Junit(ResultReport[Any]):
    """A test case for each result. A failure contains the result as text."""

    def begin(self) -> None:
        self.cases: IO[str] = SpooledTemporaryFile(  # noqa: SIM115 - closed by finish
            max_size=SPOOL_BYTES, mode="w+", encoding="ascii"
        )
        self.counts = dict.fromkeys(("tests", "failures", "errors", "skipped"), 0)

    def add(self, value: Any) -> None:
        for each in SOURCES[self.kind].diagnose(value):
            if each.status == NOTE:
                continue
            self.counts["tests"] += 1
            head = f"  <testcase classname={_attribute(each.group)} name={_attribute(each.name)}"
            if each.status == PASSED:
                self.cases.write(f"{head}/>\n")
            elif each.status == SKIPPED:
                self.counts["skipped"] += 1
                self.cases.write(f"{head}>\n    <skipped/>\n  </testcase>\n")
            else:
                tag = "failure" if each.status == FAILED else "error"
                self.counts[f"{tag}s"] += 1
                attributes = f"type={_attribute(each.code)} message={_attribute(each.summary)}"
                content = _ascii(xml_escape("\n".join(map(escape, each.lines()))))
                self.cases.write(f"{head}>\n    <{tag} {attributes}>{content}</{tag}>\n  </testcase>\n")

    def finish(self) -> None:
        counts = " ".join(f'{name}="{self.counts[name]}"' for name in ("tests", "failures", "errors"))
        skipped = f' skipped="{self.counts["skipped"]}"' if self.counts["skipped"] else ""
        self.write(f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites {counts}>\n')
        self.write(f'<testsuite name="{SOURCES[self.kind].suite}" {counts}{skipped}>\n')
        with self.cases:
            self.cases.seek(0)
            for line in self.cases:
                self.write(line)
        self.write("</testsuite>\n</testsuites>\n")


def _attribute(text: str) -> str:
    return _ascii(quoteattr(escape(text)))


def _ascii(text: str) -> str:
    return text.encode("ascii", "xmlcharrefreplace").decode("ascii")
