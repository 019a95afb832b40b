#!/usr/bin/env python3
"""soak.py TILLROLL SECONDS [PART…]   runs the command for long, and on input larger than any memory.

Parts: `trickle` (for SECONDS: a pipe that trickles, stalls and bursts, logs that are rotated, signals), `stdin` (10 GB through
standard input, made on the way), `files` (a million files in a folder), `line` (lines of 1 GB). Fails where a document is lost, a row comes
late, memory grows or a file is left behind.
"""
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import soak_trickle
from soak_trickle import transaction

GIGABYTES = float(os.environ.get("SOAK_GIGABYTES", 10))
FILES = int(os.environ.get("SOAK_FILES", 1_000_000))
# Peaks that the parts may have, in bytes (docs/limits.md).
CONVERT_PEAK, REPORT_PEAK, FILES_PEAK, LINE_PEAK = 96e6, 48e6, 48e6, 200e6


def start(command, **options):
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, **options)


def end(process, began):
    """Status, seconds and peak of a process, and what it wrote."""
    written = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, time.monotonic() - began, usage.ru_maxrss * 1024, written


def count(report, name):
    import json

    return json.loads(report)["input"][name]


def pump(stream, blocks):
    try:
        for block in blocks:
            stream.write(block)
        stream.close()
    except BrokenPipeError:
        pass


def judge(told, defects, name, bytes_read, outcome, peak_limit, *checks):
    status, seconds, peak, _ = outcome
    told.append(f"{name:34} {bytes_read / 1e9:6.2f} GB in {seconds:6.1f} s ({bytes_read / 1e6 / seconds:5.0f} MB/s), peak {peak / 1e6:.0f} MB")
    if status != 0:
        defects.append(f"{name}: status {status}")
    if peak > peak_limit:
        defects.append(f"{name}: peak {peak / 1e6:.0f} MB, allowed {peak_limit / 1e6:.0f} MB")
    defects.extend(f"{name}: {text}" for held, text in checks if not held)


def large_input(tool, told, defects):
    """Documents of a block differ from those of the next by the first digits of their ids."""
    lines = 2_000
    block = b"".join(transaction(number) for number in range(lines)).replace(b'"1000', b'"@@@@@@')
    blocks = max(1, int(GIGABYTES * 1e9 / len(block)))

    def all_blocks():
        return (block.replace(b"@@@@@@", b"%06d" % (100_000 + number)) for number in range(blocks))

    size, documents = len(block) * blocks, lines * blocks
    cases = [
        ("report revenue", ["report", "revenue", "-t", "json"], REPORT_PEAK + 64 * documents),
        ("report revenue, --memory 256M", ["report", "revenue", "-t", "json", "--memory", "256M"], REPORT_PEAK + 2 * 256e6),
    ]
    for name, words, limit in cases:
        began = time.monotonic()
        process = start([tool, *words], stdin=subprocess.PIPE)
        thread = threading.Thread(target=pump, args=(process.stdin, all_blocks()))
        thread.start()
        outcome = end(process, began)
        thread.join()
        judge(
            told, defects, f"stdin, {name}", size, outcome, limit,
            (outcome[0] or count(outcome[3], "documents") == documents, "documents are missing"),
            (outcome[0] or count(outcome[3], "unique_transactions") == documents, "transactions are missing"),
        )
    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        process = start([tool, "convert", "-o", f"{folder}/rows/"], stdin=subprocess.PIPE)
        thread = threading.Thread(target=pump, args=(process.stdin, all_blocks()))
        thread.start()
        outcome = end(process, began)
        thread.join()
        rows = subprocess.run([tool, "report", "revenue", f"{folder}/rows", "-t", "json"], stdout=subprocess.PIPE).stdout
        judge(
            told, defects, "stdin, convert to Parquet", size, outcome, CONVERT_PEAK,
            (outcome[0] or count(rows, "unique_transactions") == documents, "rows are missing"),
        )


def many_files(tool, told, defects):
    with tempfile.TemporaryDirectory() as folder:
        size = 0
        numbers = list(range(FILES))
        random.Random(1).shuffle(numbers)
        for number in numbers:
            if number % 10_000 == 0:
                Path(folder, f"{number // 10_000:04}").mkdir(exist_ok=True)
        # Half of them in one folder, half in folders of ten thousand.
        for number in numbers:
            place = folder if number % 2 else f"{folder}/{number // 10_000:04}"
            with open(f"{place}/{number:07}.json", "wb", buffering=0) as file:
                size += file.write(transaction(number))
        for name, words in [("report revenue", ["report", "revenue", folder, "-t", "json"]),
                            ("convert", ["convert", folder, "-t", "ndjson", "--table", "transactions", "-o", "/dev/null"])]:
            began = time.monotonic()
            outcome = end(start([tool, *words]), began)
            # The names of a folder are sorted, so they are in memory, and so are the paths of all files.
            judge(
                told, defects, f"{FILES:,} files, {name}", size, outcome, FILES_PEAK + 450 * FILES,
                (name != "report revenue" or outcome[0] or count(outcome[3], "documents") == FILES, "documents are missing"),
            )


def long_lines(tool, told, defects):
    gigabyte, good = 1 << 30, transaction(1)
    filler = b"x" * (1 << 20)

    def around(first, middle, last):
        yield good
        yield first
        for _ in range(gigabyte // len(middle)):
            yield middle
        yield last + b"\n" + transaction(2)

    shapes = {
        "a text": (b'{"status":0,"a":"', filler, b'"}', 3),
        "base64": (b"MII", filler, b"", 3),
        "open brackets": (b"", b"[" * (1 << 20), b"", None),
        "one array of documents": (b"[", b",".join([good.strip()] * 4_000) + b",", good.strip() + b"]", None),
        "nothing at all": (b"", b"\0" * (1 << 20), b"", None),
    }
    for name, (first, middle, last, documents) in shapes.items():
        began = time.monotonic()
        process = start([tool, "report", "revenue", "-t", "json"], stdin=subprocess.PIPE)
        thread = threading.Thread(target=pump, args=(process.stdin, around(first, middle, last)))
        thread.start()
        outcome = end(process, began)
        thread.join()
        found = count(outcome[3], "documents") if outcome[0] == 0 else None
        judge(
            told, defects, f"a line of 1 GiB: {name}", gigabyte, outcome, LINE_PEAK,
            (outcome[0] or count(outcome[3], "unique_transactions") == 2, "a document beside it was lost"),
            (documents is None or found == documents, f"{found} documents, not {documents}"),
        )


def main(tool, seconds, *names):
    tool, seconds = str(Path(tool).resolve()), float(seconds)
    told, defects = [], []
    chosen = names or ("line", "files", "stdin", "trickle")
    for name in chosen:
        before = len(told)
        if name == "trickle":
            lines, found = soak_trickle.run(tool, seconds, seed=int(os.environ.get("SOAK_SEED", 1)))
            told += lines
            defects += found
        else:
            {"stdin": large_input, "files": many_files, "line": long_lines}[name](tool, told, defects)
        print("\n".join(told[before:]), flush=True)
    for defect in defects:
        print(defect, file=sys.stderr)
    return 1 if defects else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
