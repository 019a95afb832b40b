#!/usr/bin/env python3
"""Measures the steps of a run, prints them as a table, and fails where they need too much processor time.

    steps.py run FILE NAME [--apart] -- COMMAND…           runs a command and appends its times to FILE
    steps.py table FILE [--limit MINUTES] [--aim MINUTES]   prints the steps, and fails above the limit
    steps.py --self-test

The limit grows with the time that this machine takes for some fixed work, so a slow machine does not fail a change.

`run` leaves the output of the command alone, gives it an empty standard input, and ends with its status: 128 and the number of the
signal where a signal ended it. A step with `--apart` is in the table and not in the sum: work that takes turns from night to night.

Processor time covers the command and all of its descendants that some parent waited for. A process that detached itself from its parent
is not counted, and neither is a daemon that already ran before the step. Steps do not nest: the time of an inner step would count twice.
"""
import argparse
import concurrent.futures
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Step:
    name: str
    wall: float
    processor: float
    status: int
    apart: bool

    def line(self):
        return f"{self.name}\t{self.wall:.3f}\t{self.processor:.3f}\t{self.status}\t{'apart' if self.apart else 'counted'}\n"


def parse(text):
    steps = []
    for line in text.splitlines():
        name, wall, processor, status, counting = line.split("\t")
        steps.append(Step(name, float(wall), float(processor), int(status), counting == "apart"))
    return steps


# Measuring

def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def status_of(command):
    """Runs a command to its end. A signal to stop waits until the command has ended, so that its times are recorded."""
    child = None

    def interrupt(number, _):
        # A terminal interrupts the command itself; other signals reach this process alone.
        if number != signal.SIGINT and child is not None:
            child.send_signal(number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, interrupt)
    try:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    except OSError as error:
        print(f"steps.py: {command[0]}: {error.strerror}", file=sys.stderr)
        return 127 if isinstance(error, FileNotFoundError) else 126
    status = child.wait()
    return 128 - status if status < 0 else status


def run(file, name, apart, command):
    started, before = time.monotonic(), processor_seconds()
    status = status_of(command)
    step = Step(" ".join(name.split()), time.monotonic() - started, processor_seconds() - before, status, apart)
    with open(file, "a", encoding="utf-8") as steps:
        steps.write(step.line())
    return status


# The speed of the machine

# Processor seconds of `work` on the machine on which the limit was set, with a process on each core.
REFERENCE_SECONDS = 0.6


def work():
    """Does some plain arithmetic; gives the processor seconds that it took."""
    before = time.process_time()
    total = 0
    for number in range(8_000_000):
        total += number & 7
    return time.process_time() - before


def slowness():
    """How many times as long as on the reference machine this one takes for the same work; at least 1.

    Neighbours of a virtual machine share its cores, so processor time of the same work differs by a factor of two from day to day.
    """
    count = os.cpu_count() or 1
    with concurrent.futures.ProcessPoolExecutor(count) as pool:
        seconds = [future.result() for future in [pool.submit(work) for _ in range(count)]]
    return max(1.0, sum(seconds) / count / REFERENCE_SECONDS)


# The table

def outcome(step):
    words = "ok" if step.status == 0 else f"failed ({step.status})"
    return f"{words}, apart" if step.apart else words


def minutes(seconds):
    return f"{seconds / 60:.1f}"


def table(steps):
    counted = [step for step in steps if not step.apart]
    rows = [[step.name, minutes(step.wall), minutes(step.processor), outcome(step)] for step in steps]
    rows.append(["sum", *(minutes(sum(values)) for values in ([s.wall for s in counted], [s.processor for s in counted])), ""])
    header = ["step", "wall min", "processor min", "status"]
    widths = [max(map(len, column)) for column in zip(header, *rows)]

    def line(cells):
        name, wall, processor, status = (
            cell.ljust(width) if index in (0, 3) else cell.rjust(width) for index, (cell, width) in enumerate(zip(cells, widths))
        )
        return f"| {name} | {wall} | {processor} | {status} |"

    rule = [f"{'-' * (width - 1)}:" if index in (1, 2) else "-" * width for index, width in enumerate(widths)]
    return "\n".join(map(line, [header, rule, *rows]))


def verdict(steps, limit, aim):
    """Whether the sum is above the limit, and a line about it; no line where there is nothing to do."""
    counted = [step for step in steps if not step.apart]
    total = sum(step.processor for step in counted) / 60
    above = next((bound for bound in (limit, aim) if bound is not None and total > bound), None)
    if above is None:
        return False, ""
    longest = max(counted, key=lambda step: step.processor)
    remedy = f"make the longest step cheaper ({longest.name}, {minutes(longest.processor)}), or move part of it to the nightly run"
    if limit is not None and total > limit:
        return True, f"the steps needed {total:.1f} processor minutes, and the limit is {limit:g}: {remedy}"
    return False, f"hint: the steps needed {total:.1f} processor minutes, and the aim is {aim:g}: {remedy}"


def show(file, limit, aim):
    steps = parse(Path(file).read_text(encoding="utf-8")) if Path(file).is_file() else []
    if not steps:
        print("no step has run")
        return 0
    print(table(steps), flush=True)
    if limit is not None and (times := slowness()) > 1:
        print(f"this machine takes {times:.2f} times as long as the one on which the limit was set, so the limit is {limit * times:.1f}")
        limit, aim = limit * times, aim and aim * times
    failed, words = verdict(steps, limit, aim)
    if words:
        print(words, file=sys.stderr if failed else sys.stdout)
    return 1 if failed else 0


def self_test():
    steps = [Step("lint", 30, 6, 0, False), Step("make check", 600, 1200, 2, False), Step("night", 60, 6000, 0, True)]
    assert parse("".join(step.line() for step in steps)) == steps
    assert table(steps).splitlines() == [
        "| step       | wall min | processor min | status     |",
        "| ---------- | -------: | ------------: | ---------- |",
        "| lint       |      0.5 |           0.1 | ok         |",
        "| make check |     10.0 |          20.0 | failed (2) |",
        "| night      |      1.0 |         100.0 | ok, apart  |",
        "| sum        |     10.5 |          20.1 |            |",
    ], table(steps)
    assert verdict(steps, None, None) == verdict(steps, 40, 30) == (False, "")
    failed, words = verdict(steps, 20, 10)
    assert failed and "20.1 processor minutes, and the limit is 20: make the longest step cheaper (make check, 20.0)" in words
    failed, words = verdict(steps, 40, 20)
    assert not failed and words.startswith("hint: ") and "the aim is 20" in words
    assert verdict([steps[2]], 1, 1) == (False, ""), "a step apart is not in the sum"

    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "steps")
        busy = "import time\nwhile time.process_time() < 0.05: pass\nimport sys; sys.exit(bool(sys.stdin.read()))"
        assert run(file, "a\tb", False, ["sh", "-c", '"$0" -c "$1"; exit $?', sys.executable, busy]) == 0
        assert run(file, "signal", True, ["sh", "-c", "kill -9 $$"]) == 137
        assert run(file, "status", False, ["sh", "-c", "exit 3"]) == 3
        grandchild, killed, ended = parse(Path(file).read_text(encoding="utf-8"))
        assert grandchild.name == "a b" and 0.05 <= grandchild.processor < 5 and grandchild.wall >= 0.05, grandchild
        assert killed.status == 137 and killed.apart and ended.status == 3 and not ended.apart
    print("steps.py: self-test passed")
    return 0


def main(words):
    # The command follows the hyphens and may have the same options as this script.
    own, command = (words[: words.index("--")], words[words.index("--") + 1 :]) if "--" in words else (words, [])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--self-test", action="store_true")
    actions = parser.add_subparsers(dest="action")
    running = actions.add_parser("run")
    running.add_argument("file")
    running.add_argument("name")
    running.add_argument("--apart", action="store_true")
    showing = actions.add_parser("table")
    showing.add_argument("file")
    showing.add_argument("--limit", type=float)
    showing.add_argument("--aim", type=float)
    arguments = parser.parse_args(own)
    if arguments.self_test:
        return self_test()
    if arguments.action == "run":
        if not command:
            parser.error("a command follows `--`")
        return run(arguments.file, arguments.name, arguments.apart, command)
    if arguments.action == "table":
        return show(arguments.file, arguments.limit, arguments.aim)
    parser.error("`run` or `table`?")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
