#!/usr/bin/env python3
"""Checks the links of all Markdown pages, the files that they name between backticks, and the pages of docs/ that code names.

A link must lead to a file or a folder of the project, and an anchor to a heading, as git hosts name them. A comment names a page as
`docs/` and its name, and may add a comma and a heading of the page, which begins with a capital letter.
"""
import re
import subprocess
import sys
from functools import cache
from pathlib import Path, PurePosixPath
from posixpath import normpath

ROOT = Path(__file__).resolve().parent.parent
# Pages that tillroll writes, and data of tests.
LEFT_OUT = re.compile(r"Reports/.+/|.*/(Golden|Cases)/")
LINK = re.compile(r"\]\(<?([^\s)>]+)>?(?: \"[^\"]*\")?\)|^\[[^]]+\]: +(\S+)")
# A file or folder of the project, with its folder: not `Golden/`, and not a pattern.
PLACE = re.compile(r"`((?:dev|docs|Sources|Tests|Samples|\.ci)/[\w./+-]*\w)/?`")
NAMED = re.compile(r"(?<![\w./-])(docs/[\w-]+\.md)`?(?:, ([A-Z].*))?")


def files():
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True, check=True)
    return {path for path in listed.stdout.splitlines() if (ROOT / path).is_file()}


def lines(path):
    """Number and text of each line outside of fenced code."""
    fenced = False
    for number, line in enumerate((ROOT / path).read_text(errors="replace").splitlines(), 1):
        if path.endswith(".md"):
            fence = line.lstrip().startswith("```")
            fenced ^= fence
            if fence or fenced:
                continue
        yield number, line


@cache
def headings(path):
    return [line.lstrip("#").strip() for _, line in lines(path) if re.match("#{1,6} ", line)]


@cache
def anchors(path):
    names = [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings(path)]
    return {f"{name}-{names[:place].count(name)}" if name in names[:place] else name for place, name in enumerate(names)}


def defect(link, page, known):
    """The reason why a link of a page is broken, or nothing."""
    path, _, anchor = link.partition("#")
    target = normpath(PurePosixPath(page).parent / path) if path else page
    if target not in known:
        return f"{link}: the project has no {target}"
    if anchor and target.endswith(".md") and anchor not in anchors(target):
        return f"{link}: {target} has no such heading"


def main():
    tracked = files()
    known = tracked | {str(parent) for path in tracked for parent in PurePosixPath(path).parents}
    checked, broken = 0, []
    for path in sorted(path for path in tracked if path.endswith((".md", ".swift", ".py", ".sh", "Makefile")) and not LEFT_OUT.match(path)):
        for number, line in lines(path):
            if path.endswith(".md"):
                links = [one or other for one, other in LINK.findall(re.sub("`[^`]*`", "", line))]
                found = [defect(link, path, known) for link in links if not re.match(r"[a-z]+:", link)]
                found += [None if {place, str(PurePosixPath(path).parent / place)} & known else f"the project has no {place}" for place in PLACE.findall(line)]
            else:
                found = [
                    f"the project has no {page}" if page not in tracked
                    else f"{page} has no heading {heading}" if heading and not heading.startswith(tuple(headings(page)))
                    else None
                    for page, heading in NAMED.findall(line)
                ]
            checked += len(found)
            broken += [f"{path}:{number}: {reason}" for reason in found if reason]
    print("\n".join([*broken, f"links.py: {checked} links checked, {len(broken)} broken"]), file=sys.stderr if broken else sys.stdout)
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
