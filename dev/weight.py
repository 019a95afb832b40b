#!/usr/bin/env python3
"""Counts the lines of Swift of each module, and fails where a module has grown without a word about it.

    weight.py                       prints the table: lines, the recorded figure, the aim, the difference to the record
    weight.py --record [MODULE…]    records today's lines, of all modules or of those named
    weight.py --self-test

A module is a folder of Sources with Swift files; Tests is one more row. Every line counts, as in `wc -l`. A module may be up to
3 % larger than its record. The record follows a module that becomes lighter: below 97 % a hint asks for a new record.
"""
import argparse
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = Path(__file__).resolve().with_name("weight.tsv")
COMMAND = "python3 dev/weight.py --record"
TESTS = "Tests"
# Percent of the recorded lines by which a module may differ from its record.
ALLOWED = 3


@dataclass
class Row:
    recorded: int
    aim: int | None


def swift_files(root):
    """Paths of the Swift files, relative to `root`; in a checkout without ignored files, elsewhere without hidden folders."""
    try:
        listed = subprocess.run(
            ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "Sources", TESTS],
            capture_output=True, check=True,
        ).stdout.decode(errors="surrogateescape").split("\0")
    except (OSError, subprocess.CalledProcessError):
        listed = []
    # A tarball that was unpacked inside another checkout has no files in it.
    if not any(listed):
        found = (path.relative_to(root) for top in ("Sources", TESTS) for path in (root / top).rglob("*.swift"))
        listed = [path.as_posix() for path in found if not any(part.startswith(".") for part in path.parts)]
    return sorted({path for path in listed if path.endswith(".swift")})


def module(path):
    """The module of a file; None for a file that lies directly in Sources."""
    top, *rest = path.split("/")
    return TESTS if top == TESTS else rest[0] if len(rest) > 1 else None


def count(root):
    lines = {}
    for path in swift_files(root):
        name = module(path)
        # Git still lists a file that was deleted without `git rm`.
        if name and (root / path).is_file():
            lines[name] = lines.get(name, 0) + (root / path).read_bytes().count(b"\n")
    return lines


def parse(text):
    """The head comment, and the rows by module."""
    head, rows = [], {}
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#"):
            head.append(line)
        elif line.strip():
            try:
                name, recorded, aim = line.split("\t")
                rows[name] = Row(int(recorded), None if aim == "-" else int(aim))
            except ValueError:
                sys.exit(f"dev/weight.tsv:{number}: a row has three columns: module, recorded lines, and the aim or a hyphen")
    return head, rows


def written(head, rows):
    order = sorted(rows, key=lambda name: (name == TESTS, name.lower()))
    body = (f"{name}\t{rows[name].recorded}\t{'-' if rows[name].aim is None else rows[name].aim}" for name in order)
    return "\n".join([*head, *body]) + "\n"


def growth(lines, recorded):
    return lines / recorded - 1 if recorded else float(lines > 0)


def judge(lines, rows):
    """Failures, and hints to record a lighter module: a sentence each."""
    failures, hints = [], []
    for name in sorted(lines.keys() | rows.keys(), key=str.lower):
        if name not in rows:
            failures.append(
                f"{name} has {lines[name]:,} lines and no record: run `{COMMAND} {name}`, then give it an aim in dev/weight.tsv"
            )
        elif name not in lines:
            failures.append(f"{name} is recorded and has no Swift files: run `{COMMAND} {name}`, which removes its row")
        else:
            now, recorded = lines[name], rows[name].recorded
            change = growth(now, recorded)
            # In integers, so that exactly 3 % is allowed.
            if 100 * now > (100 + ALLOWED) * recorded:
                failures.append(
                    f"{name} has {now:,} lines, {change:.1%} more than recorded: make it lighter, "
                    f"or run `{COMMAND} {name}` and say in the commit message what the growth buys"
                )
            elif 100 * now < (100 - ALLOWED) * recorded:
                hints.append(f"{name} has {now:,} lines, {-change:.1%} fewer than recorded: run `{COMMAND} {name}`")
    return failures, hints


def updated(lines, rows, names):
    """Rows with the lines of today, for the named modules; aims stay, and the row of a module without files goes."""
    fresh = dict(rows)
    for name in names:
        if name in lines:
            fresh[name] = Row(lines[name], rows[name].aim if name in rows else None)
        else:
            fresh.pop(name, None)
    return fresh


def table(lines, rows):
    def cells(name, now, recorded, aim):
        change = f"{growth(now, recorded):+.1%}" if now is not None and recorded else "-"
        return [name, *("-" if number is None else f"{number:,}" for number in (now, recorded, aim)), change]

    def row(name):
        known = rows.get(name, Row(None, None))
        return cells(name, lines.get(name), known.recorded, known.aim)

    modules = sorted((lines.keys() | rows.keys()) - {TESTS}, key=str.lower)
    recorded = [rows[name] for name in modules if name in rows]
    total = cells(
        "all of Sources", sum(lines.get(name, 0) for name in modules),
        sum(known.recorded for known in recorded), sum(known.aim or 0 for known in recorded),
    )
    header = ["module", "lines", "recorded", "aim", "change"]
    shown = [header, *map(row, modules), total, row(TESTS)]
    widths = [max(map(len, column)) for column in zip(*shown)]
    for line in shown:
        print("  ".join([line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:]))]))


def record(lines, head, rows, names):
    unknown = [name for name in names if name not in lines and name not in rows]
    if unknown:
        sys.exit(f"no module is named {', '.join(unknown)}")
    fresh = updated(lines, rows, names or lines.keys() | rows.keys())
    for name in sorted(rows.keys() | fresh.keys(), key=str.lower):
        before, after = rows.get(name), fresh.get(name)
        if before != after:
            old, new = (f"{row.recorded:,}" if row else "nothing" for row in (before, after))
            change = f" ({growth(after.recorded, before.recorded):+.1%})" if before and after else ""
            print(f"{name}: {old} → {new}{change}")
    TABLE.write_text(written(head, fresh), encoding="utf-8")


def self_test():
    rows = {"A": Row(1000, 800), "B": Row(1000, None)}
    same = {"A": 1000, "B": 1000}
    assert judge(same, rows) == ([], []), "equal"
    assert judge({**same, "A": 1030}, rows) == ([], []), "3 % more is allowed"
    assert judge({**same, "A": 970}, rows) == ([], []), "3 % fewer needs no record"
    failures, hints = judge({**same, "A": 1031}, rows)
    assert len(failures) == 1 and "A has 1,031 lines, 3.1% more" in failures[0] and not hints, "growth"
    failures, hints = judge({**same, "A": 969}, rows)
    assert not failures and len(hints) == 1 and "3.1% fewer" in hints[0], "a lighter module"
    failures, _ = judge({**same, "C": 5}, rows)
    assert len(failures) == 1 and failures[0].startswith("C has 5 lines and no record"), "missing"
    failures, _ = judge({"A": 1000}, rows)
    assert len(failures) == 1 and failures[0].startswith("B is recorded"), "gone"
    assert judge({**same, "A": 1}, {**rows, "A": Row(0, None)})[0], "growth from nothing"

    assert updated({"A": 900, "C": 5}, rows, ["A", "B", "C"]) == {"A": Row(900, 800), "C": Row(5, None)}, "aims stay"
    assert updated({"A": 900, "B": 1}, rows, ["A"]) == {"A": Row(900, 800), "B": Row(1000, None)}, "only the named module"
    text = "# head\nA\t1000\t800\nB\t1000\t-\n"
    assert parse(text) == (["# head"], rows) and written(*parse(text)) == text, "the table survives reading and writing"
    assert [module(path) for path in ("Sources/A/b/c.swift", "Sources/x.swift", "Tests/ATests/t.swift")] == ["A", None, TESTS]
    print("weight.py: self-test passed")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", nargs="*", metavar="MODULE")
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    lines = count(ROOT)
    head, rows = parse(TABLE.read_text(encoding="utf-8"))
    if arguments.record is not None:
        return record(lines, head, rows, arguments.record)
    table(lines, rows)
    failures, hints = judge(lines, rows)
    for line in hints:
        print(f"hint: {line}")
    sys.stdout.flush()
    for line in failures:
        print(line, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
