"""The map step: each task turns files, or a range of a file, into a partial of the report.

A partial has each transaction of its documents once, so that it is small and all that follows is quick. Where a
figure is to be explained, which needs every document that mentions a transaction, a task writes rows instead.

A task writes under a name of its own attempt, and tells the driver the name. The driver takes the names that
successful tasks told, so an attempt that was lost or ran twice leaves files that nothing reads.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import uuid
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from .binary import Answer, text_of
from .errors import DATA_ERROR, RunError
from .inputs import Part
from .storage import Storage, is_local, join, local_path
from .worker import Flags, Setup, Worker, working

REJECTS = "rejects.ndjson"
PARTIAL = "part.tillpart"
ROWS = "transactions.parquet"
#: What the binary says of a file that has no ranges.
_NO_RANGES = "(input.range)"


@dataclass(frozen=True)
class Reading:
    """What every task of the map step is told, beside its part."""

    report: str
    flags: Flags
    #: Whether rows are written for an explanation, and no partial.
    writes_rows: bool
    #: Whether rejects hold their documents; `None` where nobody reads them.
    keeps_raw: bool | None
    #: Whether SHA-256 sums of the inputs are wanted.
    has_manifest: bool
    #: Whether nothing is wanted but where a period begins that is counted back from the newest record.
    tells_period: bool = False


@dataclass
class Result:
    """What came of one part."""

    number: int
    #: The folder with what was written, below that of the step.
    folder: str = ""
    accepted: int = 0
    rejected: int = 0
    bytes: int = 0
    foreign: int = 0
    #: Untrusted documents, and their transactions.
    untrusted: int = 0
    untrusted_rows: int = 0
    #: Whether the part holds neither documents nor rows.
    is_of_nothing: bool = False
    #: When its newest document was made, in milliseconds, where the report asks.
    newest: int | None = None
    #: Where the period begins if no part has a newer record.
    since: str | None = None
    until: str | None = None
    lines: int = 0
    open_brackets: int = 0
    begin: int = 0
    end: int = 0
    #: Rejects by source and code.
    codes: list[tuple[str, str, int]] = field(default_factory=list)
    #: Name, bytes and SHA-256 of what was read, where a manifest is wanted.
    inputs: list[tuple[str, int, str]] = field(default_factory=list)
    #: Bytes of the partial.
    written: int = 0
    #: Status and message of a part that cannot be read.
    error: tuple[int, str] | None = None
    #: Whether the file has no ranges and must be read as a whole.
    is_whole_only: bool = False

    @property
    def documents(self) -> int:
        return self.accepted + self.rejected


def read(part: Part, setup: Setup, reading: Reading, target: str) -> Result:
    """Reads one part, on an executor.

    An error that another attempt would meet too is given back; one of the machine is raised, so that Spark tries again.
    """
    result = Result(part.number)
    try:
        with working(setup) as worker:
            _read(part, worker, reading, target, result)
    except RunError as error:
        result.error = (error.status, error.message)
    return result


def _read(part: Part, worker: Worker, reading: Reading, target: str, result: Result) -> None:
    result.folder = f"{part.number:07d}-{uuid.uuid4().hex[:12]}"
    folder = join(target, result.folder)
    name = ROWS if reading.writes_rows else PARTIAL
    if is_local(folder):
        os.makedirs(local_path(folder))
    output = local_path(join(folder, name)) if is_local(folder) else os.path.join(worker.scratch, name)
    manifest, counts, rejects = (os.path.join(worker.scratch, text) for text in ("manifest", "counts", REJECTS))
    if reading.writes_rows:
        command = [worker.tool, "convert", "--table", "transactions", "--part", "--manifest", manifest]
    else:
        command = [worker.tool, "report", reading.report, "--partial", "--part", counts]
        command += ["--manifest", manifest] if reading.has_manifest else []
    command += [*worker.words(reading.flags), "--quiet", "-o", output]
    command += ["--rejects", rejects, "--rejects-raw", "keep" if reading.keeps_raw else "none"]
    answer = _call(part, command, worker)
    if answer.status == DATA_ERROR and _NO_RANGES in answer.error and part.range is not None:
        result.is_whole_only = True
        return
    answer.check()
    _note(_json(manifest if reading.writes_rows else counts), result)
    if reading.tells_period:
        return
    if reading.has_manifest:
        result.inputs = [(entry["source"], entry["bytes"], entry["sha256"]) for entry in _json(manifest)["inputs"]]
    result.codes = _codes(rejects)
    result.written = os.path.getsize(output)
    if not is_local(folder):
        worker.storage.put(output, join(folder, name))
    if result.rejected and reading.keeps_raw is not None:
        worker.storage.put(rejects, join(folder, REJECTS))


def _call(part: Part, command: list[str], worker: Worker) -> Answer:
    """Calls the binary with the bytes of the part."""
    names = [source.name for source in part.sources]
    if part.range is not None:
        command = [*command, "--range", part.text]
    if all(is_local(name) for name in names):
        # A name that begins with a dash is no flag.
        paths = [name if not name.startswith("file:") else local_path(name) for name in names]
        if paths != names:
            command = [*command, "--source", names[0]]
        done = subprocess.run(
            [*command, "--", *paths], cwd=worker.folder, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        return Answer(done.returncode, text_of(done.stderr))
    begin = max(0, part.range[0] - 1) if part.range else 0
    with worker.storage.piped(names[0], begin) as stream:
        done = subprocess.run([*command, "--source", names[0], "-"], stdin=stream, capture_output=True, check=False)
    return Answer(done.returncode, text_of(done.stderr))


def _json(path: str) -> Any:
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return json.load(file)


def _note(told: dict[str, Any], result: Result) -> None:
    counts = told["counts"]
    result.accepted, result.rejected, result.bytes = (counts[name] for name in ("accepted", "rejected", "bytes"))
    result.foreign = counts.get("foreign_documents", 0)
    result.untrusted, result.untrusted_rows = (
        counts.get(f"untrusted_{what}", 0) for what in ("documents", "transactions")
    )
    rows = sum(counts.get(f"{table}_rows", 0) for table in ("transactions", "left_out"))
    result.is_of_nothing = bool(counts.get("parts_of_nothing", result.documents == 0 and rows == 0))
    result.newest = counts.get("newest_milliseconds")
    options = {entry["option"]: entry["value"] for entry in told["options"]}
    result.since, result.until = options.get("since"), options.get("until")
    read = told.get("range")
    if read is not None:
        result.begin, result.end = read["begin"], read["end"]
        result.lines, result.open_brackets = read["lines"], read["open_brackets"]


_CODE = re.compile(rb'^\{"source":("(?:[^"\\]|\\.)*"),.*?,"code":"([^"]*)"')


def _codes(path: str) -> list[tuple[str, str, int]]:
    counts: Counter[tuple[str, str]] = Counter()
    with open(path, "rb") as file:
        for line in file:
            match = _CODE.match(line)
            if match:
                counts[json.loads(match.group(1)), match.group(2).decode()] += 1
    return [(source, code, count) for (source, code), count in counts.items()]


@dataclass(frozen=True)
class Position:
    """What lies before a part in its source."""

    documents: int = 0
    lines: int = 0


def positions(parts: Iterable[Part], results: dict[int, Result]) -> dict[int, Position]:
    """The documents and lines before each range, from those of the ranges before it."""
    found: dict[int, Position] = {}
    before = Position()
    for part in parts:
        if part.range is None or part.range[0] == 0:
            before = Position()
        found[part.number] = before if part.range else Position()
        result = results[part.number]
        before = Position(before.documents + result.documents, before.lines + result.lines)
    return found


def settle(parts: list[Part], results: dict[int, Result]) -> list[Part]:
    """The parts to be read once more: files whose ranges do not abut, as wholes.

    A document that goes on past the place where the next range begins, such as base64 over several lines, shows in
    the end that the binary tells. All ranges of such a file are dropped.
    """
    again: list[Part] = []
    expected = 0
    broken: set[int] = set()
    first = 0
    for part in parts:
        if part.range is None:
            continue
        if part.range[0] == 0:
            first, expected = part.number, 0
        result = results[part.number]
        if result.is_whole_only or result.begin != expected:
            broken.add(first)
        expected = result.end
    for part in parts:
        if part.number in broken:
            again.append(Part(part.number, part.sources))
    return again


def replace(parts: list[Part], again: list[Part]) -> list[Part]:
    """The parts after files that are read as wholes have taken the place of their ranges."""
    whole = {part.number: part for part in again}
    kept: list[Part] = []
    is_replaced = False
    for part in parts:
        if part.range is None or part.range[0] == 0:
            is_replaced = part.number in whole
            kept.append(whole.get(part.number, part))
        elif not is_replaced:
            kept.append(part)
    return kept


def check(results: Iterable[Result]) -> None:
    """Raises the first error of the parts, and says how many there are."""
    failed = [result for result in results if result.error is not None]
    if failed and failed[0].error is not None:
        status, message = failed[0].error
        more = f" (and {len(failed) - 1} more such parts)" if len(failed) > 1 else ""
        raise RunError(status, message + more)


def bracket_warnings(parts: Iterable[Part], results: dict[int, Result], warn: Callable[[str], None]) -> None:
    """Says of each file read by ranges whether its arrays of documents are closed, as one machine does."""
    totals: dict[str, int] = {}
    for part in parts:
        if part.range is not None:
            name = part.sources[0].name
            totals[name] = totals.get(name, 0) + results[part.number].open_brackets
    for name, total in totals.items():
        if total > 0:
            warn(f"{name}: an array of documents is not closed; the input may be cut short")
        elif total < 0:
            warn(f"{name}: an array of documents is closed that was not opened")


def collect_rejects(
    parts: Iterable[Part],
    results: dict[int, Result],
    places: dict[int, Position],
    source: str,
    storage: Storage,
    path: str,
) -> None:
    """Writes the rejects of all parts to a file of this machine, for its owner only, in the order of the input."""
    temporary = f"{path}.{os.getpid()}.part"
    scratch = os.path.dirname(os.path.abspath(path))
    with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as target:
        for part in parts:
            result = results[part.number]
            if not result.rejected:
                continue
            url = join(source, result.folder, REJECTS)
            local = storage.local(url, scratch, f".{result.folder}.part")
            with open(local, "rb") as lines:
                for line in lines:
                    target.write(_moved(line, part, places[part.number]))
            if not is_local(url):
                os.remove(local)
    os.replace(temporary, path)


_PLACE = re.compile(rb'^\{"source":("(?:[^"\\]|\\.)*"),"document":(\d+),"line":(\d+),')


def _moved(line: bytes, part: Part, place: Position) -> bytes:
    """The line of a reject with the numbers that its document has in the whole file.

    A reject that was read from a line of rejects has the place of an earlier run, in another file, and keeps it.
    """
    match = _PLACE.match(line) if place.documents or place.lines else None
    if match is None or json.loads(match.group(1)) != part.sources[0].name:
        return line
    document, number = int(match.group(2)) + place.documents, int(match.group(3)) + place.lines
    head = b'{"source":%b,"document":%d,"line":%d,' % (match.group(1), document, number)
    return head + line[match.end() :]
