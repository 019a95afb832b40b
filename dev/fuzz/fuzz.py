#!/usr/bin/env python3
"""Runs the fuzz targets in turns, keeps a count of their executions, and adds the counts up.

    fuzz.py run BINARY --build plain --seconds 10 --log LOG [--rounds N] [--sweep SECONDS] [TARGET…]
    fuzz.py sum LOG…
    fuzz.py merge BINARY [TARGET…]      makes Tests/FuzzTests/Corpus small again, from what was found

A line of the log is one process: when it ended, the build, how it made inputs (`libfuzzer` or `sweep`), the target, the number of
inputs that were checked, and the seconds that took. A find stops the turn of its target, and the status is 1 at the end.
"""

import argparse
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

FUZZ = pathlib.Path(__file__).resolve().parents[2] / "Tests" / "FuzzTests"
CORPUS = FUZZ / "Corpus"
# Bytes of the longest input, by target. Others are read in a few microseconds a kilobyte.
# Targets that read documents of every kind begin with the inputs of all formats.
DOCUMENTS = ["pkcs7", "legacy", "verify", "jws", "notification", "event", "stream"]
SEEDS = {name: DOCUMENTS for name in ("stream", "text", "trust", "inspect", "convert", "report", "ranges")}
SEEDS |= {"csv": ["csv"], "json": ["verify", "event"], "inspect": DOCUMENTS + ["csv"]}
LONGEST = {"convert": 2048, "report": 2048, "ranges": 2048, "parquet": 16384, "partial": 16384}
ENVIRONMENT = dict(os.environ, ASAN_OPTIONS="detect_leaks=0:allocator_may_return_null=1", SWIFT_BACKTRACE="enable=no",
                   SWIFT_DETERMINISTIC_HASHING="1")


def targets(binary, word=None):
    answer = subprocess.run([binary] + ([word] if word else []), capture_output=True, text=True, check=True)
    return answer.stdout.split()


def found(work, target):
    """What libFuzzer has found of a target, without what took long."""
    return sorted(p for p in (work / "finds").glob(f"{target}-*") if not p.name.startswith(f"{target}-slow"))


def seeds(target):
    names = dict.fromkeys([target] + SEEDS.get(target, []))
    return [folder / name for folder in (CORPUS, FUZZ / "FailCases") for name in names if (folder / name).is_dir()]


def turn(binary, target, seconds, work):
    """One process of libFuzzer; gives its executions, and whether it ended with a find."""
    corpus = work / "corpus" / target
    for folder in (corpus, work / "finds"):
        folder.mkdir(parents=True, exist_ok=True)
    command = [binary, target, f"-max_total_time={seconds}", "-timeout=20", "-rss_limit_mb=2048",
               f"-max_len={LONGEST.get(target, 4096)}", f"-artifact_prefix={work}/finds/{target}-", "-print_final_stats=1",
               "-verbosity=0", "-reload=0", corpus, *seeds(target)]
    run = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace", env=ENVIRONMENT)
    executed = re.search(r"number_of_executed_units:\s*(\d+)", run.stderr)
    if run.returncode:
        (work / "finds" / f"{target}.log").write_text(run.stderr[-20000:])
        rule = re.search(r"BROKEN RULE: (.{0,200})|ERROR: (.{0,120})", run.stderr)
        print(f"{target}: find in {work}/finds: {rule.group(0) if rule else run.stderr[-300:]}", flush=True)
    return int(executed.group(1)) if executed else 0, run.returncode != 0


def sweep(binary, target, seconds, seed, work):
    run = subprocess.run([binary, "sweep", target, str(seconds), str(seed)], capture_output=True, text=True, errors="replace",
                         env=ENVIRONMENT)
    executed = re.search(r": (\d+) executions", run.stdout)
    if run.returncode:
        (work / "finds").mkdir(parents=True, exist_ok=True)
        (work / "finds" / f"{target}-sweep.log").write_text(run.stderr[-20000:])
        print(f"{target}: a sweep with seed {seed} broke a rule: {run.stderr[-600:]}", flush=True)
    return int(executed.group(1)) if executed else 0, run.returncode != 0


def run(options):
    options.log.parent.mkdir(parents=True, exist_ok=True)
    log = options.log.open("a", buffering=1)
    work = options.work or FUZZ / ".build"
    swept = set(targets(options.binary, "sweeps")) if options.sweep else set()
    failed = set()
    for number in range(options.rounds):
        for target in options.targets or targets(options.binary):
            for way, seconds in (("libfuzzer", options.seconds), ("sweep", options.sweep if target in swept else 0)):
                if seconds <= 0 or (target, way) in failed:
                    continue
                start = time.monotonic()
                count, broke = turn(options.binary, target, seconds, work) if way == "libfuzzer" else \
                    sweep(options.binary, target, seconds, time.time_ns() % 10**9, work)
                stamp = time.strftime("%H:%M:%S")
                log.write(f"{stamp} {options.build} {way} {target} {count} {time.monotonic() - start:.1f}\n")
                if broke:
                    failed.add((target, way))
            if options.until and time.strftime("%H:%M") >= options.until:
                return 1 if failed else 0
    return 1 if failed else 0


def total(options):
    counts = collections.defaultdict(lambda: [0, 0.0])
    for path in options.logs:
        for line in path.read_text().splitlines():
            _, build, way, target, count, seconds = line.split()
            for key in ((target, build, way), ("all", build, way), ("all", "", "")):
                counts[key][0] += int(count)
                counts[key][1] += float(seconds)
    print(f"{'target':16} {'build':6} {'inputs by':10} {'executions':>16} {'seconds':>9} {'a second':>10}")
    for (target, build, way), (count, seconds) in sorted(counts.items(), key=lambda item: (item[0][0] == "all", item[0])):
        print(f"{target:16} {build:6} {way:10} {count:16,} {seconds:9,.0f} {count / max(seconds, 0.1):10,.0f}")


def merge(options):
    """Keeps of each target the fewest small inputs that reach what all of them reach, up to 24 of at most 2 kB."""
    work = options.work or FUZZ / ".build"
    for target in options.targets or targets(options.binary):
        merged = work / "merged" / target
        shutil.rmtree(merged, ignore_errors=True)
        merged.mkdir(parents=True)
        subprocess.run([str(word) for word in (options.binary, target, "-merge=1", "-max_len=2048", merged, *seeds(target),
                                               work / "corpus" / target)], capture_output=True, env=ENVIRONMENT, check=False)
        kept = sorted(merged.iterdir(), key=lambda path: path.stat().st_size)
        print(f"{target}: {len(kept)} inputs, {sum(p.stat().st_size for p in kept)} bytes", flush=True)
        (CORPUS / target).mkdir(exist_ok=True)
        named = {path.name for folder in seeds(target) for path in folder.iterdir()}
        for path in kept[:: max(1, len(kept) // 24)][:24]:
            if path.name not in named:
                shutil.copy(path, CORPUS / target / path.name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for name, action in (("run", run), ("merge", merge)):
        command = commands.add_parser(name)
        command.set_defaults(action=action)
        command.add_argument("binary")
        command.add_argument("targets", nargs="*")
        command.add_argument("--work", type=pathlib.Path, help="where inputs that were found are kept (Tests/FuzzTests/.build)")
        if name == "run":
            command.add_argument("--build", default="plain")
            command.add_argument("--seconds", type=int, default=10)
            command.add_argument("--sweep", type=int, default=0)
            command.add_argument("--rounds", type=int, default=1)
            command.add_argument("--until", help="the hour and minute after which no turn begins, as 15:00")
            command.add_argument("--log", type=pathlib.Path, default=FUZZ / ".build" / "executions.log")
    command = commands.add_parser("sum")
    command.set_defaults(action=total)
    command.add_argument("logs", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    sys.exit(options.action(options))


if __name__ == "__main__":
    main()
