#!/usr/bin/env python3
"""Finds constructions in new lines that make readers guess, and says how to write them plainly.

    words.py [REV]        judges the lines that are new since REV, or since the parent of HEAD
    words.py --all        lists the finds in the whole tree, and counts them; never fails
    words.py --self-test

A line counts by its comment and its texts of three words or more; code in backticks does not count. A line that the same change removes
elsewhere has only moved. True uses are in dev/words-allowed.txt. Texts over several lines are not read: this is a reminder, no judge.
"""
import collections
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Each pattern, and the plain way to say it.
PATTERNS = {
    r"\bthat of\b": 'repeat the noun: not "that of a sale" but "the price of a sale"',
    r"\bthose of\b": 'repeat the noun: not "those of a run" but "the rows of a run"',
    r"\b(?:is|are) (?!None)none\b": 'say "is not a …" or "has no …"',
    r"\bbehind\b": 'say "after", or name the member or line that follows',
    r"\btold\b": 'say "reported", "printed" or "distinguished"',
    r"\bstands\b": 'say "is", "follows" or "precedes"',
    r'@(?:Test|Suite)\(\s*"(?:What|Of|Whatever)\b': "begin the name with its subject, then the verb",
}
FILES = ["*.swift", "*.md", "*.py", "Makefile"]
# Pages that tillroll writes, data of tests, and this file for its patterns.
LEFT_OUT = re.compile(r"Reports/.+/|Samples/|.*/(Golden|Cases)/|dev/words")


def prose(path, line):
    """The parts of a line that a person reads."""
    if path.endswith(".md"):
        parts = [line]
    else:
        texts = re.findall(r'"(?:[^"\\]|\\.)*"', line)
        comment = re.search(r"//.*" if path.endswith(".swift") else r"#.*", re.sub(r'"(?:[^"\\]|\\.)*"', '""', line))
        parts = [text for text in texts if len(re.findall(r"[A-Za-z]+", text)) > 2] + ([comment[0]] if comment else [])
        names = re.match(r'\s*@(Test|Suite)\(\s*"', line)
        parts += [line] if names and len(texts) == 1 else []
    return [re.sub(r"`+[^`]*`+", "…", part) for part in parts]


def finds(path, line):
    """The remedies for a line, by the words that need them."""
    return {
        match[0]: remedy
        for part in prose(path, line)
        for pattern, remedy in PATTERNS.items()
        if (match := re.search(pattern, part))
    }


def allowed():
    entries = (ROOT / "dev" / "words-allowed.txt").read_text().splitlines()
    return [entry for entry in entries if entry and not entry.startswith("#")]


def git(*arguments):
    done = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True)
    return done.stdout.decode(errors="replace") if done.returncode == 0 else None


def new_lines(difference):
    """Path, number and text of the lines that a diff without context adds, without those that it moves."""
    added, removed, path, number = [], set(), "", 0
    for line in difference.splitlines():
        if line.startswith("+++ "):
            path = line[6:].rstrip("\t")
        elif hunk := re.match(r"@@ -\S+ \+(\d+)", line):
            number = int(hunk[1])
        elif line.startswith("+"):
            added.append((path, number, line[1:]))
            number += 1
        elif line.startswith("-"):
            removed.add(line[1:].strip())
    return [entry for entry in added if entry[2].strip() not in removed]


def all_lines(paths):
    for path in paths:
        for number, line in enumerate((ROOT / path).read_text(errors="replace").splitlines(), 1):
            yield path, number, line


def judge(lines):
    """Prints the finds; gives how many there are, by words."""
    known, counts = allowed(), collections.Counter()
    for path, number, line in lines:
        if LEFT_OUT.match(path) or any(entry in line for entry in known):
            continue
        for words, remedy in finds(path, line).items():
            counts[words.lower()] += 1
            print(f'{path}:{number}: "{words}": {remedy}', file=sys.stderr)
    return counts


def self_test():
    assert finds("a.swift", "let told = behind(stands) // zeros behind it").keys() == {"behind"}
    assert finds("a.swift", '@Test("What is told is none of it")').keys() == {'@Test("What', "told", "is none"}
    assert not finds("a.swift", 'let key = "told behind"; /// A `behind` in code') and not finds("a.py", "x = None  # is None")
    assert finds("a.md", "Rows are none, `told`.").keys() == {"are none"}
    difference = "--- a/a.md\n+++ b/a.md\n@@ -3 +3,2 @@\n-moved\n+ moved\n+new\n"
    assert new_lines(difference) == [("a.md", 4, "new")]
    print("words.py: self-test passed")


def main():
    words = sys.argv[1:]
    if words == ["--self-test"]:
        return self_test()
    if words == ["--all"]:
        return print("\n".join(f"{count:6,}  {name}" for name, count in judge(all_lines(git("ls-files", "--", *FILES).splitlines())).most_common()))
    difference = git("diff", "--no-color", "-U0", *(words or ["HEAD^"]), "--", *FILES)
    if difference is None:
        return print("words.py: there is nothing to compare with: this clone has no such revision")
    others = (git("ls-files", "--others", "--exclude-standard", "--", *FILES) or "").splitlines()
    if count := judge([*new_lines(difference), *all_lines(others)]).total():
        sys.exit(f"words.py: {count} to rewrite; a true use needs a line in dev/words-allowed.txt")


if __name__ == "__main__":
    main()
