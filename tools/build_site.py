"""Build the site of the documentation: pages, API, diagrams of grammars, search. Needs the extra ``site``.

    python tools/build_site.py                 write build/site; exit 1 if anything is wrong
    python tools/build_site.py FOLDER          the same elsewhere
    python tools/build_site.py --keep SOURCES  leave there what Sphinx reads

Warnings of Sphinx are errors. Afterwards every link is followed within the site, to places in pages as well,
and nothing may come from another host. No network is used.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "docs" / "site"
FOLDER = ROOT / "build" / "site"


def write_sources(folder: Path) -> None:
    """Write all that Sphinx reads."""
    from publishing import api_pages, grammar_pages, pages

    (folder / "_static").mkdir(parents=True)
    shutil.copyfile(SITE / "conf.py", folder / "conf.py")
    shutil.copyfile(SITE / "site.css", folder / "_static" / "site.css")
    pages.write(ROOT, folder)
    api_pages.write(folder)
    grammar_pages.write(ROOT, folder)


def build(source: Path, folder: Path, doctrees: Path) -> int:
    """Sphinx's exit status."""
    from sphinx.cmd.build import build_main

    jobs = str(min(4, os.cpu_count() or 1))
    options = ["-q", "-W", "--keep-going", "-j", jobs, "-b", "html", "-d", str(doctrees)]
    return int(build_main([*options, str(source), str(folder)]))


def main(argv: list[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER, metavar="FOLDER")
    parser.add_argument("--keep", type=Path, metavar="SOURCES", help="leave there what Sphinx reads")
    options = parser.parse_args(argv)
    from publishing.checking import problems

    if (options.folder / ".buildinfo").is_file():  # Sphinx made it; pages that are gone would stay
        shutil.rmtree(options.folder)
    elif options.folder.exists() and any(options.folder.iterdir()):
        parser.error(f"{options.folder} is neither empty nor a site")
    with TemporaryDirectory() as temporary:
        source = options.keep or Path(temporary, "source")
        if source.exists():
            parser.error(f"{source} is there already")
        write_sources(source)
        status = build(source, options.folder, Path(temporary, "doctrees"))
    found = list(problems(options.folder))
    for each in found:
        print(each, file=sys.stderr)
    if status or found:
        return 1
    pages = sum(1 for _ in options.folder.rglob("*.html"))
    print(f"wrote {pages} pages to {options.folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
