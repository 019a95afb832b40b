"""The steps of a report on a cluster, one after the other."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import convert, reduce, rejects, shuffle
from .binary import text_of
from .convert import Converted, Position
from .errors import CHECK_FAILED, DATA_ERROR, FINISHED, RunError
from .flags import words
from .inputs import Part, Source, expand, plan
from .session import Session, reason_of
from .storage import is_local, join, local_path
from .work import Step, digest
from .worker import Flags, Setup

if TYPE_CHECKING:
    from .run import Run

#: Bytes of rows in a partition, as they are stored after reading.
_BUCKET_SIZE = 64 << 20
#: Reports that compare the transactions of one account or line item, whatever their chains.
_COMPARING_ACCOUNTS = {"anomalies", "all"}
#: Reports of how verifications and attempts to buy end.
_OF_EVENTS = {"restores", "failures", "all"}
_ALWAYS_DEALT = {"transactions", "renewals"}
#: Reports that look at subscriptions as of the newest record.
_AS_OF = {"subscriptions", "all"}
#: How the binary tells that another part has a newer record, and of when it is.
_NEWER = re.compile(r"--as-of (\d{4}-[0-9T:.-]+Z)")
#: Formats whose documents are no lines, so that a file has no ranges.
_WHOLE_FORMATS = {"csv", "text", "rows"}


@dataclass
class Cluster:
    """The steps of one run."""

    of: Run
    session: Session

    def run(self, work: str, nothing: str) -> int:
        storage, scratch = self.session.storage, self.session.scratch
        sources = expand(self.of.given.operands, storage, self.of.warn)
        setup = self.session.setup(self.of.binary, self.of.given.files(), self.of.options.executor_tillroll)
        known = [self.of.binary.sha256, sources_digest(sources), self.of.options.split_size]
        steps, given = self.of.steps, self.of.given
        asked = [told(steps.convert, setup), given.has("rejects"), given.value("rejects-raw")]
        reading = Step(storage, scratch, work, "convert", known, asked)
        parts, results = self._convert(reading, sources, setup)
        places = convert.positions(parts, results)
        totals = rejects.Totals.of(results.values())
        self._tell(parts, results, places, reading, totals)
        if totals.documents == 0 and not any(sum(r.rows.values()) for r in results.values()):
            return self._finish_nothing(nothing)
        refusal = rejects.refusal(self.of.given, totals)
        output = self.of.given.value("output") or "-"
        if refusal:
            self.of.say(f"tillroll: {refusal}")
            if output != "-":
                self.of.say(f"tillroll: {output} is not written")
                return DATA_ERROR
        if given.has("explain"):
            status = self._explain(reading, work, parts, results, places, totals)
            if status == FINISHED and self.of.options.work and not self.of.options.keeps_work:
                reading.remove()
            return DATA_ERROR if refusal else status
        partitions = self._partitions(results)
        dealing = Step(
            storage, scratch, work, "shuffle", reading.digest, partitions, self._by_account, self._dealt_tables
        )
        self._shuffle(dealing, reading, parts, results, places)
        counting, status = self._report(dealing, reading, setup, work, parts, results, totals)
        if status == FINISHED and self.of.options.work and not self.of.options.keeps_work:
            for step in (reading, dealing, counting):
                step.remove()
        return DATA_ERROR if refusal else status

    def _convert(self, step: Step, sources: list[Source], setup: Setup) -> tuple[list[Part], dict[int, Converted]]:
        by_ranges = self.of.given.value("from") not in _WHOLE_FORMATS
        parts = plan(sources, self.session.storage, self.of.options.split_size, by_ranges=by_ranges)
        done = step.result()
        if done is not None:
            results = {entry["number"]: Converted(**entry) for entry in done["results"]}
            whole = set(done["whole"])
            return convert.replace(parts, [Part(p.number, p.sources) for p in parts if p.number in whole]), results
        step.begin()
        keeps = self.of.given.value("rejects-raw") != "none" if self.of.given.has("rejects") else None
        shared = self.session.broadcast((setup, self.of.steps.convert))
        target = step.url

        def task(part: Part) -> Converted:
            told, flags = shared.value
            return convert.convert(part, told, flags, target, keeps)

        results = {result.number: result for result in self.session.each(parts, task)}
        convert.check(results.values())
        again = convert.settle(parts, results)
        if again:
            results |= {result.number: result for result in self.session.each(again, task)}
            parts = convert.replace(parts, again)
            results = {part.number: results[part.number] for part in parts}
            convert.check(results.values())
        step.finish(
            {
                "results": [dataclasses.asdict(result) for result in results.values()],
                "whole": [part.number for part in again],
            }
        )
        return parts, results

    def _tell(
        self,
        parts: list[Part],
        results: dict[int, Converted],
        places: dict[int, Position],
        step: Step,
        totals: rejects.Totals,
    ) -> None:
        path = self.of.given.value("rejects")
        if path:
            convert.collect_rejects(parts, results, places, step.url, self.session.storage, path)
        if totals.foreign:
            self.of.warn(f"tillroll: documents of other apps, left out: {totals.foreign}")
        convert.bracket_warnings(parts, results, self.of.warn)
        rejects.tell(results.values(), self.of.warn)

    @property
    def _dealt_tables(self) -> list[str]:
        """The tables whose rows have to meet. The rows of others are only counted, where they lie."""
        return [table for table in convert.TABLES if table in _ALWAYS_DEALT or self.of.report in _OF_EVENTS]

    @property
    def _by_account(self) -> bool:
        return self.of.report in _COMPARING_ACCOUNTS

    def _partitions(self, results: dict[int, Converted]) -> int:
        written = sum(result.written for result in results.values())
        return self.of.options.partitions or max(self.session.processors, -(-written // _BUCKET_SIZE))

    def _shuffle(
        self,
        step: Step,
        reading: Step,
        parts: list[Part],
        results: dict[int, Converted],
        places: dict[int, Position],
    ) -> None:
        if step.result() is not None:
            return
        step.begin()
        partitions = self._partitions(results)
        # Small partitions share tasks; each still gets a file of its own.
        tasks = max(self.session.processors, sum(r.written for r in results.values()) // _BUCKET_SIZE)
        ordered = [results[part.number] for part in parts]
        try:
            shuffle.shuffle(
                self.session.spark,
                reading.url,
                step.url,
                ordered,
                places,
                partitions,
                tasks,
                by_account=self._by_account,
                dealt_tables=self._dealt_tables,
            )
        except Exception as error:
            raise RunError(74, f"Spark gave up the shuffle: {reason_of(error)}") from error
        step.finish({})

    def _explain(
        self,
        reading: Step,
        work: str,
        parts: list[Part],
        results: dict[int, Converted],
        places: dict[int, Position],
        totals: rejects.Totals,
    ) -> int:
        """Explains a figure on the driver, of all transactions in the order of the input.

        Which rows are behind a figure is known only when all have been settled, and their number is in the answer too.
        """
        storage, folder = self.session.storage, tempfile.mkdtemp(dir=self.session.scratch)
        url = join(work, f"explain-{reading.digest[:20]}")
        names = [source.name for part in parts for source in part.sources]
        ordered = [results[part.number] for part in parts]
        try:
            shuffle.in_order(self.session.spark, reading.url, url, ordered, places, names)
            files = [name for name in storage.entries(url) if name.endswith(".parquet")]
            rows = [storage.local(join(url, name), folder, name) for name in files]
            counts = os.path.join(folder, "converted.json")
            with open(counts, "wb") as file:
                file.write(_manifest(totals))
            flags = list(words(self.of.steps.explain))
            command = [self.of.binary.path, "report", self.of.report, *flags, "--quiet", "--converted", counts]
            return self._write_report(command, rows, folder, parts, results)
        finally:
            storage.remove(url)

    def _report(
        self,
        dealing: Step,
        reading: Step,
        setup: Setup,
        work: str,
        parts: list[Part],
        results: dict[int, Converted],
        totals: rejects.Totals,
    ) -> tuple[Step, int]:
        """Counts the partitions and joins the counts; gives the step of the former and the exit status.

        Sums of subscriptions are as of the newest record of all. Where a purchase is newer than all documents, the
        join says so, and the partitions are counted once more.
        """
        steps, report = self.of.steps, self.of.report
        as_of = None
        if steps.is_closed and report in _AS_OF:
            as_of = shuffle.newest(self.session.spark, reading.url, list(results.values()))
        while True:
            extra = ["--closed-partial"] if steps.is_closed else []
            extra += ["--as-of", as_of] if as_of else []
            asked = [dealing.digest, report, told(steps.report, setup), extra]
            counting = Step(self.session.storage, self.session.scratch, work, "count", *asked)
            counted = self._count(counting, reading, results, dealing, setup, totals, extra)
            try:
                return counting, self._join(counting, counted, setup, parts, results, totals)
            except RunError as error:
                match = _NEWER.search(error.message)
                if match is None or not steps.is_closed or match.group(1) == as_of:
                    raise
                as_of = match.group(1)

    def _undealt(self, reading: Step, results: dict[int, Converted]) -> list[str]:
        """The files of rows that meet no others in this report."""
        left = [table for table in convert.TABLES if table not in self._dealt_tables]
        return [
            join(reading.url, result.folder, f"{table}.parquet")
            for result in results.values()
            for table in left
            if result.rows.get(table)
        ]

    def _count(
        self,
        step: Step,
        reading: Step,
        results: dict[int, Converted],
        dealing: Step,
        setup: Setup,
        totals: rejects.Totals,
        extra: list[str],
    ) -> list[reduce.Counted]:
        done = step.result()
        if done is not None:
            return [reduce.Counted(**{**entry, "untrusted": tuple(entry["untrusted"])}) for entry in done]
        step.begin()
        found = reduce.with_files(reduce.buckets(self.session.storage, dealing.url), self._undealt(reading, results))
        if not found:
            # Documents without a row of any kind still count.
            found = [reduce.Bucket(0, ())]
        manifests = {True: _manifest(totals), False: _manifest(rejects.Totals())}
        first = found[0].number
        shared = self.session.broadcast((setup, self.of.steps.report))
        report, target = self.of.report, step.url

        def task(bucket: reduce.Bucket) -> reduce.Counted:
            told, flags = shared.value
            return reduce.count(bucket, told, report, flags, extra, manifests[bucket.number == first], target)

        counted = self.session.each(found, task)
        reduce.check(counted)
        step.finish([dataclasses.asdict(result) for result in counted])
        return counted

    def _join(
        self,
        step: Step,
        counted: list[reduce.Counted],
        setup: Setup,
        parts: list[Part],
        results: dict[int, Converted],
        totals: rejects.Totals,
    ) -> int:
        untrusted = [sum(values) for values in zip(*(result.untrusted for result in counted), strict=True)]
        if untrusted[0]:
            documents, transactions = untrusted
            self.of.warn(
                f"tillroll: untrusted documents, not booked: {documents} (transactions: {transactions}); "
                "tillroll verify says why"
            )
        files = [result.file for result in counted]
        shared = self.session.broadcast(setup)
        target = step.url
        while len(files) > reduce.FAN_IN:

            def task(item: tuple[int, list[str]]) -> reduce.Counted:
                return reduce.joined(item[0], item[1], shared.value, target)

            level = self.session.each(list(enumerate(reduce.groups(files))), task)
            reduce.check(level)
            files = [result.file for result in level]
        folder = tempfile.mkdtemp(dir=self.session.scratch)
        storage = self.session.storage
        paths = [storage.local(join(target, name), folder, name) for name in files]
        command = [self.of.binary.path, "merge", *words(self.of.steps.merge)]
        return self._write_report(command, paths, folder, parts, results)

    def _write_report(
        self,
        command: list[str],
        inputs: list[str],
        folder: str,
        parts: list[Part],
        results: dict[int, Converted],
    ) -> int:
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
                self._write_manifest(told, manifest, parts, results)
        return answer.returncode

    def _write_manifest(self, told: str, path: str, parts: list[Part], results: dict[int, Converted]) -> None:
        """The manifest of the merge, with the parts of the documents in place of the partials."""
        with open(told, encoding="utf-8") as file:
            manifest: dict[str, Any] = json.load(file)
        manifest["command"] = f"report {self.of.report}"
        manifest["parts"] = manifest.pop("inputs") and []
        for part in parts:
            for source, size, sha256 in results[part.number].inputs:
                entry: dict[str, Any] = {"source": source, "bytes": size, "sha256": sha256}
                if part.range is not None:
                    entry |= {"begin": results[part.number].begin, "end": results[part.number].end}
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
