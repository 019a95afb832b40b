#!/usr/bin/env python3
"""bench_guard.py TILLROLL   fails where a line costs more instructions than it did.

Counts them under valgrind (callgrind), on samples repeated some and twice as many times, so that start-up cancels out. Two cases are
about the end of a run: a report on rows of 200,000 transactions or events, where reading costs little.
Counts hardly depend on the machine or on what else it does; MARGIN is for other processors and versions of libraries.
"""
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from bench_dumps import repeat

SAMPLES = Path(__file__).resolve().parents[2] / "Samples"
MARGIN = 1.03

# Copies are passed over from the second stretch on, so a dump is read in one stretch, or in so many that the first counts for little.
WHOLE = ["--chunk-size", 1 << 24]
REVENUE = ["report", "revenue", "--prices", SAMPLES / "prices.csv"]

# What is counted: the sample, how many lines at least, flags, and the known instructions per line (`make build`, 2026-11-28). A change
# that makes one of them fall or rise writes the new figure here, and says why in its commit.
CASES = {
    "verify": ("verify/responses.ndjson", 200, [*REVENUE, *WHOLE], 28_200),
    "verify, copies": ("verify/responses.ndjson", 2000, REVENUE, 16_700),
    "receipts": ("pkcs7/receipts.ndjson", 200, ["report", "revenue", "--trust", "off", *WHOLE], 38_700),
    "receipts, copies": ("pkcs7/receipts.ndjson", 2000, ["report", "revenue", "--trust", "off"], 21_300),
    "receipts, verified": ("pkcs7/receipts.ndjson", 40, ["report", "revenue", "--anchor", SAMPLES / "test-roots.pem"], 369_400),
    # The further lines are copies, and a payload that is a copy is read as any other.
    "payloads": ("studio/transactions.ndjson", 2000, [*REVENUE, *WHOLE], 13_700),
    "events": ("events/events.ndjson", 1000, ["report", "failures"], 5_150),
    "convert": ("verify/responses.ndjson", 200, ["convert", "--table", "transactions", "-t", "parquet", "-o", "-"], 33_900),
}

# The same for a report on rows: the sample, its ids, and the flags. Each further copy of the sample has ids of its own.
TRANSACTION_IDS = rb'("(?:originalT|t)ransactionId":")(\d+)"'
ROWS = 200_000
ENDS = {
    "end, all reports": ("studio/transactions.ndjson", TRANSACTION_IDS, ["report", "all", "--prices", SAMPLES / "prices.csv"], 25_500),
    "end, failures": ("events/events.ndjson", None, ["report", "failures"], 6_450),
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


def rows(tool, sample, ids, folder):
    """Writes the sample as Parquet, repeated up to ROWS lines, and gives the folder and the number of lines."""
    dump = Path(folder) / "dump.ndjson"
    once = (SAMPLES / sample).read_bytes()
    times = -(-ROWS // once.count(b"\n"))
    with open(dump, "wb") as file:
        for copy in range(times):
            # Another beginning: the ids keep their order, and stay ids of one chain where they were.
            file.write(re.sub(ids, lambda match: b"%s%d%s\"" % (match[1], copy + 1, match[2]), once) if ids else once)
    written = Path(folder) / "rows"
    subprocess.run([tool, "convert", dump, "-o", f"{written}/", "--quiet"], check=True)
    return written, times * once.count(b"\n")


def per_row(tool, sample, ids, flags):
    with tempfile.TemporaryDirectory() as folder:
        written, count = rows(tool, sample, ids, folder)
        return instructions([tool, *map(str, flags), written, "--jobs", "1", "--quiet"]) / count


def main(tool):
    if not shutil.which("valgrind"):
        print("******** instructions were NOT COUNTED: there is no valgrind here ********", file=sys.stderr)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        tool = stripped(tool, folder)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            # The longest ones first.
            jobs = {name: pool.submit(per_row, tool, *case[:-1]) for name, case in ENDS.items()}
            jobs |= {name: pool.submit(per_line, tool, *case[:-1]) for name, case in CASES.items()}
            counts = {name: job.result() for name, job in jobs.items()}
    failed = False
    for name, count in counts.items():
        known = (CASES | ENDS)[name][-1]
        print(f"{name:20} {count:12,.0f} instructions per line, {count / known:5.2f} times what is known", flush=True)
        if count > known * MARGIN:
            failed = True
            print(
                f"{name}: more than {MARGIN} times {known:,}; remedy: profile it (valgrind --tool=callgrind), or write the new figure "
                "into dev/bench/bench_guard.py and say in the commit what it bought",
                file=sys.stderr,
            )
        elif count * MARGIN < known:
            print(f"{name}: less than before; write {round(count, -2):,.0f} into dev/bench/bench_guard.py")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
