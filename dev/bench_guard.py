#!/usr/bin/env python3
"""bench_guard.py TILLROLL   fails where a document costs far more instructions than it did.

Counts them under valgrind (callgrind), on samples repeated some and twice as many times, so that start-up cancels out.
Counts hardly depend on the machine or on what else it does; MARGIN is for other compilers and other paths of libraries.
"""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from bench_dumps import repeat

SAMPLES = Path(__file__).resolve().parent.parent / "Samples"
MARGIN = 1.5

# Copies are passed over from the second stretch on, so a dump is read in one stretch, or in so many that the first counts for little.
WHOLE = ["--chunk-size", 1 << 24]
REVENUE = ["report", "revenue", "--prices", SAMPLES / "prices.csv"]

# What is counted: the sample, how many lines at least, flags, and instructions per line measured with the released command on 2026-11-22 (verify and payloads: 2026-11-27).
# A change that makes one of them fall writes the new figure here.
CASES = {
    "verify": ("verify/responses.ndjson", 200, [*REVENUE, *WHOLE], 27_200),
    "verify, copies": ("verify/responses.ndjson", 2000, REVENUE, 15_800),
    "receipts": ("pkcs7/receipts.ndjson", 200, ["report", "revenue", "--trust", "off", *WHOLE], 36_400),
    "receipts, copies": ("pkcs7/receipts.ndjson", 2000, ["report", "revenue", "--trust", "off"], 20_200),
    "receipts, verified": ("pkcs7/receipts.ndjson", 40, ["report", "revenue", "--anchor", SAMPLES / "test-roots.pem"], 368_000),
    # The further lines are copies, and a payload that is a copy is read as any other.
    "payloads": ("studio/transactions.ndjson", 2000, [*REVENUE, *WHOLE], 11_600),
    "events": ("events/events.ndjson", 1000, ["report", "failures"], 5_700),
    "convert": ("verify/responses.ndjson", 200, ["convert", "--table", "transactions", "-t", "parquet", "-o", "-"], 35_600),
}


def instructions(command):
    result = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    )
    counted = re.search(r"Collected : (\d+)", result.stderr)
    if result.returncode != 0 or not counted:
        sys.exit(f"{' '.join(map(str, command))}\nended with status {result.returncode}: {result.stderr[-800:]}")
    return int(counted[1])


def stripped(tool, folder):
    """A copy without debugging information, which valgrind 3.19 cannot read and refuses."""
    copy = Path(folder) / "tillroll"
    subprocess.run(["strip", "-o", copy, tool], check=True)
    return copy


def per_line(tool, sample, lines, flags):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "dump.ndjson"
        counts = []
        for times in (1, 2):
            written = repeat(SAMPLES / sample, lines * times, file)
            counts.append((written, instructions([tool, *map(str, flags), file, "--jobs", "1", "--quiet"])))
    (fewer, start), (more, end) = counts
    return (end - start) / (more - fewer)


def main(tool):
    if not shutil.which("valgrind"):
        print("******** instructions were NOT COUNTED: there is no valgrind here ********", file=sys.stderr)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        tool = stripped(tool, folder)
        counts = {name: per_line(tool, *case[:3]) for name, case in CASES.items()}
    failed = False
    for name, count in counts.items():
        known = CASES[name][3]
        print(f"{name:20} {count:12,.0f} instructions per line, {count / known:5.2f} times what is known", flush=True)
        if count > known * MARGIN:
            failed = True
            print(f"{name}: more than {MARGIN} times {known:,}; remedy: profile it (valgrind --tool=callgrind)", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
