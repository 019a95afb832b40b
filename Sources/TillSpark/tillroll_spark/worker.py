"""What a task has on its executor: the right binary, the files that flags name, a folder for its own files."""

from __future__ import annotations

import os
import shutil
import socket
import stat
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from .binary import digest_of, version_of
from .errors import IO_ERROR, RunError
from .flags import Flag
from .storage import Java, Storage

Flags = Sequence[tuple[Flag, str | None]]


@dataclass(frozen=True)
class Setup:
    """What every task of a run is told; it goes to the executors once."""

    #: The folder from which the user names files.
    folder: str
    #: The name under which Spark ships the binary, or `None` where executors have one.
    shipped: str | None
    #: Where executors have the binary, where it is not shipped.
    installed: str | None
    version: str
    sha256: str
    #: The contents of files that flags name, by their paths.
    files: dict[str, bytes]
    #: Settings of Hadoop's file systems.
    hadoop: dict[str, str]
    #: Processors of a task.
    jobs: int


@dataclass
class Worker:
    """One task's view of its executor."""

    setup: Setup
    scratch: str
    storage: Storage
    tool: str = ""
    _written: dict[str, str] = field(default_factory=dict)

    def words(self, flags: Flags, *, with_jobs: bool = True) -> list[str]:
        """Flags as the command line of this machine has them, with the files that they name."""
        words: list[str] = []
        for flag, value in flags:
            if value is not None and flag.names_file and value in self.setup.files:
                value = self._file(value)
            words.append(f"--{flag.name}" if value is None else f"--{flag.name}={value}")
        if with_jobs and not any(flag.name == "jobs" for flag, _ in flags):
            words.append(f"--jobs={self.setup.jobs}")
        return words

    def _file(self, path: str) -> str:
        if path not in self._written:
            folder = os.path.join(self.scratch, f"file-{len(self._written)}")
            os.mkdir(folder)
            self._written[path] = os.path.join(folder, os.path.basename(path))
            with open(self._written[path], "wb") as file:
                file.write(self.setup.files[path])
        return self._written[path]

    @property
    def folder(self) -> str | None:
        """The user's folder where this machine has it, so that names mean the same here."""
        return self.setup.folder if os.path.isdir(self.setup.folder) else None


@contextmanager
def working(setup: Setup) -> Iterator[Worker]:
    """A worker for one task; its files are gone afterwards."""
    scratch = tempfile.mkdtemp(prefix="tillroll-", dir=_local_folder())
    try:
        yield Worker(setup, scratch, Storage(Java(settings=setup.hadoop)), tool=_tool(setup))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _local_folder() -> str:
    """The first folder for local files that Spark or YARN names, else the machine's for temporary files."""
    for name in ("LOCAL_DIRS", "SPARK_LOCAL_DIRS"):
        first = os.environ.get(name, "").split(",")[0]
        if first and os.path.isdir(first):
            return first
    return tempfile.gettempdir()


#: Binaries that were looked at, by path, with what they were then.
_known: dict[str, tuple[Any, str]] = {}


def _tool(setup: Setup) -> str:
    """The binary of this executor, if it is the driver's."""
    if setup.shipped is None:
        path = setup.installed or ""
    else:
        from pyspark import SparkFiles

        path = SparkFiles.get(setup.shipped)
    place = f"{path} on {socket.gethostname()}"
    try:
        status = os.stat(path)
    except OSError as error:
        raise RunError(
            IO_ERROR,
            f"{place}: there is no tillroll on this executor ({error.strerror}); "
            "without --executor-tillroll it is shipped",
        ) from error
    if not status.st_mode & stat.S_IXUSR:
        os.chmod(path, status.st_mode | stat.S_IRWXU)
    mark = (status.st_size, status.st_mtime_ns)
    if _known.get(path, (None, ""))[0] != mark:
        _known[path] = (mark, digest_of(path))
    if _known[path][1] != setup.sha256:
        version = version_of(path)
        other = f"version {version}" if version != setup.version else f"another build of version {version}"
        raise RunError(
            IO_ERROR, f"{place}: is {other}, and the driver has version {setup.version}; all must be the same"
        )
    return path
