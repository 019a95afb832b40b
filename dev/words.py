#!/usr/bin/env python3
"""Finds constructions in new lines that make readers guess, and says how to write them plainly.

    words.py [--base REV]   judges the lines that are new since the parent of HEAD, or since the merge base of REV and HEAD
    words.py --all          lists the finds in the whole tree and counts them by pattern; never fails
    words.py --self-test

It reads comments, names of tests, and texts of three words or more in Swift and Python, Makefiles, and Markdown; code in backticks,
code blocks and identifiers do not count. A sentence that the same change removes elsewhere has only moved and is not new. True uses
are listed in dev/words-allowed.txt.

`make lint` uses the default base: the last commit with everything that is not committed yet. That needs no recorded revision,
which somebody would have to keep current. A pull request of several commits gives its target: `--base origin/main`. Where the base is
missing, as in a shallow clone, there is nothing to compare with, and the check passes.
"""
import argparse
import collections
import fnmatch
import io
import re
import subprocess
import sys
import tokenize
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ALLOWED = Path(__file__).resolve().with_name("words-allowed.txt")

# Each pattern, and the plain way to say it.
PATTERNS = {
    "that of": (r"\bthat of\b", 'repeat the noun: not "that of a sale" but "the price of a sale"'),
    "those of": (r"\bthose of\b", 'repeat the noun: not "those of a run" but "the rows of a run"'),
    # `None` is the value of Python.
    "is none": (r"\bis (?!(?-i:None)\b)none\b", 'say "is not a …" or "has no …"'),
    "are none": (r"\bare (?!(?-i:None)\b)none\b", 'say "are not …" or "there are no …"'),
    "behind": (r"\bbehind\b", 'say "after", or name the member or line that follows'),
    "told": (r"\btold\b", 'say "reported", "printed" or "distinguished"'),
    "stands": (r"\bstands\b", 'say "is", "follows" or "precedes"'),
}
# The same for the beginning of a test's name.
HEADS = {
    "What": (r"\s*what\b", "begin with the subject: the thing, then its verb"),
    "Of": (r"\s*of\b", "begin with the subject, and put the group into its own noun"),
    "Whatever": (r"\s*whatever\b", 'begin with the subject, and say "every" or "any"'),
}
SENTENCE = {name: re.compile(pattern, re.IGNORECASE) for name, (pattern, _) in PATTERNS.items()}
HEAD = {name: re.compile(pattern, re.IGNORECASE) for name, (pattern, _) in HEADS.items()}
REMEDIES = {name: remedy for name, (_, remedy) in [*PATTERNS.items(), *HEADS.items()]}
ANY = re.compile("|".join(pattern for pattern, _ in PATTERNS.values()), re.IGNORECASE)
# A file without a match has no finds, so it need not be taken apart.
SUSPECT = re.compile(ANY.pattern + r'|"\s*(?:what|of|whatever)\b', re.IGNORECASE)

FILES = ["*.swift", "*.md", "*.py", "Makefile", "*/Makefile"]
# Pages that tillroll, its tests or its generator of samples write; and this file, for its patterns.
LEFT_OUT = re.compile(r"Reports/.+/|Samples/|.*/Golden/|dev/words\.py$")

COMMENT, STRING, NAME = "comment", "string", "name"


@dataclass
class Find:
    path: str
    line: int
    pattern: str
    words: str
    sentence: str
    text: str

    def __str__(self):
        return f'{self.path}:{self.line}: "{self.words}": {REMEDIES[self.pattern]}'


# Prose of a file: for each line, pieces of (kind, text).

class SwiftProse:
    """Takes comments and literals out of Swift, a line at a time."""

    TOKEN = re.compile(r'//|/\*|(#*)("""|")')

    def __init__(self):
        self.comments = 0  # depth of block comments
        self.literal = None  # the end mark of an open literal of several lines
        self.code = ""  # the last code before a literal
        self.fenced = False  # in a code block of a documentation comment

    def pieces(self, line):
        index, found = 0, []
        if self.fenced and not line.lstrip().startswith("///"):
            self.fenced = False
        while index < len(line):
            if self.comments:
                index = self._block(line, index, found)
            elif self.literal:
                index = self._rest_of_literal(line, index, found)
            else:
                token = self.TOKEN.search(line, index)
                before = line[index : token.start() if token else len(line)]
                self.code = before if before.strip() else self.code
                if not token:
                    break
                index = token.end()
                if token[0] == "//":
                    self._comment(line[index:], found)
                    break
                if token[0] == "/*":
                    self.comments = 1
                elif token[2] == '"""':
                    self.literal = '"""' + token[1]
                else:
                    kind = NAME if re.search(r"@(Test|Suite)\(\s*$", self.code) else STRING
                    text, index = self._string(line, index, len(token[1]))
                    found.append((kind, text))
                    self.code = ""
        return found

    def _comment(self, text, found):
        body = text[1:] if text.startswith("/") else text
        if body.strip().startswith("```"):
            self.fenced = not self.fenced
        # Five spaces after the slashes make a code block in documentation.
        elif not self.fenced and not (text.startswith("/") and re.match(r" {5,}\S", body)):
            found.append((COMMENT, body))

    def _block(self, line, index, found):
        for mark in re.compile(r"/\*|\*/").finditer(line, index):
            self.comments += 1 if mark[0] == "/*" else -1
            if not self.comments:
                found.append((COMMENT, line[index : mark.start()]))
                return mark.end()
        found.append((COMMENT, line[index:]))
        return len(line)

    def _rest_of_literal(self, line, index, found):
        end = line.find(self.literal, index)
        text = line[index : end if end >= 0 else len(line)]
        found.append((STRING, re.sub(r"\\#*\([^()]*\)", " ", text)))
        if end < 0:
            return len(line)
        index, self.literal, self.code = end + len(self.literal), None, ""
        return index

    def _string(self, line, index, hashes):
        """The text of a literal that begins before `index`, without what it interpolates, and the index after it."""
        close, escape, text = '"' + "#" * hashes, "\\" + "#" * hashes, []
        while index < len(line):
            if line.startswith(close, index):
                return "".join(text), index + len(close)
            if line.startswith(escape, index):
                index += len(escape)
                if line.startswith("(", index):
                    index = self._interpolated(line, index)
                else:
                    index += 1
                text.append(" ")
            else:
                text.append(line[index])
                index += 1
        return "".join(text), index

    def _interpolated(self, line, index):
        """The index after the parentheses that open at `index`; literals in them may have parentheses of their own."""
        depth = 0
        while index < len(line):
            if line[index] == '"':
                index = self._string(line, index + 1, 0)[1]
                continue
            depth += (line[index] == "(") - (line[index] == ")")
            index += 1
            if not depth:
                break
        return index


def swift_prose(text):
    reader = SwiftProse()
    return [reader.pieces(line) for line in text.split("\n")]


def markdown_prose(text):
    prose, fence = [], None
    for line in text.split("\n"):
        mark = re.match(r"\s*(```|~~~)", line)
        if mark and fence in (None, mark[1]):
            fence = None if fence else mark[1]
            prose.append([])
        else:
            prose.append([] if fence else [(COMMENT, line)])
    return prose


def python_prose(text):
    prose = [[] for _ in text.split("\n")]
    texts = {tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                prose[token.start[0] - 1].append((COMMENT, token.string))
            elif token.type in texts and is_sentence(token.string):
                body = re.sub(r"\{[^{}]*\}", " ", token.string)
                for offset, line in enumerate(body.split("\n")):
                    prose[min(token.start[0] - 1 + offset, len(prose) - 1)].append((COMMENT, line))
    except (tokenize.TokenError, SyntaxError):
        # A file that Python cannot read is still compared up to the error; the interpreter reports the error itself.
        pass
    return prose


def make_prose(text):
    """Comments, help after `##`, and quoted messages of a Makefile."""
    prose = []
    for line in text.split("\n"):
        mark = re.search(r"(?:^|\s)#+(.*)", line)
        recipe = line[: mark.start()] if mark else line
        prose.append([(COMMENT, mark[1])] if mark else [])
        prose[-1] += [(STRING, quoted) for quoted in re.findall(r'"([^"]*)"', recipe)]
    return prose


def prose(path, text):
    reader = {"swift": swift_prose, "md": markdown_prose, "py": python_prose}.get(path.rpartition(".")[2], make_prose)
    return reader(text)


def is_sentence(text):
    return len(re.findall(r"[^\W\d_]+", text)) >= 3


# Finds

def finds(path, text, wanted=None):
    """Finds in a file; `wanted` are the numbers of the lines that count, or None for all."""
    if not SUSPECT.search(text):
        return
    lines = text.split("\n")
    for number, pieces in enumerate(prose(path, text), 1):
        if wanted is not None and number not in wanted:
            continue
        for kind, piece in pieces:
            if kind == STRING and not is_sentence(piece) or kind != NAME and not ANY.search(piece):
                continue
            sentence = re.sub(r"``[^`]+``|`[^`]*`", "…", piece)
            matches = [(name, match) for name, pattern in SENTENCE.items() for match in pattern.finditer(sentence)]
            if kind == NAME:
                matches += [(name, match) for name, pattern in HEAD.items() if (match := pattern.match(sentence))]
            for name, match in sorted(matches, key=lambda found: found[1].start()):
                yield Find(path, number, name, match[0].strip(), piece, lines[number - 1])


@dataclass
class Allowance:
    pattern: str
    glob: str
    piece: str
    used: bool = False

    def covers(self, find):
        return find.pattern == self.pattern and fnmatch.fnmatchcase(find.path, self.glob) and self.piece in find.text


def parse_allowances(text):
    allowances = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            columns = line.split("\t")
            if len(columns) != 3 or not all(columns) or columns[0] not in REMEDIES:
                sys.exit(f"dev/words-allowed.txt:{number}: an entry is a pattern, a tab, a path glob, a tab, and a piece of the line")
            allowances.append(Allowance(*columns))
    return allowances


def not_allowed(found, allowances):
    for find in found:
        covering = [allowance for allowance in allowances if allowance.covers(find)]
        for allowance in covering:
            allowance.used = True
        if not covering:
            yield find


# New lines

def git(*arguments):
    """The output of git; None if git fails or is not installed."""
    try:
        done = subprocess.run(["git", "-C", ROOT, "-c", "core.quotePath=off", *arguments], capture_output=True)
    except OSError:
        return None
    return done.stdout.decode(errors="replace") if done.returncode == 0 else None


def parse_diff(text):
    """Reads a diff without context: numbers and texts of the added lines by file, and texts of all removed lines."""
    added, removed, path, number, left = collections.defaultdict(list), [], None, 0, 0
    for line in text.split("\n"):
        if left and line[:1] in "+-":
            left -= 1
            if line[0] == "-":
                removed.append(line[1:])
            else:
                added[path].append((number, line[1:]))
                number += 1
        elif line.startswith("+++ "):
            path = line[4:].rstrip("\t").removeprefix("b/")
        elif hunk := re.match(r"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", line):
            number = int(hunk[2])
            left = sum(int(count or 1) for count in (hunk[1], hunk[3]))
    return added, removed


def is_old(find, removed):
    """Whether the same change removes the sentence or the line elsewhere: it moved, or only the code of its line changed."""
    sentence = find.sentence.strip()
    return any(sentence in line or find.text.strip() == line.strip() for line in removed)


def read(path):
    try:
        return (ROOT / path).read_bytes().decode(errors="replace")
    except OSError:
        return ""


def changed_lines(base):
    """Numbers of the added lines by file, with files that git does not know yet, and the texts of all removed lines."""
    difference = git("diff", "--no-ext-diff", "--no-color", "--relative", "--find-renames", "-U0", "--src-prefix=a/", "--dst-prefix=b/",
                     base, "--", *FILES)
    added, removed = parse_diff(difference or "")
    for path in listed("--others"):
        added[path] = list(enumerate(read(path).split("\n"), 1))
    return {path: {number for number, _ in lines} for path, lines in added.items()}, removed


def listed(*which):
    return (git("ls-files", "-z", *which, "--exclude-standard", "--", *FILES) or "").split("\0")[:-1]


def is_read(path):
    return not LEFT_OUT.match(path)


def judge(base):
    commit = git("merge-base", base, "HEAD") if base else git("rev-parse", "--verify", "--quiet", "HEAD^")
    if not commit:
        print(f"words.py: there is nothing to compare with: this clone has no {base or 'parent of HEAD'}")
        return 0
    added, removed = changed_lines(commit.strip())
    found = (find for path, numbers in sorted(added.items()) if is_read(path) for find in finds(path, read(path), numbers))
    new = (find for find in found if not is_old(find, removed))
    failures = list(not_allowed(new, parse_allowances(ALLOWED.read_text(encoding="utf-8"))))
    for find in failures:
        print(find, file=sys.stderr)
    if failures:
        print(f"words.py: {len(failures)} to rewrite; a true use needs an entry in dev/words-allowed.txt", file=sys.stderr)
    return 1 if failures else 0


def measure():
    allowances = parse_allowances(ALLOWED.read_text(encoding="utf-8"))
    counts = collections.Counter()
    paths = sorted(set(listed("--cached", "--others")))
    for find in not_allowed((find for path in paths if is_read(path) for find in finds(path, read(path))), allowances):
        counts[find.pattern] += 1
        print(find)
    for name in REMEDIES:
        print(f"{counts[name]:6,}  {name}")
    print(f"{counts.total():6,}  in all")
    for allowance in allowances:
        if not allowance.used:
            print(f"hint: nothing needs this entry of dev/words-allowed.txt: {allowance.pattern}, {allowance.glob}, {allowance.piece}")
    return 0


def self_test():
    def names(path, text):
        return [(find.line, find.pattern) for find in finds(path, text)]

    swift = "\n".join([
        "let told = behind(stands) // zeros behind the text",  # 1
        '@Test("What is told is none of it", .tags(.a))',  # 2
        "@Test(",
        '    "Of two values the larger counts")',  # 4
        'let key = "told behind"; let call = f("is it \\(g("that of", x) + told) behind us")',  # 5
        "/// A `behind` in backticks, and ``told``.",
        "///     code.told()",
        "/// ```",
        "/// told",
        "/// ```",
        "/// Rows are none,",  # 11
        "/* told",  # 12
        "   stands */ let stands = 1",  # 13
        'let text = """',
        "    They are those of a run.",  # 15
        '    """',
        'let raw = #"a word is told "here" twice"#; f("Of all things here")',  # 17
        '@Suite("Whatever comes is read") struct S {}',  # 18
        '@Test("Off the record: whatsoever")',
    ])
    assert names("a.swift", swift) == [
        (1, "behind"), (2, "What"), (2, "told"), (2, "is none"), (4, "Of"), (5, "behind"), (11, "are none"), (12, "told"),
        (13, "stands"), (15, "those of"), (17, "told"), (18, "Whatever"),
    ], names("a.swift", swift)
    markdown = "It stands here, `told`.\n```\ntold\n```\nThat of\n"
    assert names("a.md", markdown) == [(1, "stands"), (5, "that of")], names("a.md", markdown)
    python = 'told = 1  # told\nx = "told"\n"""One\nis told here, or is None."""\nprint(f"it is {told} now")\n'
    assert names("a.py", python) == [(1, "told"), (4, "told")], names("a.py", python)
    make = 'told: ## what is told\n\t@echo "nothing stands here"; behind\n'
    assert names("Makefile", make) == [(1, "told"), (2, "stands")], names("Makefile", make)
    assert not names("a.swift", "// holds and withstands; told_by, retold\n")

    difference = "\n".join([
        "diff --git a/a.swift b/a.swift", "--- a/a.swift", "+++ b/a.swift", "@@ -3 +3,2 @@ func f() {", "-// moved and told", "+// new",
        "+++ told", "@@ -9,0 +11 @@", "+    // moved and told", "diff --git a/b c.md b/b c.md", "--- /dev/null", "+++ b/b c.md\t",
        "@@ -0,0 +1 @@", "+text", "",
    ])
    added, removed = parse_diff(difference)
    assert added == {"a.swift": [(3, "// new"), (4, "++ told"), (11, "    // moved and told")], "b c.md": [(1, "text")]}, added
    assert removed == ["// moved and told"]
    moved = "// new\n    // moved and told\nlet a = 1 // moved and told\n// moved and told again\n"
    assert [find.line for find in finds("a.swift", moved) if not is_old(find, removed)] == [4]

    allowances = parse_allowances("# head\n\nbehind\tSources/*\tthe plan behind\ntold\t*\tnever\n")
    plan = "// the plan behind --closed\n// bytes behind it\n"
    assert [find.line for find in not_allowed(finds("Sources/A/a.swift", plan), allowances)] == [2]
    assert [find.line for find in not_allowed(finds("Tests/a.swift", plan), allowances)] == [1, 2]
    assert [allowance.used for allowance in allowances] == [True, False]
    assert list(finds("a.swift", plan, {2}))[0].line == 2
    assert not is_read("Reports/revenue/revenue.md") and is_read("Reports/README.md") and is_read("dev/words_more.py")
    print("words.py: self-test passed")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", metavar="REV")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    return measure() if arguments.all else judge(arguments.base)


if __name__ == "__main__":
    sys.exit(main())
