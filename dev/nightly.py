#!/usr/bin/env python3
"""Runs the tests that are too long for every change, part by part, and keeps a table of what passed.

    nightly.py run [PART…]    runs the named parts, or all that have not passed on this tree; a later call goes on where one ended
    nightly.py turn           runs one short part, which the tree chooses: a share of the nightly run for each change
    nightly.py list           prints the parts with their last results
    nightly.py tree           prints the id of the tree

The table is Tests/nightly.tsv, with one row for each part: the tree that it ran on, the day, its minutes and its result. Commit it after a
run. The id names the git tree of HEAD without this table, so committing the table does not change it.
"""
import datetime
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = "Tests/nightly.tsv"
HEAD = "part\ttree\tday\tminutes\tresult\n"
# A part that took at most this many minutes is short enough to run with a change.
SHORT = 3.0
# Groups of hostile shapes, each a part.
GROUPS = 12

TESTS = "make --no-print-directory test SEEDS=all TESTS="
FAULTS = "make --no-print-directory faults FAULTS="

# The name of each part, and its command. Each command makes what it needs.
PARTS = {
    # All seeds of the tests with random data.
    "seeds-reports": f"{TESTS}'^TillReportsTests'",
    "seeds-ledger": f"{TESTS}'^(TillLedger|TillPricing|TillReference|TillColumns|TillParquet|TillCore)Tests'",
    "seeds-reading": f"{TESTS}'^(TillReceipts|TillSigned|TillLegacy|TillLines|TillJSON|TillInput|Corpus|Hostile|Quirk)Tests'",
    "seeds-command": f"{TESTS}'^(Tillroll|TillPipeline|TillTrust|TillInspect|TillRender|TillSubmit|TillSystem|TillThreads)Tests'",
    # Every call of the system fails in every command, with every error that it can have.
    "faults-convert": f"{FAULTS}convert",
    "faults-report": f"{FAULTS}report",
    "faults-merge": f"{FAULTS}merge",
    "faults-others": f"{FAULTS}inspect,schema,codes,verify,help,reconcile,prices,partial",
    # Input that was made to be slow, with all commands that read it.
    **{
        f"shapes-{number}": f"make --no-print-directory complexity CASES='--group {number}/{GROUPS}'"
        for number in range(1, GROUPS + 1)
    },
    # Other programs as judges.
    "interop": "make --no-print-directory interop",
    "spark": "make --no-print-directory spark-test SPARK_TESTS=",
    "workbooks": "make --no-print-directory workbook-check",
    "trust": "make --no-print-directory trust-check",
    "reconciliation": "make --no-print-directory reconcile-check",
    "incidents": "make --no-print-directory incidents-check",
    # The command as it is released.
    "cases-of-dist": "make --no-print-directory cases-of-dist",
    "same-bytes": "make --no-print-directory dist-check",
    # Sanitizers; all but the kernels build everything anew.
    "kernels": "make --no-print-directory sanitize SANITIZERS=kernels",
    "address": "make --no-print-directory sanitize SANITIZERS=address",
    "threads": "make --no-print-directory sanitize SANITIZERS=thread",
    # An hour of fuzzing: some 30 targets, twice.
    "fuzz-plain": "make --no-print-directory fuzz FUZZ_BUILD=plain FUZZ_SECONDS=70",
    "fuzz-address": "make --no-print-directory fuzz FUZZ_SECONDS=50",
    # Commands that run on, and input without an end in sight.
    **{f"soak-{part}": f"make --no-print-directory soak SOAK_PARTS={part}" for part in ("line", "files", "stdin", "trickle")},
}

# Parts that compare with what lies beside the project; a clone without it does without them.
COMPARED = {"trust", "reconciliation", "incidents"}


def git(*arguments, **environment):
    return subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True, env={**os.environ, **environment}
    ).stdout.strip()


def tree():
    """The id of HEAD's tree without the table; empty outside of a checkout."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            index = f"{folder}/index"
            git("read-tree", "HEAD", GIT_INDEX_FILE=index)
            git("rm", "--quiet", "--cached", "--ignore-unmatch", TABLE, GIT_INDEX_FILE=index)
            return git("write-tree", GIT_INDEX_FILE=index)
    except (subprocess.CalledProcessError, FileNotFoundError):
        return ""


def results():
    """The rows of the table by part: tree, day, minutes, result."""
    path = ROOT / TABLE
    lines = path.read_text().splitlines()[1:] if path.exists() else []
    return {name: rest for name, *rest in (line.split("\t") for line in lines)}


def write(rows):
    ordered = sorted(rows, key=lambda name: list(PARTS).index(name) if name in PARTS else len(PARTS))
    (ROOT / TABLE).write_text(HEAD + "".join("\t".join([name, *rows[name]]) + "\n" for name in ordered if name in PARTS))


def run_part(name):
    """Runs one part; gives its minutes, and whether it passed."""
    print(f"nightly: {name}: {PARTS[name]}", flush=True)
    start = time.monotonic()
    status = subprocess.run(["sh", "-c", PARTS[name]], cwd=ROOT, stdin=subprocess.DEVNULL).returncode
    minutes = (time.monotonic() - start) / 60
    print(f"nightly: {name}: {'passed' if status == 0 else f'failed with status {status}'}, {minutes:.1f} minutes", flush=True)
    return minutes, status == 0


def can_run(name):
    return name not in COMPARED or (ROOT.parent / "shared").is_dir()


def run(names):
    unknown = [name for name in names if name not in PARTS]
    if unknown:
        sys.exit(f"nightly: there is no part '{unknown[0]}'; see 'nightly.py list'")
    changed = git("status", "--porcelain", "--", ".", f":!{TABLE}")
    if changed:
        sys.exit(f"nightly: commit these changes first, since the table names the tree that was tested:\n{changed}")
    here = tree()[:12]
    failed = []
    for name in names or PARTS:
        row = results().get(name)
        if not names and row and row[0] == here and row[3] == "passed":
            continue
        if not names and not can_run(name):
            print(f"nightly: {name}: SKIPPED, because a clone has no ../shared to compare with", flush=True)
            continue
        minutes, passed = run_part(name)
        day = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
        # Read again: another call may have written a row in the meantime.
        write({**results(), name: [here, day, f"{minutes:.1f}", "passed" if passed else "failed"]})
        if not passed:
            failed.append(name)
    if failed:
        sys.exit(f"nightly: failed: {', '.join(failed)}")
    print(f"nightly: {TABLE} has the results; commit it")


def turn():
    short = [name for name, row in results().items() if name in PARTS and row[3] == "passed" and float(row[2]) <= SHORT]
    short = [name for name in short if can_run(name)]
    here = tree()
    if not short or not here:
        print("nightly: no part was run: there is no checkout of git, or no short part in the table")
        return
    name = short[int(here, 16) % len(short)]
    print(f"nightly: tree {here[:12]} chooses part '{name}' of {len(short)} short ones")
    if not run_part(name)[1]:
        sys.exit(f"nightly: part '{name}' failed; repeat it with: dev/nightly.py run {name}")


def list_parts():
    rows = results()
    here = tree()[:12]
    for name in PARTS:
        where, day, minutes, result = rows.get(name, ["", "", "", "has not run"])
        print(f"{name:16} {result:12} {minutes:>6} {'min' if minutes else '':4} {day:11} {'this tree' if where == here else where}")


def main():
    command, *names = sys.argv[1:] or ["list"]
    if command == "run":
        run(names)
    elif command in ("turn", "list", "tree") and not names:
        {"turn": turn, "list": list_parts, "tree": lambda: print(tree())}[command]()
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
