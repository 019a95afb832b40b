#!/usr/bin/env python3
"""complexity.py TILLROLL [NAME…]   fails where four times as much input takes more than five times as much work.

Each shape is input that was made to be slow, in files of n and 4 n parts. The command runs on both, and the processor time of the
start is taken off. Seconds are noisy, so they only choose: what looks slow is counted in instructions under valgrind (callgrind).
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from complexity_shapes import SHAPES

# Times the work for four times the input.
LIMIT = 5.0
# A little below: what passes this by seconds is counted.
SUSPECT = 4.6
# Seconds for the smaller input that make a ratio of seconds worth something.
MEASURABLE = 0.03
# Megabytes that four times the input may take more than LIMIT times the memory without being told.
FREE_MEGABYTES = 24


class Failed(Exception):
    pass


def run(command, folder):
    """Processor seconds of the command itself, and its peak memory in bytes."""
    process = subprocess.Popen(
        command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
    )
    message = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 3, 64, 65):
        raise Failed(f"status {process.returncode}: {message[-400:].decode(errors='replace')}")
    return usage.ru_utime, usage.ru_maxrss * 1024, process.returncode


def best(command, folder, times):
    runs = [run(command, folder) for _ in range(times)]
    return min(seconds for seconds, _, _ in runs), max(peak for _, peak, _ in runs), runs[0][2]


def instructions(command, folder):
    result = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command],
        cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace",
    )
    counted = re.search(r"Collected : (\d+)", result.stderr)
    if not counted:
        raise Failed(f"valgrind: {result.stderr[-400:]}")
    return int(counted[1])


def make(tool, shape, parts, folder):
    """Writes the files of a shape and runs what makes its input of them.

    In a process of its own: the peak that the kernel keeps of a command begins with that of the process that starts it.
    """
    child = os.fork()
    if child == 0:
        status = 1
        try:
            folder.mkdir()
            for name, content in shape.files(parts).items():
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content if isinstance(content, bytes) else content.encode())
            for command in shape.prepared:
                subprocess.run(
                    ["sh", "-c", command], cwd=folder, check=True, env={**os.environ, "TILLROLL": tool},
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                )
            status = 0
        finally:
            os._exit(status)
    if os.waitpid(child, 0)[1] != 0:
        raise Failed("its input cannot be made")


class Inputs:
    """The input of a shape in several sizes, each made once."""

    def __init__(self, tool, shape, scratch):
        self.tool, self.shape, self.scratch = tool, shape, scratch

    def folder(self, parts):
        folder = self.scratch / str(parts)
        if not folder.exists():
            make(self.tool, self.shape, parts, folder)
        return folder


def measure(tool, shape, command, inputs):
    """The ratios of work and memory, and a line about them."""
    single = command.startswith(("prices", "codes", "merge"))
    words = [tool, *command.split(), *([] if single else ["--jobs", "1"])]
    start, _, _ = best(words, inputs.folder(1), 2)
    parts = shape.parts
    while True:
        small, small_peak, status = best(words, inputs.folder(parts), 1)
        if small - start >= MEASURABLE or parts >= shape.most:
            break
        parts = min(shape.most, parts * 4)
    small = min(small, best(words, inputs.folder(parts), 1)[0])
    large, large_peak, _ = best(words, inputs.folder(4 * parts), 2)
    ratio = (large - start) / max(small - start, 1e-4)
    told = f"{parts:8} parts {small:7.3f} s {large:7.3f} s {ratio:6.2f}"
    if ratio > SUSPECT:
        first, some, more = (instructions(words, inputs.folder(size)) for size in (1, parts, 4 * parts))
        ratio = (more - first) / (some - first)
        told += f", in instructions {ratio:5.2f}"
    told += f", {large_peak / 1e6:6.0f} MB"
    memory = large_peak / small_peak if large_peak > FREE_MEGABYTES * 1e6 else 0
    return ratio, memory, f"{told} status {status}"


def main(tool, *names):
    tool = str(Path(tool).resolve())
    failed = []
    worst, count = 0, 0
    for shape in SHAPES:
        if names and not any(name in shape.name for name in names):
            continue
        with tempfile.TemporaryDirectory() as scratch:
            inputs = Inputs(tool, shape, Path(scratch))
            for command in shape.commands:
                count += 1
                try:
                    ratio, memory, told = measure(tool, shape, command, inputs)
                    worst = max(worst, ratio)
                    mark = " SLOW" if ratio > LIMIT else " LARGE" if memory > LIMIT else ""
                except Failed as failure:
                    told, mark = str(failure), " FAILED"
                print(f"{shape.name:44} {command[:44]:44} {told}{mark}", flush=True)
                if mark:
                    failed.append(f"{shape.name}: {command}: {told}{mark}")
    print(f"{count} cases, the worst {worst:.2f} times the work for four times the input")
    for line in failed:
        print(line, file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
