#!/usr/bin/env python3
"""fuzz_flags.py TILLROLL SECONDS [SEED]   runs the command with flags and values at random.

Commands and flags are those of the command's own description. Whatever is given, the command must end by itself, with a status that
the manual names, and with a message where it failed; a message is text without control characters.
"""
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

STATUSES = {0, 3, 64, 65, 66, 73, 74}
SECONDS = 20
EVENT = '{"v":1,"ts":"2026-03-18T00:16:13.189Z","api":"sk2","event":"failed","error":{"domain":"SKErrorDomain","code":2}}\n'
RESPONSE = ('{"status":0,"environment":"Production","receipt":{"bundle_id":"b","in_app":[{"transaction_id":"1","product_id":"p",'
            '"quantity":"1","purchase_date_ms":"1772446500120"}]}}\n')
FILES = {
    "in.ndjson": EVENT + RESPONSE, "prices.csv": "product_id,currency,price\np,USD,1.99\n", "empty": "", "broken": "{\x00\xff",
    "rates.csv": "date,currency,per_eur\n2026-03-02,USD,1.08\n", "accounts.csv": "entry,account\nsales,Income\n",
}
VALUES = """
    0 1 -1 2 17 256 257 9223372036854775807 9223372036854775808 0.30 1e5 -0 50% 101% 1P% 1K 2GiB 0B 24h 7d 2w 0d 999999999w 2026-03 2026-13
    2026-03-02 2026-02-30 0000-01 9999-12-31 2026-03-02T10:15:00Z FY26 FY26-06 FY26-Q5 FY00-13 UTC Europe/Berlin ../etc Berlin USD usd XXX EUR
    auto always never table csv json ndjson markdown html xlsx ledger parquet in.ndjson prices.csv empty broken rates.csv accounts.csv out.json
    out.html out.xlsx rows/ part.tillpart no-such-file month product,currency month,month app_version ongoing opened@1h rate>90%/7d count>=-1 z> net:month=2026-03
    code=500,hour=2026-03-02T10:00:00Z 0-10 10-5 5- all revenue failures nothing é \u202e - -- = , '' purchase refund half-even gregorian
""".split() + ["", " ", "March 2026", "a" * 5000, "\x1b[31m", "\n"]


def commands(help):
    """The words of each command, with its flags and whether a value follows."""
    for command in help["commands"]:
        # These wait for more input, or for a time.
        flags = [(f"--{flag['name']}", flag["value"] is None) for flag in command["flags"] if flag["name"] not in ("watch", "endpoint")]
        yield tuple(command["name"].split()), flags


def problem(run):
    if run.returncode not in STATUSES:
        return f"status {run.returncode}"
    if run.returncode in (64, 65, 66, 73, 74) and not (run.stderr + run.stdout).strip():
        return f"status {run.returncode} without a message"
    message = run.stderr.decode(errors="surrogateescape")
    if any(ord(c) < 0x20 and c not in "\n\t" or 0xDC80 <= ord(c) <= 0xDCFF for c in message):
        return "a message with control characters"
    return "a fatal error" if "Fatal error" in message else None


def main():
    tool, seconds = str(Path(sys.argv[1]).resolve()), float(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else time.time_ns() % 10**9
    chance = random.Random(seed)
    known = list(commands(json.loads(subprocess.run([tool, "--dump-help"], capture_output=True, check=True).stdout)))
    end, runs, statuses = time.monotonic() + seconds, 0, {}
    while time.monotonic() < end:
        with tempfile.TemporaryDirectory(prefix="tillroll-flags-") as folder:
            for name, text in FILES.items():
                Path(folder, name).write_bytes(text.encode("latin-1", "replace"))
            for _ in range(50):
                path, options = chance.choice(known)
                words = [*path]
                for _ in range(chance.randrange(5)):
                    name, alone = chance.choice(options) if options and chance.random() < 0.95 else ("--nothing", True)
                    words += [name] if alone or chance.random() < 0.05 else [name, chance.choice(VALUES)]
                words[len(path):len(path)] = [chance.choice(["revenue", "failures", "all", "deferred", "in.ndjson"])
                                              for _ in range(chance.randrange(2))]
                words += [chance.choice(VALUES if chance.random() < 0.2 else ["in.ndjson", "empty", "broken"])] * chance.randrange(2)
                try:
                    run = subprocess.run([tool, *words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS)
                    found = problem(run)
                except subprocess.TimeoutExpired:
                    found = f"no end within {SECONDS} s"
                except ValueError:
                    continue
                runs += 1
                if found:
                    print(f"seed {seed}: {found}: {words!r}\n{run.stderr[-600:]!r}", file=sys.stderr)
                    return 1
                statuses[run.returncode] = statuses.get(run.returncode, 0) + 1
    print(f"seed {seed}: {runs} runs, by status {dict(sorted(statuses.items()))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
