#!/usr/bin/env python3
"""complexity.py TILLROLL [--first] [--some N TREE | --group K/N] [NAME…]

Fails where four times as much input takes more than five times as much work.

Each shape is input that was made to be slow, in files of n and 4 n parts. The command runs on both, and the processor time of the
start is taken off. Seconds are noisy, so they only choose: what looks slow is counted in instructions under valgrind (callgrind).
The peak of memory is held against the size of the input. Names choose shapes that contain them. `--first` takes the first command of
each shape only, `--some N TREE` N shapes that the id of a git tree chooses (`make check` has time for so many), `--group K/N` every
N-th shape from the K-th on.
"""
import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from complexity_shapes import SHAPES

# Times the work for four times the input.
LIMIT = 5.0
# A little below: what passes this by seconds is measured again, and then counted.
SUSPECT = 4.6
# Seconds for the smaller input that make a ratio of seconds worth something.
MEASURABLE = 0.03
# Bytes a second at which the larger input is read so fast that its ratio says nothing.
FAST = 50e6
# Bytes of the smaller input above which it grows no further: four times that much is enough to wait for.
ENOUGH = 2e6
# Bytes of memory that any input may take; a shape's own number for each byte of the input comes on top (docs/limits.md, Memory).
FIXED_MEMORY = 64e6
# The same for `inspect`, which holds the tree of a document.
FIXED_MEMORY_OF_TREES = 128e6


class Failed(Exception):
    pass


def run(command, folder):
    """Processor seconds of the command itself, its peak memory in bytes, and its status."""
    process = subprocess.Popen(
        command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
    )
    message = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 3, 65):
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
        self.sizes = {}

    def folder(self, parts):
        folder = self.scratch / str(parts)
        if not folder.exists():
            make(self.tool, self.shape, parts, folder)
            self.sizes[parts] = sum(entry.stat().st_size for entry in folder.rglob("*") if entry.is_file())
        return folder

    def words(self, command, parts):
        """The command line; `@file` stands for the lines of a file of the shape."""
        words = command.split()
        if not command.startswith(("prices", "codes", "merge")):
            words += ["--jobs", "1"]
        lines = (
            (self.folder(parts) / word[1:]).read_text().splitlines() if word.startswith("@") else [word] for word in words
        )
        return [self.tool, *(word for line in lines for word in line)]

    def best(self, command, parts, times):
        return best(self.words(command, parts), self.folder(parts), times)

    def instructions(self, command, parts):
        return instructions(self.words(command, parts), self.folder(parts))


def measure(shape, command, inputs, can_count):
    """The ratio of work, the share of the allowed memory, the peak, and a line about them."""
    start = inputs.best(command, 1, 2)[0]
    parts = shape.parts
    while True:
        small = inputs.best(command, parts, 1)[0]
        if small - start >= MEASURABLE or parts >= shape.most or inputs.sizes[parts] >= ENOUGH:
            break
        parts = min(shape.most, parts * 4)
    large, peak, status = inputs.best(command, 4 * parts, 1)
    size = inputs.sizes[4 * parts]
    is_fast = large - start < size / FAST
    # Parts that are wrapped in one another make more than four times the bytes.
    growth = max(4.0, size / max(1, inputs.sizes[parts])) / 4
    ratio = 0.0
    for again in () if is_fast else (1, 3, 3):
        small = min(small, inputs.best(command, parts, again)[0])
        large = min(large, inputs.best(command, 4 * parts, again)[0])
        ratio = max(0.0, large - start) / max(small - start, 2e-3) / growth
        if ratio <= SUSPECT:
            break
    told = f"{parts:7} parts {small:6.3f} s {large:6.3f} s " + (" fast" if is_fast else f"{ratio:5.2f}")
    if ratio > SUSPECT and can_count:
        first, some, more = (inputs.instructions(command, count) for count in (1, parts, 4 * parts))
        ratio = (more - first) / max(some - first, 1) / growth
        told += f", in instructions {ratio:5.2f}"
    told += f"; {size / 1e6:6.1f} MB of input, peak {peak / 1e6:4.0f} MB, status {status}"
    fixed = FIXED_MEMORY_OF_TREES if command.startswith("inspect") else FIXED_MEMORY
    return ratio, peak / (fixed + shape.memory * size), peak, told


def stripped(tool, folder):
    """A copy without debugging information, which valgrind 3.19 cannot read and refuses."""
    copy = Path(folder) / "tillroll"
    subprocess.run(["strip", "-o", copy, tool], check=True)
    return str(copy)


def chosen(options):
    shapes = [shape for shape in SHAPES if not options.names or any(name in shape.name for name in options.names)]
    if options.some:
        count, tree = options.some
        shapes = random.Random(tree).sample(shapes, min(int(count), len(shapes)))
    if options.group:
        number, count = map(int, options.group.split("/"))
        shapes = shapes[number - 1 :: count]
    if not shapes:
        sys.exit("complexity: no shape is chosen; the names are in dev/complexity/complexity_*.py")
    return [(shape, shape.commands[:1] if options.first else shape.commands) for shape in shapes]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--first", action="store_true")
    parser.add_argument("--some", nargs=2, metavar=("N", "TREE"))
    parser.add_argument("--group", metavar="K/N")
    options = parser.parse_intermixed_args()
    can_count = shutil.which("valgrind") is not None
    if not can_count:
        print("******** there is no valgrind here: seconds are judged, which depend on what else runs ********", file=sys.stderr)
    failed, ratios, memories, peaks, shapes = [], [], [], [], 0
    with tempfile.TemporaryDirectory() as home:
        tool = stripped(Path(options.tool).resolve(), home)
        for shape, commands in chosen(options):
            shapes += 1
            with tempfile.TemporaryDirectory() as scratch:
                inputs = Inputs(tool, shape, Path(scratch))
                for command in commands:
                    try:
                        ratio, memory, peak, told = measure(shape, command, inputs, can_count)
                        ratios.append(ratio)
                        memories.append(memory)
                        peaks.append(peak)
                        mark = " SLOW" if ratio > LIMIT else " LARGE" if memory > 1 else ""
                    except Failed as failure:
                        told, mark = str(failure), " FAILED"
                    print(f"{shape.name[:42]:42} {command[:40]:40} {told}{mark}", flush=True)
                    if mark:
                        failed.append(f"{shape.name}: {command}: {told}{mark}")
    print(
        f"{shapes} shapes, {len(ratios)} cases: the worst {max(ratios, default=0):.2f} times the work for four times the input, "
        f"the largest peak {max(peaks, default=0) / 1e6:.0f} MB, at most {max(memories, default=0):.0%} of the memory allowed"
    )
    for line in failed:
        print(line, file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
