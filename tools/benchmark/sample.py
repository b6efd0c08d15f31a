"""The input of the benchmark: real strings, and strings that validators often get wrong."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
CORPUS = ROOT.parent / "shared" / "corpus" / "real-uris.txt"
SHIPPED = ROOT / "examples" / "uris.txt"
SEED = 3986

# Known mistakes of validators; the automaton decides which ones are valid.
TRICKY = (
    *('http://example.com/\n', 'http://example.com\r', ' http://example.com/', 'http://example.com/ '),
    *('http:\\\\example.com\\', 'http://exam ple.com/', 'http://example.com/\x00'),
    *('http://example.com/\t', 'http://exämple.com/', 'http://example.com/%', 'http://example.com/%zz'),
    *('http://example.com/%c3%28', 'http://example.com/a b', 'http://example.com/"'),
    *('http://example.com/{id}', 'http://example.com/a|b', 'http://example.com/^'),
    *('http://example.com/`', 'http://example.com/[1]', 'http://example.com/?a[]=1'),
    *('http://example.com/#a#b', 'http://example.com:80x/', 'http://example.com:/'),
    *('http://example.com:00080/', 'http://example.com:99999999/', 'http://:80/', 'http://@/'),
    *('http://a@b@c/', 'http://a:b:c@d/', 'http://a:b:c/', 'http://', 'http:///', 'http:', 'http:/'),
    *('http:a', 'a:b:c', 'urn:', 'file:///etc/hosts', 'x+1-2.3:', '1http://example.com/'),
    *('-http://example.com/', '+:x', ':x', '://x', '', '/', '//example.com/', 'example.com'),
    *('example.com:80', '?q', '#f', '[::1]', 'http://[::1]/', 'http://[::1]:80/', 'http://[::]'),
    *('http://[1::]/', 'http://[1:2:3:4:5:6:7:8]/', 'http://[1:2:3:4:5:6:7::]/'),
    *('http://[::2:3:4:5:6:7:8]/', 'http://[1:2:3:4:5:6:7:8:9]/', 'http://[1::2::3]/'),
    *('http://[12345::]/', 'http://[::1.2.3.4]/', 'http://[::01.2.3.4]/', 'http://[::1.2.3.256]/'),
    *('http://[1:2:3:4:5:6:7:1.2.3.4]/', 'http://[::1/', 'http://::1]/', 'http://[]/'),
    *('http://[::1]x/', 'http://[fe80::1%25eth0]/', 'http://[fe80::1%eth0]/', 'http://[1.2.3.4]/'),
    *('http://[v1.x]/', 'http://[V1f.a:b]/', 'http://[v.x]/', 'http://[v1.]/', 'http://[vg.x]/'),
    *('http://1.2.3.4/', 'http://1.2.3.256/', 'http://1.2.3.4.5/', 'http://01.2.3.4/'),
    *('http://0x7f.1/', 'http://-a-.-/', 'http://a_b/', 'http://a..b/', 'http://./'),
    *(f"http://{'a' * 64}.com/", f"http://{'a.' * 200}com/", 'http://%41/', 'http://a%2Fb/'),
    *("http://x/;a=1,2!$&'()*+", 'mailto:a@b', 'mailto:', 'tel:+1-555', 'data:,a%20b', 'data:,a b'),
    *('javascript:alert(1)', 'http://google.com#@evil.com/', 'http://google.com\\@evil.com/'),
    *('http://a/?#', 'http://a/??##', 'http://a//b//', 'http://a/../..//./', "x:" + "/" * 20),
    *("x://" + ":" * 20, 'http://\u200bexample.com/', 'http://example.com/\ud800'),
    *('http：//example.com/', 'ſ:x', 'http://a:١/', 'http://a/%１１'),
)  # fmt: skip


@dataclass(frozen=True)
class Corpus:
    """The distinct strings of a file in a reproducible order, and the path of the file."""

    path: Path
    strings: Sequence[str]

    @property
    def label(self) -> str:
        """Return the name of the file and the number of strings."""
        return f"{self.path.name}, {len(self.strings):,} distinct strings"


def read_corpus(path: Path | None = None) -> Corpus:
    """Read a corpus: by default the one next to the project, or the bundled examples if it is missing."""
    chosen = path or (CORPUS if CORPUS.is_file() else SHIPPED)
    lines = chosen.read_bytes().decode("utf-8").split("\n")
    strings = list(dict.fromkeys(line.removesuffix("\r") for line in lines if line))
    random.Random(SEED).shuffle(strings)
    return Corpus(chosen, strings)
