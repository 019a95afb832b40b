"""The steps of a report on a cluster, one after the other."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from . import partials, reading, rejects
from .binary import text_of
from .errors import CHECK_FAILED, DATA_ERROR, FINISHED, IO_ERROR, USAGE, RunError
from .flags import words
from .inputs import Part, Source, expand, plan
from .partials import Input, Join
from .reading import Position, Reading, Result
from .session import Session
from .storage import is_local, join, local_path
from .work import Step, digest
from .worker import Flags, Setup

if TYPE_CHECKING:
    from .run import Run

#: Bytes of partials that one process joins: about fifteen million transactions.
_PARTITION_SIZE = 512 << 20
#: Reports that compare the transactions of one account or line item, whatever their chains.
_COMPARING_ACCOUNTS = {"anomalies", "all"}
#: Reports that look at subscriptions as of the newest record.
_AS_OF = {"subscriptions", "all"}
#: How the binary tells that another part has a newer record, and of when it is.
_NEWER = re.compile(r"--as-of ((?:\d{4}-[0-9T:.-]+Z/)?\d{4}-[0-9T:.-]+Z)")
#: Formats whose documents are no lines, so that a file has no ranges.
_WHOLE_FORMATS = {"csv", "text", "rows"}


@dataclass
class Documents:
    """What has been read: the parts, what came of each, and what lies before it in its file."""

    step: Step
    parts: list[Part]
    results: dict[int, Result]
    places: dict[int, Position]
    totals: rejects.Totals

    @property
    def ordered(self) -> list[Result]:
        return [self.results[part.number] for part in self.parts]

    def files(self, name: str) -> list[Input]:
        """What the parts have written, in the order of the input."""
        return [Input(join(self.step.url, r.folder, name), self.places[r.number]) for r in self.ordered]


@dataclass(frozen=True)
class Divided:
    """A file of shares."""

    url: str
    #: Where each share ends.
    ends: list[int]

    def place(self, share: int) -> tuple[int, int]:
        """Where a share begins and ends."""
        return (self.ends[share - 1] if share else 0), self.ends[share]


@dataclass
class Cluster:
    """The steps of one run."""

    of: Run
    session: Session

    def run(self, work: str, nothing: str) -> int:
        sources = expand(self.of.given.operands, self.session.storage, self.of.warn)
        setup = self.session.setup(self.of.binary, self.of.given.files(), self.of.options.executor_tillroll)
        steps = []
        if self.of.given.counts_back:
            if self.of.given.has("now"):
                raise RunError(
                    USAGE, "--now beside a --since that counts back needs one machine; give the instant of its beginning"
                )
            told = self._read(work, sources, setup, tells_period=True)
            steps.append(told.step)
            if told.parts:
                self.of.steps = self.of.steps.during(*period_of(told.ordered))
        read = self._read(work, sources, setup)
        self._tell(read)
        if all(result.is_of_nothing for result in read.ordered):
            return self._finish_nothing(nothing)
        refusal = rejects.refusal(self.of.given, read.totals)
        output = self.of.given.value("output") or "-"
        if refusal:
            self.of.say(f"tillroll: {refusal}")
            if output != "-":
                self.of.say(f"tillroll: {output} is not written")
                return DATA_ERROR
        steps.append(read.step)
        status = self._explain(read) if self.of.given.has("explain") else self._report(work, read, setup, steps)
        if status in (FINISHED, CHECK_FAILED) and self.of.options.work and not self.of.options.keeps_work:
            for step in steps:
                step.remove()
        return DATA_ERROR if refusal else status

    # --- Reading

    def _read(self, work: str, sources: list[Source], setup: Setup, *, tells_period: bool = False) -> Documents:
        given, steps, storage = self.of.given, self.of.steps, self.session.storage
        explains = given.has("explain") and not tells_period
        task_of = Reading(
            report=self.of.report,
            flags=steps.convert if explains else steps.read,
            writes_rows=explains,
            keeps_raw=given.value("rejects-raw") != "none" if given.has("rejects") and not tells_period else None,
            has_manifest=given.has("manifest") and not tells_period,
            tells_period=tells_period,
        )
        step = self._step(
            work,
            "period" if tells_period else "read",
            [self.of.binary.sha256, sources_digest(sources), self.of.options.split_size],
            [self.of.report, told(task_of.flags, setup), explains, task_of.keeps_raw, task_of.has_manifest],
        )
        # The numbers of documents in rows are those of whole files.
        by_ranges = given.value("from") not in _WHOLE_FORMATS and not explains
        parts = plan(sources, storage, self.of.options.split_size, by_ranges=by_ranges)
        done = step.result()
        if done is not None:
            results = {entry["number"]: Result(**entry) for entry in done["results"]}
            whole = set(done["whole"])
            parts = reading.replace(parts, [Part(p.number, p.sources) for p in parts if p.number in whole])
        else:
            step.begin()
            parts, results, again = self._read_parts(parts, setup, task_of, step.url)
            step.finish(
                {
                    "results": [dataclasses.asdict(result) for result in results.values()],
                    "whole": [part.number for part in again],
                }
            )
        places = reading.positions(parts, results)
        return Documents(step, parts, results, places, rejects.Totals.of(results.values()))

    def _read_parts(
        self, parts: list[Part], setup: Setup, task_of: Reading, target: str
    ) -> tuple[list[Part], dict[int, Result], list[Part]]:
        shared = self.session.broadcast((setup, task_of))

        def task(part: Part) -> Result:
            told, task_of = shared.value
            return reading.read(part, told, task_of, target)

        results = {result.number: result for result in self.session.each(parts, task)}
        reading.check(results.values())
        again = reading.settle(parts, results)
        if again:
            results |= {result.number: result for result in self.session.each(again, task)}
            parts = reading.replace(parts, again)
            results = {part.number: results[part.number] for part in parts}
            reading.check(results.values())
        return parts, results, again

    def _tell(self, read: Documents) -> None:
        path = self.of.given.value("rejects")
        if path:
            reading.collect_rejects(read.parts, read.results, read.places, read.step.url, self.session.storage, path)
        if read.totals.foreign:
            self.of.warn(f"tillroll: documents of other apps, left out: {read.totals.foreign}")
        if read.totals.untrusted:
            self.of.warn(
                f"tillroll: untrusted documents, not booked: {read.totals.untrusted} (transactions: "
                f"{read.totals.untrusted_rows}); tillroll verify says why"
            )
        reading.bracket_warnings(read.parts, read.results, self.of.warn)
        rejects.tell(read.results.values(), self.of.warn)

    # --- Joining

    def _report(self, work: str, read: Documents, setup: Setup, steps: list[Step]) -> int:
        """Joins the partials of all parts: by one process where that is little work, else share by share."""
        found = read.files(reading.PARTIAL)
        count = self._partitions(read)
        if count == 1:
            return self._make_report(work, read.step.digest, found, setup, steps, read)
        by_transaction = self._divided(
            work,
            "divide",
            read.step.digest,
            [
                Join(number, group, ("--divide", f"transactions:{count}"), count)
                for number, group in enumerate(partials.dealt(found, max(count, self.session.processors)))
            ],
            setup,
            steps,
        )
        by_chain = self._divided(
            work,
            "chains",
            steps[-1].digest,
            [
                Join(share, shares_of(by_transaction, share), ("--divide", f"chains:{count}"), count)
                for share in range(count)
            ],
            setup,
            steps,
        )
        as_of = newest(read.ordered) if self.of.report in _AS_OF else None
        whole = steps[-1].digest
        while True:
            closed = self._close(work, whole, by_chain, count, as_of, setup, steps)
            try:
                return self._make_report(work, steps[-1].digest, closed, setup, steps, read)
            except RunError as error:
                # A purchase is newer than all documents, or a chain began after the first one. The binary says so when the sums are joined.
                match = _NEWER.search(error.message)
                if match is None or match.group(1) == as_of:
                    raise
                as_of = match.group(1)

    def _partitions(self, read: Documents) -> int:
        # A comparison with closed months needs all transactions at the end.
        if self.of.given.has("closed"):
            return 1
        written = sum(result.written for result in read.ordered)
        return self.of.options.partitions or -(-written // _PARTITION_SIZE) or 1

    def _close(
        self,
        work: str,
        before: str,
        by_chain: Sequence[Divided],
        count: int,
        as_of: str | None,
        setup: Setup,
        steps: list[Step],
    ) -> list[Input]:
        """Settles the shares of chains, each by itself; gives their sums."""
        flags = ["--closed-partial", *(["--as-of", as_of] if as_of else [])]
        compares = self.of.report in _COMPARING_ACCOUNTS
        tasks = []
        for share in range(count):
            further = [*flags, "--share", str(share), "--divide", f"accounts:{count}"] if compares else flags
            tasks.append(Join(share, shares_of(by_chain, share), tuple(further), count if compares else 0))
        if not compares:
            return self._joins(work, "close", before, tasks, setup, steps)
        closed = self._divided(work, "close", before, tasks, setup, steps)
        # The sales of one account, or of one line item, may be of several chains.
        tasks = [Join(share, shares_of(closed, share)) for share in range(count)]
        return self._joins(work, "accounts", steps[-1].digest, tasks, setup, steps)

    def _joins(
        self, work: str, name: str, before: str, tasks: Sequence[Join], setup: Setup, steps: list[Step]
    ) -> list[Input]:
        """Runs a step of joins, unless it has been finished; gives the partials."""
        return [Input(part.url) for part in self._divided(work, name, before, tasks, setup, steps)]

    def _divided(
        self, work: str, name: str, before: str, tasks: Sequence[Join], setup: Setup, steps: list[Step]
    ) -> list[Divided]:
        """Runs a step of joins, unless it has been finished; gives the files that they have written."""
        asked = [[task.flags, task.shares, len(task.inputs)] for task in tasks]
        step = self._step(work, name, before, [asked, told(self.of.steps.join, setup)])
        steps.append(step)
        done = step.result()
        if done is None:
            step.begin()
            shared = self.session.broadcast((setup, self.of.steps.join))
            target = step.url

            def run(task: Join) -> partials.Joined:
                told, flags = shared.value
                return partials.joined(task, told, flags, target)

            results = self.session.each(tasks, run)
            partials.check(results)
            done = [dataclasses.asdict(result) for result in results]
            step.finish(done)
        return [Divided(join(step.url, entry["name"]), entry["ends"]) for entry in done]

    def _make_report(
        self, work: str, before: str, inputs: list[Input], setup: Setup, steps: list[Step], read: Documents
    ) -> int:
        """Joins partials, some on executors where they are many, and writes the report."""
        while len(inputs) > partials.FAN_IN:
            tasks = [Join(number, group) for number, group in enumerate(partials.groups(inputs))]
            inputs = self._joins(work, "join", before, tasks, setup, steps)
            before = steps[-1].digest
        with self.session.worker(setup, self.of.binary.path) as worker:
            folder, places = partials.gathered(inputs, worker)
            command = [self.of.binary.path, "merge", *places, *words(self.of.steps.merge)]
            return self._write_report(command, [folder], worker.scratch, read)

    def _explain(self, read: Documents) -> int:
        """Explains a figure on the driver, of all transactions in the order of the input.

        Which rows are behind a figure is known only when all have been settled, and their number is in the answer too.
        """
        storage, folder = self.session.storage, tempfile.mkdtemp(dir=self.session.scratch)
        rows = [
            storage.local(file.url, folder, f"{index:08d}.parquet")
            for index, file in enumerate(read.files(reading.ROWS))
        ]
        counts = os.path.join(folder, "converted.json")
        with open(counts, "wb") as file:
            file.write(_manifest(read.totals))
        flags = list(words(self.of.steps.explain))
        command = [self.of.binary.path, "report", self.of.report, *flags, "--quiet", "--converted", counts]
        return self._write_report(command, rows, folder, read)

    def _write_report(self, command: list[str], inputs: list[str], folder: str, read: Documents) -> int:
        """Has the binary write the report where the user wants it."""
        output = self.of.given.value("output") or "-"
        path = local_path(output) if is_local(output) else os.path.join(folder, os.path.basename(output))
        manifest = self.of.given.value("manifest")
        told = os.path.join(folder, "manifest.json")
        command = [*command, "-o", path]
        if manifest:
            command += ["--manifest", told]
        sys.stdout.flush()
        answer = subprocess.run(
            [*command, "--", *inputs], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False
        )
        said = text_of(answer.stderr)
        if _NEWER.search(said) and answer.returncode not in (FINISHED, CHECK_FAILED):
            raise RunError(answer.returncode, said.removeprefix("tillroll: "))
        if said:
            self.of.say(said)
        if answer.returncode in (FINISHED, CHECK_FAILED):
            if path != output and not is_local(output):
                self.session.storage.put(path, output)
            if manifest:
                self._write_manifest(told, manifest, read)
        return answer.returncode

    def _write_manifest(self, told: str, path: str, read: Documents) -> None:
        """The manifest of the merge, with the parts of the documents in place of the partials."""
        with open(told, encoding="utf-8") as file:
            manifest: dict[str, Any] = json.load(file)
        manifest["command"] = f"report {self.of.report}"
        del manifest["inputs"]
        manifest["parts"] = []
        for part in read.parts:
            result = read.results[part.number]
            for source, size, sha256 in result.inputs:
                entry: dict[str, Any] = {"source": source, "bytes": size, "sha256": sha256}
                if part.range is not None:
                    entry |= {"begin": result.begin, "end": result.end}
                manifest["parts"].append(entry)
        order = ("manifest", "tool", "version", "command", "options", "parts", "counts", "output")
        text = json.dumps({name: manifest[name] for name in order if name in manifest}, ensure_ascii=False, indent=1)
        temporary = told + ".parts"
        with open(temporary, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text + "\n")
        self.session.storage.put(temporary, path)

    def _finish_nothing(self, nothing: str) -> int:
        """The report of no documents, which has been made already."""
        self.of.warn("tillroll: the input holds no documents")
        output = self.of.given.value("output") or "-"
        if self.of.given.has("strict"):
            self.of.say("tillroll: --strict allows no input without documents")
            if output != "-":
                self.of.say(f"tillroll: {output} is not written")
            return DATA_ERROR
        name = "report" if output == "-" else os.path.basename(output)
        made = os.path.join(nothing, name)
        if output == "-":
            with open(made, "rb") as file:
                shutil.copyfileobj(file, sys.stdout.buffer)
        else:
            self.session.storage.put(made, output)
        return FINISHED

    def _step(self, work: str, name: str, *known: Any) -> Step:
        return Step(self.session.storage, self.session.scratch, work, name, *known)


def shares_of(divided: Iterable[Divided], share: int) -> tuple[Input, ...]:
    """The shares of one number, of all partials that were divided."""
    return tuple(Input(part.url, place=part.place(share)) for part in divided)


def newest(results: Iterable[Result]) -> str | None:
    """When the newest document was made, as RFC 3339 in UTC: subscriptions are known up to then at least."""
    known = [result.newest for result in results if result.newest is not None]
    if not known:
        return None
    seconds, rest = divmod(max(known), 1000)
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    return moment.strftime("%Y-%m-%dT%H:%M:%S") + f".{rest:03}Z"


def period_of(results: Sequence[Result]) -> tuple[str, str | None]:
    """A period that is counted back from the newest record of all parts; of none, from now."""
    last = max(results, key=lambda result: -math.inf if result.newest is None else result.newest)
    if last.since is None:
        raise RunError(IO_ERROR, "the binary did not tell where the period begins")
    return last.since, last.until


def told(flags: Flags, setup: Setup) -> list[tuple[str, str | None, str | None]]:
    """Flags as they tell a step from others: with the contents of the files that they name."""
    contents = {path: hashlib.sha256(data).hexdigest() for path, data in setup.files.items()}
    return [
        (flag.name, value, contents.get(value) if value is not None and flag.names_file else None)
        for flag, value in flags
    ]


def sources_digest(sources: list[Source]) -> str:
    """What tells the inputs from others: names, sizes and when they were changed."""
    return digest([[source.name, source.size, source.changed] for source in sources])


def _manifest(totals: rejects.Totals) -> bytes:
    """Counts of documents as a manifest of `tillroll convert` tells them."""
    counts = {
        "documents": totals.documents,
        "accepted": totals.accepted,
        "rejected": totals.rejected,
        "bytes": totals.bytes,
        "foreign_documents": totals.foreign,
    }
    text = {"manifest": 1, "tool": "tillroll", "command": "convert", "counts": counts}
    return json.dumps(text).encode()
