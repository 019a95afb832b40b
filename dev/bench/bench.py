#!/usr/bin/env python3
"""bench.py table|compare TILLROLL --scratch DIR [--beside DIR] [--peers PYTHON]

table    times the whole command on each kind of work, in turns with a floor: the least that reading those bytes costs.
compare  times it in turns with what one would use else (baselines beside the project, run by PYTHON), sets it against
         the machine's limit, and says which goals are met.

Both print Markdown; what goes on is told on standard error. DOCS, SEED, RUNS and JOBS in the environment set sizes.
"""
import argparse
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

from bench_dumps import DOCS, Dumps
from bench_limits import Limits
from measuring import in_turns, run, table, tell

PROJECT = Path(__file__).resolve().parents[2]
# What a report may take beside its unique transactions, and for each of them.
MEMORY_BASE, MEMORY_EACH = 48 << 20, 64
# Peers that take minutes for a whole dump are given its first lines.
SLOW_LINES = {"python": 40_000, "asn1crypto": 8_000}


class Bench:
    def __init__(self, options):
        self.tool = options.tool.resolve()
        self.peers = options.peers
        self.baselines = options.beside / "bench" / "baselines"
        self.runs = int(os.environ.get("RUNS", 5))
        self.jobs = int(os.environ.get("JOBS", os.cpu_count() or 1))
        docs, seed = int(os.environ.get("DOCS", DOCS)), os.environ.get("SEED", "tillroll-1")
        self.dumps = Dumps(options.scratch, PROJECT, options.beside, options.peers, docs, seed)
        self.limits = Limits(options.beside / "bench", options.scratch / "bench" / "limits", self.jobs)
        self.checker = options.beside / "bench" / "check.py"
        self.out = self.dumps.folder / "out"
        self.out.mkdir(exist_ok=True)

    # The product's commands.

    def revenue(self, file, *flags, jobs=None):
        pricing = ["--prices", self.dumps.prices, "--refunds-by", "purchase"]
        return [self.tool, "report", "revenue", file, *pricing, *flags, *self.usual(jobs)]

    def failures(self, file):
        return [self.tool, "report", "failures", file, *self.usual()]

    def convert(self, file):
        return [self.tool, "convert", file, "--table", "transactions", "-o", self.out / "rows.parquet", "--quiet", "--jobs", str(self.jobs)]

    def verified(self, file):
        return self.revenue(file, "--trust", "require", "--anchor", self.dumps.anchor)

    def usual(self, jobs=None):
        return ["-t", "json", "--quiet", "--jobs", str(jobs or self.jobs)]

    def one_document(self):
        file = self.dumps.part(self.dumps.verify, 1)
        return [self.tool, "report", "revenue", file, *self.usual()]

    def peer(self, script, *arguments):
        """A baseline's command, or nothing where there is none."""
        path = self.baselines / script
        return [self.peers, path, *arguments] if path.is_file() else None

    def work(self):
        """Each kind of work: its name, its input, the command, the floor."""
        dumps = self.dumps
        work = [
            ("responses → revenue", dumps.verify, self.revenue(dumps.verify)),
            ("responses without base64 → revenue", dumps.bare, dumps.bare and self.revenue(dumps.bare)),
            ("receipts → revenue, 1 thread", dumps.receipts, self.revenue(dumps.receipts, "--trust", "off", jobs=1)),
            ("receipts → revenue", dumps.receipts, self.revenue(dumps.receipts, "--trust", "off")),
            ("receipts, signatures checked", dumps.receipts, self.verified(dumps.receipts)),
            ("events → failures", dumps.events, self.failures(dumps.events)),
        ]
        work = [(name, file, command, ["wc", "-l", file]) for name, file, command in work if file]
        for tool in ("gzip", "zstd"):
            if packed := dumps.compressed(dumps.verify, tool):
                work.append((f"responses, one .{packed.suffix[1:]} → revenue", packed, self.revenue(packed), [tool, "-dc", packed]))
        work.append(("responses → Parquet", dumps.verify, self.convert(dumps.verify), ["wc", "-l", dumps.verify]))
        quarter = dumps.part(dumps.verify, dumps.docs // 4)
        work.append(("a quarter of the responses → revenue", quarter, self.revenue(quarter), ["wc", "-l", quarter]))
        return work

    def plain_size(self, file):
        """Bytes of a dump as it is inflated: rates are of those."""
        return (file.with_suffix("") if file.suffix in (".gz", ".zst") else file).stat().st_size

    # Tables.

    def print_table(self):
        rows = []
        for name, file, command, floor in self.work():
            tell(f"{name} …")
            taken = in_turns({"tillroll": command, "floor": floor}, self.runs)
            ours, least, size = taken["tillroll"], taken["floor"], self.plain_size(file)
            rate = f"{size / ours.seconds / 1e6:,.0f}"
            rows.append(
                [name, f"{size / 1e6:,.0f}", f"{ours.seconds:.3f}", rate, f"{floor[0]} {least.seconds:.3f}"]
                + [f"{least.seconds / ours.seconds:.0%}", f"{ours.peak_bytes / 1e6:.0f}"]
            )
        start = in_turns({"tillroll": self.one_document(), "floor": ["true"]}, 20)
        ours, least = start["tillroll"], start["floor"]
        ratio = f"{least.seconds / ours.seconds:.0%}"
        rows.append(["one document", "0", f"{ours.seconds:.4f}", "–", f"true {least.seconds:.4f}", ratio, f"{ours.peak_bytes / 1e6:.0f}"])
        table(["work", "MB", "s", "MB/s", "floor, s", "of the floor", "peak, MB"], rows)
        self.print_origin()

    def print_origin(self):
        print(
            f"\n{time.strftime('%Y-%m-%d')}, {self.jobs} of {os.cpu_count()} processors ({processor()}), page cache warm, "
            f"medians of {self.runs} runs in turns. Data: {self.dumps.origin()}."
        )

    def print_comparison(self):
        dumps, rows = self.dumps, []
        self.check_answers()
        text = lambda script, file: self.peer(script, file, dumps.folder / "prices.csv", self.out / "peer.json")
        add = lambda *arguments, **goals: rows.append(self.compare(*arguments, **goals))
        add("responses → revenue", dumps.verify, self.revenue(dumps.verify), "DuckDB",
                        text("verify_duckdb.py", dumps.verify), ahead=5, limit=self.limits.json("verify", dumps.verify), of_limit=0.7)
        add("the same without base64", dumps.bare, self.revenue(dumps.bare), "DuckDB",
            text("verify_duckdb.py", dumps.bare), ahead=5, limit=self.limits.json("verify", dumps.bare), of_limit=0.7)
        part = dumps.part(dumps.receipts, min(SLOW_LINES["python"], dumps.docs))
        add("receipts, 1 thread", dumps.receipts, self.revenue(dumps.receipts, "--trust", "off", jobs=1), "Python DER",
            text("receipts_python_der.py", part), peer_file=part, ahead=50, limit=self.limits.receipts(dumps.receipts), of_limit=0.6)
        add(f"receipts, {self.jobs} threads", dumps.receipts, self.revenue(dumps.receipts, "--trust", "off"), "1 thread",
            self.revenue(dumps.receipts, "--trust", "off", jobs=1), ahead=1.9)
        part = dumps.part(dumps.receipts, min(SLOW_LINES["asn1crypto"], dumps.docs))
        signatures = self.limits.signatures()
        size = dumps.receipts.stat().st_size / dumps.documents("receipts") / 1e6
        add("receipts, signatures checked", dumps.receipts, self.verified(dumps.receipts), "asn1crypto",
            self.peer("receipts_asn1crypto.py", part, dumps.folder / "prices.csv", self.out / "peer.json", "verify"),
            peer_file=part, ahead=50, limit=signatures and signatures * size * self.jobs, of_limit=0.75)
        add("events → failures", dumps.events, self.failures(dumps.events), "DuckDB",
            self.peer("events_duckdb.py", dumps.events, self.out / "peer.json"), ahead=3,
            limit=self.limits.json("events", dumps.events), of_limit=0.8)
        # One thread inflates, so its library is the limit. The goals of zstd are ours.
        for tool, limit, goals in (("gzip", self.limits.gzip, (2.3, 0.95)), ("zstd", self.limits.zstd, (2.3, 0.9))):
            if packed := dumps.compressed(dumps.verify, tool):
                add(f"one .{packed.suffix[1:]} → revenue", packed, self.revenue(packed), "DuckDB",
                    text("verify_duckdb.py", packed), ahead=goals[0], limit=limit(packed, self.plain_size(packed)), of_limit=goals[1])
        add("responses → Parquet", dumps.verify, self.convert(dumps.verify), "DuckDB",
            self.peer("convert_duckdb.py", dumps.verify, self.out / "peer.parquet"), ahead=3)
        quarter = dumps.part(dumps.verify, dumps.docs // 4)
        add("4 × the responses", dumps.verify, self.revenue(dumps.verify), "¼ of them", self.revenue(quarter), peer_file=quarter, ahead=0.9)
        table(["work", "s", "MB/s", "peak, MB", "against", "its s", "its peak, MB", "ahead", "of the limit"], rows)
        self.print_start()
        for name, file in (("responses", dumps.verify), ("a quarter of them", quarter)):
            self.print_memory(name, file)
        self.print_origin()

    def compare(self, name, file, command, peer_name, peer, peer_file=None, ahead=None, limit=None, of_limit=None):
        """One line: both in turns, rates of the bytes that each was given."""
        tell(f"{name} …")
        size = self.plain_size(file)
        taken = in_turns({"tillroll": command, **({"peer": peer} if peer else {})}, self.runs)
        ours = taken["tillroll"]
        rate = size / ours.seconds
        row = [name, f"{ours.seconds:.3f}", f"{rate / 1e6:,.0f}", f"{ours.peak_bytes / 1e6:.0f}"]
        if "peer" in taken:
            theirs = taken["peer"]
            ratio = rate * theirs.seconds / self.plain_size(peer_file or file)
            row += [peer_name, f"{theirs.seconds:.3f}", f"{theirs.peak_bytes / 1e6:.0f}", f"{ratio:.2f} ×{verdict(ratio, ahead, ' ×')}"]
        else:
            row += ["–"] * 4
        share = limit and rate / 1e6 / limit
        return row + [f"{share:.0%}{verdict(share * 100, of_limit * 100, ' %')}" if share else "–"]

    def print_start(self):
        taken = in_turns({"one": self.one_document(), "nothing": ["true"]}, 20)
        one, nothing = taken["one"].seconds * 1000, taken["nothing"].seconds * 1000
        print(f"\nOne document: {one:.1f} ms, {one - nothing:.1f} ms more than `true`{verdict(nothing - one, -6, ' ms')}.")

    def print_memory(self, name, file):
        answer = subprocess.run(self.revenue(file), capture_output=True, check=True).stdout
        unique = json.loads(answer)["input"]["unique_transactions"]
        peak, goal = run(self.revenue(file)).peak_bytes, MEMORY_BASE + MEMORY_EACH * unique
        print(f"Memory, {name}: {peak / 1e6:.1f} MB for {unique:,} unique transactions{verdict(-peak / 1e6, -goal / 1e6, ' MB')}.")

    def check_answers(self):
        """Speed counts for nothing where an answer is wrong."""
        dumps = self.dumps
        for section, command in [
            ("verify", self.revenue(dumps.verify)),
            ("receipts.unverified", self.revenue(dumps.receipts, "--trust", "off")),
            ("receipts.verified", self.verified(dumps.receipts)),
            ("events", self.failures(dumps.events)),
        ]:
            answer = self.out / "answer.json"
            with open(answer, "wb") as file:
                subprocess.run(command, stdout=file, check=True)
            if subprocess.run([sys.executable, self.checker, dumps.truth, section, answer], stdout=subprocess.DEVNULL).returncode:
                sys.exit(f"{section}: the answer is not the generator's; remedy: {self.checker.name} {dumps.truth} {section} {answer}")
        tell("all answers are the generator's")


def verdict(value, goal, unit):
    """The goal, and whether it was missed; negative figures are those that should be small."""
    if goal is None:
        return ""
    told = f"{abs(goal):,.1f}".removesuffix(".0") + unit
    return f" (goal {told})" if value >= goal else f" (**missed**: {told})"


def processor():
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["table", "compare"])
    parser.add_argument("tool", type=Path)
    parser.add_argument("--scratch", type=Path, required=True)
    parser.add_argument("--beside", type=Path, default=PROJECT.parent / "shared")
    parser.add_argument("--peers", default=sys.executable)
    options = parser.parse_args()
    if not options.tool.is_file():
        parser.error(f"{options.tool} is not there; remedy: make build")
    if options.what == "compare" and not (options.beside / "bench" / "baselines").is_dir():
        sys.exit(f"nothing to compare with: no baselines below {options.beside}")
    bench = Bench(options)
    if options.what == "table":
        bench.print_table()
    elif bench.dumps.generated:
        bench.print_comparison()
    else:
        sys.exit("nothing to compare: peers answer for generated dumps, and they cannot be made here")


if __name__ == "__main__":
    main()
