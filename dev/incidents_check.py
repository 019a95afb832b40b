#!/usr/bin/env python3
"""Compares the incidents of `tillroll report failures` with a plain implementation of the rule, one by one.

    incidents_check.py TILLROLL --bench FOLDER [--seed N] [--streams N]

FOLDER holds `reference.py`, `cells.py`, `streams.py` and `streams_hard.py`. From the seed, streams of both generators are chosen and
made: most kinds once before one comes again. Of each stream, the report of the whole file must have the incidents, notices,
exceptions, verdict and now of the plain implementation. Half of a stream, in another order and with other threads, must give the same
bytes as that half in order. Prints a line for each stream, and ends with 1 where anything differs.
"""
import argparse, json, os, random, subprocess, sys, tempfile

MEMBERS = ("id", "what", "state", "since", "until", "opened", "app", "window", "failures", "attempts", "excess", "purchases")
EXCEPTIONS = ("clock_ahead", "impossible_time", "undated")


def report(tool, *arguments):
    ran = subprocess.run([tool, "report", "failures", "-t", "json", "--quiet", *arguments], capture_output=True, stdin=subprocess.DEVNULL)
    if ran.returncode:
        sys.exit(ran.stderr.decode())
    return ran.stdout


def plain(incident, bits):
    """What of an incident is compared. Causes with equal evidence, and errors with equal counts, may have any order."""
    causes = [
        (sorted(cause["values"].items()), cause["count"], cause["of"], None if cause.get("is_new") else bits(cause["score"]))
        for cause in incident["causes"]
    ]
    return {
        **{name: incident.get(name) for name in MEMBERS},
        "score": incident["score"],
        "codes": sorted(tuple(str(code[name]) for name in ("domain", "code", "failures")) for code in incident["codes"]),
        "causes": sorted(causes, key=str),
        "underlying": sorted(tuple(str(code[name]) for name in ("domain", "code", "count")) for code in incident["underlying"]),
    }


def differences(found, wanted):
    """What differs between the report and the plain implementation, a text each."""
    left = [plain(incident, lambda bits: bits) for incident in found["incidents"]]
    right = [plain(incident, lambda bits: bits >> 32) for incident in wanted["incidents"]]
    for one, other in zip(left, right):
        for name in one:
            if one[name] != other[name]:
                yield f"incident {one['id']}: {name} is {one[name]}, not {other[name]}"
    if len(left) != len(right):
        yield f"{len(left)} incidents, not {len(right)}"
    summary = found["summary"]
    for name in ("now", "verdict"):
        if str(summary[name])[:19] != str(wanted[name])[:19]:
            yield f"{name} is {summary[name]}, not {wanted[name]}"
    exceptions = [entry for entry in summary["exceptions"] if entry["name"] in EXCEPTIONS]
    if exceptions != wanted["exceptions"]:
        yield f"exceptions are {exceptions}, not {wanted['exceptions']}"
    if found["notices"] != wanted["notices"]:
        yield f"notices are {found['notices'][:2]}, not {wanted['notices'][:2]}"


def reordered(tool, lines, folder, chance):
    """Whether the order, the division into files and the number of threads change a byte."""
    half = lines[: len(lines) // 2]

    def written(name, part):
        path = os.path.join(folder, name)
        with open(path, "w") as file:
            file.writelines(part)
        return path

    ordered = report(tool, "--jobs", "1", written("ordered", half))
    shuffled = half[:]
    chance.shuffle(shuffled)
    cut = len(shuffled) // 3
    others = report(tool, "--jobs", "3", written("a", shuffled[:cut]), written("b", shuffled[cut:]))
    # The inputs themselves are named in the report.
    return {k: v for k, v in json.loads(ordered).items() if k != "input"} != {k: v for k, v in json.loads(others).items() if k != "input"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("--bench", required=True)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--streams", type=int, default=10)
    a = parser.parse_args()
    sys.path.insert(0, a.bench)
    import cells, reference, streams, streams_hard

    chance = random.Random(a.seed)
    kinds = [(module, kind) for module in (streams, streams_hard) for kind in module.KINDS]
    chosen = []
    while len(chosen) < a.streams:
        chosen += chance.sample(kinds, min(len(kinds), a.streams - len(chosen)))
    failed = 0
    for module, kind in chosen:
        seed = chance.randrange(1 << 30)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "stream")
            streams.make(kind, seed, path, module.KINDS)
            path = next(name for name in (path + ".ndjson", path) if os.path.exists(name))
            counted = cells.Cells()
            with open(path) as file:
                lines = file.readlines()
            cells.read(counted, lines)
            found = list(differences(json.loads(report(a.tool, path)), reference.Detector(counted, None).report()))
            if reordered(a.tool, lines, folder, chance):
                found.append("half of it differs where it is in another order")
        failed += bool(found)
        print(f"{kind} {seed}: " + ("same" if not found else "; ".join(found[:5])), flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
