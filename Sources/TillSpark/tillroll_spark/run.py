"""One report: what is checked before Spark starts, and where its steps keep what they write."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass

from .binary import Binary, text_of
from .errors import CHECK_FAILED, FINISHED, USAGE, RunError
from .flags import Given, Steps, words
from .inputs import SPLIT_SIZE
from .session import Session
from .storage import is_local, join, local_path


#: Flags that name files to be written.
_OUTPUTS = {"output", "manifest", "rejects"}


@dataclass(frozen=True)
class Options:
    """What the command line says of the cluster."""

    master: str | None = None
    tillroll: str | None = None
    executor_tillroll: str | None = None
    partitions: int | None = None
    work: str | None = None
    split_size: int = SPLIT_SIZE
    keeps_work: bool = False
    settings: tuple[str, ...] = ()


@dataclass
class Run:
    """One report: `run()` gives its exit status."""

    report: str
    given: Given
    options: Options
    binary: Binary
    steps: Steps
    #: A session that is there already, and stays; else the run starts one and ends it.
    session: Session | None = None

    @property
    def is_quiet(self) -> bool:
        return self.given.has("quiet")

    def say(self, line: str) -> None:
        print(line, file=sys.stderr)

    def warn(self, line: str) -> None:
        if not self.is_quiet:
            self.say(line)

    # --- The steps

    def run(self) -> int:
        """Makes the report.

        Everything that can be wrong with the flags is found before Spark starts, by a report on nothing.
        """
        if self.report == "failures" and self.given.has("explain"):
            return self._explain_failures()
        status, nothing = self.preflight()
        # An alert may fire for no documents, too.
        if status not in (FINISHED, CHECK_FAILED):
            return status
        session = self.session or Session(self.options.master, self.options.settings)
        try:
            work, is_own = self._work(session)
            try:
                from .cluster import Cluster

                return Cluster(self, session).run(work, nothing)
            finally:
                if is_own:
                    session.storage.remove(work)
        finally:
            if self.session is None:
                session.stop()
            shutil.rmtree(nothing, ignore_errors=True)

    def _explain_failures(self) -> int:
        """Explains failures by one process on this machine, from the documents.

        Each failure is listed with its line, which rows do not have, and whether an answer 21007 is a failure is known
        only when all documents have been read.
        """
        outputs = [value for flag, value in self.given.flags if flag.name in _OUTPUTS and value]
        for url in [*self.given.operands, *outputs]:
            if not is_local(url):
                raise RunError(
                    USAGE, f"{url}: --explain of failures is made by the driver alone, of files that it can open itself"
                )
        flags = [
            (flag, local_path(value) if flag.name in _OUTPUTS and value else value) for flag, value in self.given.flags
        ]
        inputs = [local_path(operand) for operand in self.given.operands]
        command = [self.binary.path, "report", self.report, *words(flags), "--", *inputs]
        return subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode

    def preflight(self) -> tuple[int, str]:
        """Makes the report of no documents; gives the status, and the folder that holds it."""
        folder = tempfile.mkdtemp(prefix="tillroll-nothing-")
        empty = os.path.join(folder, "empty")
        open(empty, "w").close()
        flags = [
            (flag, value)
            for flag, value in self.given.flags
            if flag.name not in ("output", "manifest", "rejects", "strict")
        ]
        output = self.given.value("output") or "-"
        name = "report" if output == "-" else os.path.basename(output)
        answer = subprocess.run(
            [self.binary.path, "report", self.report, *words(flags), "-o", join(folder, name), "--", empty],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        if answer.returncode not in (FINISHED, CHECK_FAILED):
            self.say(text_of(answer.stderr))
            shutil.rmtree(folder, ignore_errors=True)
        return answer.returncode, folder

    def _work(self, session: Session) -> tuple[str, bool]:
        """The folder of the steps, and whether it is gone after the run."""
        if self.options.work:
            work = self.options.work.rstrip("/")
            return (os.path.abspath(local_path(work)) if is_local(work) else work), False
        if not session.is_local:
            raise RunError(
                64, "--work URL names a folder that the driver and all executors reach; only local runs go without it"
            )
        return tempfile.mkdtemp(prefix="tillroll-work-"), True
