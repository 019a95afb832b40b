#!/usr/bin/env python3
"""Compares `tillroll reconcile` with the exact answers of a generator of Apple's reports.

    reconcile_check.py TILLROLL --generator generate.py --reports apple_reports.py [--seeds N] [--docs N]

For each seed a dump is made, and Apple's reports of it twice: as they are, and with planted differences. Summary Sales, financial
reports and Financial Detail are compared row by row, with totals, causes, the list of files and the exit status; reports that cover
the same days must be refused. Prints a line for each seed and ends with 1 where anything differs.
"""
import argparse, json, subprocess, sys, tempfile
from pathlib import Path

MONEY = {"gross", "apple_gross", "gross_difference", "refunds", "apple_refunds", "refunds_difference", "proceeds"}


def run(*command):
    return subprocess.run([str(part) for part in command], capture_output=True)


def reconcile(tool, dump, out, *folders):
    apple = [part for folder in folders for part in ("--apple", out / folder)]
    return run(tool, "reconcile", *apple, dump / "verify.ndjson", "--prices", out / "prices.csv", "-t", "json", "--quiet")


def differences(tool, dump, out):
    """What differs from the truth, a text each."""
    truth = json.loads((out / "truth-reconcile.json").read_text())
    for name in ("sales", "financial", "detail"):
        want, got = truth[name], reconcile(tool, dump, out, name)
        if got.returncode != want["status"]:
            yield f"{name}: status {got.returncode}, not {want['status']}: {got.stderr.decode()[:200]}"
            continue
        # Amounts are compared as they are printed.
        report = json.loads(got.stdout, parse_float=str)
        for table in ("reconciliation", "totals", "causes"):
            rows = [{k: str(v) if k in MONEY and v is not None else v for k, v in row.items()} for row in report[table]]
            if [list(row.items()) for row in rows] != [list(row.items()) for row in want[table]]:
                bad = next((pair for pair in zip(rows, want[table]) if pair[0] != pair[1]), (len(rows), len(want[table])))
                yield f"{name}.{table}: {bad[0]} instead of {bad[1]}"
        by_file = lambda rows: sorted(rows, key=lambda row: row["file"])
        if by_file(report["apple"]) != by_file(want["apple"]):
            yield f"{name}.apple differs"
    for name in ("sales", "financial"):
        if reconcile(tool, dump, out, name, "overlap").returncode != 65:
            yield f"{name}: reports of the same days are not refused"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("--generator", required=True)
    parser.add_argument("--reports", required=True)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--docs", type=int, default=2000)
    a = parser.parse_args()
    failed = False
    for seed in range(1, a.seeds + 1):
        with tempfile.TemporaryDirectory() as folder:
            dump = Path(folder) / "dump"
            made = run(sys.executable, a.generator, "--out", dump, "--docs", a.docs, "--receipts", 0, "--events", 0, "--seed", f"r{seed}")
            for kind in ("clean", "planted"):
                out = Path(folder) / kind
                options = ["--clean"] if kind == "clean" else []
                if not made.returncode:
                    made = run(sys.executable, a.reports, "--dump", dump, "--out", out, "--seed", f"r{seed}", *options)
                if made.returncode:
                    sys.exit(made.stderr.decode())
                found = list(differences(a.tool, dump, out))
                failed = failed or bool(found)
                print(f"seed {seed} {kind}: " + ("same" if not found else "; ".join(found)), flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
