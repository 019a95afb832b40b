"""The inputs of a run: which files the operands mean, and which task reads which bytes of them."""

from __future__ import annotations

import collections
import hashlib
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from .errors import NO_INPUT, USAGE, RunError
from .storage import Entry, Storage, is_local

#: Bytes of a file that one task reads, and of the small files that one task reads together.
SPLIT_SIZE = 256 << 20
#: Files that one task reads together at most.
MOST_FILES = 1000
#: A file smaller than this is not worth a range of its own.
_WHOLE = 1.25
#: First bytes of files that are read as a whole: gzip, zstd, a skippable frame of zstd, Parquet, UTF-16.
_WHOLE_MAGIC = re.compile(rb"\x1f\x8b|\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18|PAR1|\xff\xfe|\xfe\xff", re.DOTALL)


@dataclass(frozen=True)
class Source:
    """A file that is read, under the name that rows and rejects have for it."""

    name: str
    size: int
    changed: int


@dataclass(frozen=True)
class Part:
    """What one task reads: whole files, or a range of one."""

    number: int
    sources: tuple[Source, ...]
    #: First and last byte of the range, the last excluded; `None` for whole files.
    range: tuple[int, int | None] | None = None

    @property
    def text(self) -> str:
        """The range as the binary takes it."""
        begin, end = self.range or (0, None)
        return f"{begin}-{'' if end is None else end}"


def expand(operands: Iterable[str], storage: Storage, warn: Callable[[str], None]) -> list[Source]:
    """The files that operands mean, in the order in which `tillroll` reads them; of files with the same bytes the first."""
    found: list[Source] = []
    hidden: list[str] = []
    for operand in operands:
        if operand == "-":
            raise RunError(USAGE, "'-' is standard input of one machine; name files, folders or URLs")
        for entry in _local_files(operand) if is_local(operand) else storage.files(operand):
            if entry.is_hidden:
                hidden.append(entry.url)
            elif entry.passed_over:
                warn(f"{entry.url}: passed over: {entry.passed_over}")
            else:
                found.append(Source(entry.url, entry.size, entry.changed))
    # The listing of a folder that `convert` wrote is not input.
    hidden = [name for name in hidden if not name.endswith("/.tillroll")]
    if hidden:
        rest = f" and {len(hidden) - _MOST_HIDDEN} more" if len(hidden) > _MOST_HIDDEN else ""
        named = ", ".join(hidden[:_MOST_HIDDEN])
        warn(f"tillroll: names that begin with a dot, passed over: {len(hidden)}: {named}{rest}")
    return _without_copies(found, storage, warn)


#: Names that begin with a dot that are listed.
_MOST_HIDDEN = 5

#: Files with the bytes of an earlier one that are named.
_MOST_NAMED = 20


def _without_copies(sources: list[Source], storage: Storage, warn: Callable[[str], None]) -> list[Source]:
    """Those that `tillroll` reads: only files of equal length are hashed, and all of one only if the beginnings agree."""
    sizes = collections.Counter(source.size for source in sources)
    heads: dict[tuple[int, bytes], list[Source]] = {}
    digests: dict[str, bytes] = {}

    def digest(source: Source) -> bytes:
        if source.name not in digests:
            hashed = hashlib.sha256()
            with storage.piped(source.name, 0) as file:
                while block := os.read(file, 1 << 20):
                    hashed.update(block)
            digests[source.name] = hashed.digest()
        return digests[source.name]

    read: list[Source] = []
    copies: list[str] = []
    for source in sources:
        first = None
        if source.size > 0 and sizes[source.size] > 1:
            alike = heads.setdefault((source.size, hashlib.sha256(storage.head(source.name, 1 << 16)).digest()), [])
            first = next((other for other in alike if digest(other) == digest(source)), None)
            if first is None:
                alike.append(source)
        if first is None:
            read.append(source)
        else:
            copies.append(f"{source.name} (as {first.name})")
    if copies:
        rest = f", and {len(copies) - _MOST_NAMED} more" if len(copies) > _MOST_NAMED else ""
        named = ", ".join(copies[:_MOST_NAMED])
        warn(f"tillroll: files with the bytes of an earlier one, not read again: {len(copies)}: {named}{rest}")
    return read


def _local_files(operand: str) -> Iterator[Entry]:
    """The files of a path of this machine: a folder's by their names."""
    try:
        status = os.stat(operand)
    except OSError as error:
        raise RunError(NO_INPUT, f"{operand}: {error.strerror} (input.missing)") from error
    if stat.S_ISDIR(status.st_mode):
        yield from _walk(re.sub("/+", "/", operand).rstrip("/") or "/")
    else:
        yield _entry(operand, status)


def _walk(folder: str) -> Iterator[Entry]:
    for name in sorted(os.listdir(folder), key=os.fsencode):
        path = folder.rstrip("/") + "/" + name
        if name.startswith("."):
            yield Entry(path, 0, 0, is_hidden=True)
            continue
        is_link = os.path.islink(path)
        try:
            status = os.stat(path)
        except OSError:
            yield Entry(path, 0, 0, "a link that leads nowhere")
            continue
        if stat.S_ISDIR(status.st_mode) and not is_link:
            yield from _walk(path)
        elif stat.S_ISREG(status.st_mode):
            yield _entry(path, status)
        else:
            yield Entry(path, 0, 0, ("a link to " if is_link else "") + _kind(status.st_mode))


def _kind(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "a folder"
    if stat.S_ISFIFO(mode):
        return "a named pipe"
    return "a socket" if stat.S_ISSOCK(mode) else "a device"


def _entry(path: str, status: os.stat_result) -> Entry:
    if not stat.S_ISREG(status.st_mode):
        raise RunError(USAGE, f"{path}: is {_kind(status.st_mode)}; name files, folders or URLs")
    return Entry(path, status.st_size, status.st_mtime_ns // 1_000_000)


def plan(sources: list[Source], storage: Storage, split_size: int, *, by_ranges: bool = True) -> list[Part]:
    """Deals the files out to tasks: long plain ones by ranges, short ones together.

    Whether a range begins and ends where documents do is known when it has been read (see `convert.settle`).
    """
    parts: list[Part] = []
    together: list[Source] = []

    def flush() -> None:
        if together:
            parts.append(Part(len(parts), tuple(together)))
            together.clear()

    for source in sources:
        if by_ranges and source.size > _WHOLE * split_size and not _WHOLE_MAGIC.match(storage.head(source.name, 4)):
            flush()
            count = -(-source.size // split_size)
            cuts = [source.size * index // count for index in range(count)]
            for begin, end in zip(cuts, [*cuts[1:], None], strict=True):
                parts.append(Part(len(parts), (source,), (begin, end)))
            continue
        full = sum(other.size for other in together) + source.size > split_size
        if together and (full or len(together) >= MOST_FILES or not is_local(source.name)):
            flush()
        together.append(source)
        if not is_local(source.name):
            flush()
    flush()
    return parts
