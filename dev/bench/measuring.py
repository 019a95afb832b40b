"""Runs commands in turns and takes medians; what the scripts beside it share. Standard library only."""
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass


@dataclass
class Run:
    seconds: float
    peak_bytes: int


def tell(text):
    """Says what goes on; standard output is for the table."""
    print(text, file=sys.stderr, flush=True)


def run(command):
    """Runs a command to its end; its output goes nowhere, and a failure ends the script with what it said.

    The peak is that of the process itself or of its largest child, as the kernel keeps it.
    """
    with tempfile.TemporaryFile() as errors:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            errors.seek(0)
            said = errors.read().decode(errors="replace").strip()[-800:]
            sys.exit(f"{' '.join(map(str, command))}\nended with status {process.returncode}: {said}")
    return Run(seconds, usage.ru_maxrss * 1024)


def in_turns(commands, runs):
    """Runs each command of a dictionary `runs` times, one after the other, so that a busy minute meets all of them alike.

    Gives the median of the seconds and the largest peak of each. A first run of each fills the page cache and is not counted.
    """
    taken = {name: [] for name in commands}
    for turn in range(runs + 1):
        for name, command in commands.items():
            result = run(command)
            if turn:
                taken[name].append(result)
    return {
        name: Run(statistics.median(r.seconds for r in results), max(r.peak_bytes for r in results))
        for name, results in taken.items()
    }


def table(header, rows):
    """Prints a Markdown table; the first column holds words, the others numbers."""
    print("| " + " | ".join(header) + " |")
    print("| --- |" + " ---: |" * (len(header) - 1))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    sys.stdout.flush()
