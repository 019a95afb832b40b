"""The reduce step and the join: the binary counts the rows of each partition, and joins the counts in a tree."""

from __future__ import annotations

import os
import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field

from . import binary
from .convert import TABLES
from .errors import RunError
from .shuffle import BUCKET
from .storage import Storage, is_local, join, local_path
from .worker import Flags, Setup, Worker, working

#: Parts that are joined at once.
FAN_IN = 32
_ENDING = ".tillpart"


@dataclass(frozen=True)
class Bucket:
    """The rows of one partition: files of its tables."""

    number: int
    files: tuple[str, ...]


@dataclass
class Counted:
    """What came of a bucket, or of a join of several."""

    number: int
    #: The file of the partial, below the folder of the step.
    file: str = ""
    bytes: int = 0
    #: Untrusted documents and their transactions, as the binary tells them.
    untrusted: tuple[int, int] = (0, 0)
    error: tuple[int, str] | None = field(default=None)


def buckets(storage: Storage, source: str) -> list[Bucket]:
    """The partitions that hold rows, by the folders of the shuffle."""
    files: dict[int, list[str]] = {}
    for table in TABLES:
        folder = join(source, table)
        for name in storage.entries(folder):
            match = re.fullmatch(f"{BUCKET}=(\\d+)", name)
            if match is None:
                continue
            inner = join(folder, name)
            files.setdefault(int(match.group(1)), []).extend(
                join(inner, entry) for entry in storage.entries(inner) if entry.endswith(".parquet")
            )
    return [Bucket(number, tuple(files[number])) for number in sorted(files)]


def with_files(found: Sequence[Bucket], files: Sequence[str]) -> list[Bucket]:
    """Partitions with further files, which may be anywhere, dealt out in turn."""
    if not files:
        return list(found)
    whole = list(found) or [Bucket(0, ())]
    more: list[list[str]] = [[] for _ in whole]
    for index, file in enumerate(files):
        more[index % len(whole)].append(file)
    return [Bucket(bucket.number, bucket.files + tuple(extra)) for bucket, extra in zip(whole, more, strict=True)]


_UNTRUSTED = re.compile(r"untrusted documents, not booked: (\d+) \(transactions: (\d+)\)")


def count(
    bucket: Bucket, setup: Setup, report: str, flags: Flags, extra: Sequence[str], manifest: bytes, target: str
) -> Counted:
    """Counts the rows of one partition, on an executor.

    `manifest` tells of how many documents the rows were made; only that of one partition tells any, so that they
    count once.
    """
    result = Counted(bucket.number)
    try:
        with working(setup) as worker:
            told = os.path.join(worker.scratch, "converted.json")
            with open(told, "wb") as file:
                file.write(manifest)
            rows = [
                worker.storage.local(url, worker.scratch, f"rows-{index}.parquet")
                for index, url in enumerate(bucket.files)
            ]
            command = [worker.tool, "report", report, *worker.words(flags), *extra, "--partial", "--converted", told]
            answer = _write(worker, command, rows, result, target)
            match = _UNTRUSTED.search(answer.error)
            if match:
                result.untrusted = (int(match.group(1)), int(match.group(2)))
    except RunError as error:
        result.error = (error.status, error.message)
    return result


def joined(number: int, files: Sequence[str], setup: Setup, target: str) -> Counted:
    """Joins partials into one, on an executor."""
    result = Counted(number)
    try:
        with working(setup) as worker:
            parts = [
                worker.storage.local(join(target, name), worker.scratch, f"{index}{_ENDING}")
                for index, name in enumerate(files)
            ]
            _write(worker, [worker.tool, "merge", "--partial"], parts, result, target)
    except RunError as error:
        result.error = (error.status, error.message)
    return result


def _write(worker: Worker, command: list[str], inputs: Sequence[str], result: Counted, target: str) -> binary.Answer:
    """Calls the binary, and puts what it writes under a name that no other attempt has."""
    result.file = f"{result.number:07d}-{uuid.uuid4().hex[:12]}{_ENDING}"
    url = join(target, result.file)
    output = local_path(url) if is_local(url) else os.path.join(worker.scratch, "out" + _ENDING)
    answer = binary.run([*command, "-o", output, "--", *inputs])
    answer.check()
    result.bytes = os.path.getsize(output)
    if not is_local(url):
        worker.storage.put(output, url)
    return answer


def check(results: Sequence[Counted]) -> None:
    """Raises the first error."""
    for result in results:
        if result.error is not None:
            raise RunError(*result.error)


def groups(files: Sequence[str], fan_in: int = FAN_IN) -> list[list[str]]:
    """Files by the joins that read them."""
    return [list(files[start : start + fan_in]) for start in range(0, len(files), fan_in)]
