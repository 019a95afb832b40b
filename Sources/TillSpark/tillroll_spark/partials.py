"""The steps behind the map: the binary divides partials by what has to meet, closes the shares, and joins all of them.

part 0 ─┬ share 0 ─┐              ┌─ chains 0 ─┐               a share has all copies of its transactions,
        └ share 1 ─┼┬─ joined 0 ──┴─ chains 1 ─┼┬─ closed 0    a share of chains all of a chain
part 1 ─┬ share 0 ─┘│                          ││
        └ share 1 ──┴─ joined 1 ──── … ────────┴┴─ closed 1 ── report
"""

from __future__ import annotations

import os
import struct
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field

from . import binary
from .errors import RunError
from .reading import Position
from .storage import is_local, join, local_path
from .worker import Flags, Setup, Worker, working

#: Partials that are joined at once.
FAN_IN = 256
ENDING = ".tillpart"


@dataclass(frozen=True)
class Input:
    """A partial, by its URL, and what lies before its documents in their source."""

    url: str
    before: Position = Position()
    #: Where in the file the partial begins and ends, where the file has several.
    place: tuple[int, int] | None = None


@dataclass(frozen=True)
class Join:
    """One task: the partials that it joins, and what the result is to be."""

    number: int
    inputs: tuple[Input, ...]
    #: Flags of `tillroll merge --partial`.
    flags: tuple[str, ...] = ()
    #: Into how many shares the result is divided; 0 where it stays one partial.
    shares: int = 0


@dataclass
class Joined:
    """What came of a join."""

    number: int
    #: The file below the folder of the step.
    name: str = ""
    #: Where each share ends in it, where the result is divided.
    ends: list[int] = field(default_factory=list)
    error: tuple[int, str] | None = field(default=None)


def joined(task: Join, setup: Setup, process_flags: Flags, target: str) -> Joined:
    """Joins partials, on an executor."""
    result = Joined(task.number)
    try:
        with working(setup) as worker:
            folder, before = gathered(task.inputs, worker)
            _write(worker, task, [*before, *worker.words(process_flags, with_jobs=False), folder], result, target)
    except RunError as error:
        result.error = (error.status, error.message)
    return result


def gathered(inputs: Sequence[Input], worker: Worker) -> tuple[str, list[str]]:
    """A folder of partials in the order of `inputs`, and the flag that tells what lies before each.

    A folder takes one word of a command line, which has room for some thousands of paths only.
    """
    folder = os.path.join(worker.scratch, "inputs")
    os.mkdir(folder)
    for index, part in enumerate(inputs):
        name = os.path.join(folder, f"{index:08d}{ENDING}")
        if part.place is not None:
            worker.storage.get_range(part.url, *part.place, name)
        elif is_local(part.url):
            os.symlink(os.path.abspath(local_path(part.url)), name)
        else:
            worker.storage.get(part.url, name)
    if not any(part.before.documents or part.before.lines for part in inputs):
        return folder, []
    return folder, ["--before=" + ",".join(f"{part.before.documents}:{part.before.lines}" for part in inputs)]


def _write(worker: Worker, task: Join, words: Sequence[str], result: Joined, target: str) -> None:
    """Calls the binary, and puts what it writes under a name that no other attempt has."""
    result.name = f"{task.number:07d}-{uuid.uuid4().hex[:12]}{ENDING}"
    url = join(target, result.name)
    output = local_path(url) if is_local(url) else os.path.join(worker.scratch, "out" + ENDING)
    binary.run([worker.tool, "merge", "--partial", *task.flags, *words, "-o", output]).check()
    result.ends = _ends(output, task.shares)
    if not is_local(url):
        worker.storage.put(output, url)
        os.remove(output)


def _ends(path: str, shares: int) -> list[int]:
    """Where each share ends, as the end of a divided partial tells."""
    with open(path, "rb") as file:
        file.seek(-8 * shares, os.SEEK_END)
        return list(struct.unpack(f"<{shares}Q", file.read()))


def check(results: Sequence[Joined]) -> None:
    """Raises the first error."""
    for result in results:
        if result.error is not None:
            raise RunError(*result.error)


def groups(inputs: Sequence[Input], size: int = FAN_IN) -> list[tuple[Input, ...]]:
    """Partials by the joins that read them."""
    return [tuple(inputs[start : start + size]) for start in range(0, len(inputs), size)]


def dealt(inputs: Sequence[Input], count: int) -> list[tuple[Input, ...]]:
    """Partials in at most `count` groups of like length."""
    count = min(count, len(inputs))
    cuts = [len(inputs) * index // count for index in range(count + 1)]
    return [tuple(inputs[begin:end]) for begin, end in zip(cuts, cuts[1:], strict=False)]
