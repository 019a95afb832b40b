"""The flags of `tillroll report`, taken from the binary itself, and which step of a run gets which of them."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from .binary import Binary
from .errors import USAGE, RunError

#: Flags about one terminal or one process, and why a cluster has no use for them.
REFUSED = {
    "watch": "shows a report in one terminal while its input comes",
    "progress": "is about one terminal; Spark's own pages show how far a run is",
    "color": "is about one terminal",
    "no-pager": "is about one terminal",
    "range": "is of the steps of a cluster, which find it out themselves",
    "source": "is of the steps of a cluster, which find it out themselves",
    "part": "is of the steps of a cluster, which find it out themselves",
    "converted": "names the rows of one machine; give the documents",
    "closed-partial": "is how the steps of a cluster hand on their results; the result of all is a report",
    "as-of": "is of the steps of a cluster, which find it out themselves",
    "metrics": "is of one process; a cluster has metrics of its own",
    "partial": "is how the steps of a cluster hand on their results; the result of all is a report",
}
#: What the driver does itself.
OF_DRIVER = {"output", "manifest", "rejects", "rejects-raw", "max-rejects", "strict", "quiet", "explain"}
#: What each process of the binary is told, whatever its step.
OF_PROCESS = {"jobs", "memory"}
#: What compares the transactions of all partitions.
OF_JOIN = {"closed"}
#: A time before the newest record; the binary reads what it says.
_COUNTED = re.compile(r"[0-9]+[a-z]")
#: Decided when documents are read, and again told where rows are explained.
OF_READING_AND_ROWS = {"trust", "bundle-id"}


@dataclass(frozen=True)
class Flag:
    """A flag as the binary describes it."""

    name: str
    takes_value: bool
    names_file: bool
    section: str | None

    @staticmethod
    def all_of(command: dict[str, Any]) -> dict[str, Flag]:
        """Every flag of a command, by each of its spellings."""
        found: dict[str, Flag] = {}
        for described in command["flags"]:
            name = described["name"]
            flag = Flag(name, described["value"] is not None, described["names_file"], described["group"])
            found["--" + name] = flag
            if described["short"]:
                found["-" + described["short"]] = flag
        return found


@dataclass
class Given:
    """The flags of a command line, in its order."""

    flags: list[tuple[Flag, str | None]] = field(default_factory=list)
    operands: list[str] = field(default_factory=list)

    def value(self, name: str) -> str | None:
        """The value that was given last, or the empty text for a flag without one; `None` where it was not given."""
        return next((value or "" for flag, value in reversed(self.flags) if flag.name == name), None)

    def has(self, name: str) -> bool:
        return self.value(name) is not None

    def values(self, name: str) -> list[str]:
        return [value or "" for flag, value in self.flags if flag.name == name]

    @property
    def counts_back(self) -> bool:
        """Whether the period is counted back from the newest record: `--since 7d`."""
        return _COUNTED.fullmatch(self.value("since") or "") is not None and not self.has("until")

    def files(self) -> list[str]:
        """The files that flags name as their values, apart from outputs."""
        named = [value for flag, value in self.flags if flag.names_file and flag.name not in OF_DRIVER and value]
        return [path for path in named if os.path.isfile(path)]


def parse(words: Sequence[str], known: dict[str, Flag]) -> Given:
    """Splits a command line by the flags that the binary has.

    Whether values are right is for the binary to say, which `preflight` asks.
    """
    given = Given()
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            given.operands += rest
            break
        if not word.startswith("-") or word == "-":
            given.operands.append(word)
            continue
        name, equals, attached = word.partition("=")
        flag = known.get(name)
        if flag is None:
            near = difflib.get_close_matches(name, list(known), 1)
            raise RunError(USAGE, f"there is no flag {name}" + (f"; did you mean {near[0]}?" if near else ""))
        if flag.name in REFUSED:
            raise RunError(USAGE, f"--{flag.name} {REFUSED[flag.name]}; tillroll-spark does not take it")
        if not flag.takes_value:
            if equals:
                raise RunError(USAGE, f"{name} takes no value")
            given.flags.append((flag, None))
        elif equals:
            given.flags.append((flag, attached))
        elif rest:
            given.flags.append((flag, rest.pop(0)))
        else:
            raise RunError(USAGE, f"{name} needs a value")
    return given


def words(flags: Sequence[tuple[Flag, str | None]]) -> Iterator[str]:
    """Flags as a command line has them."""
    for flag, value in flags:
        yield f"--{flag.name}" if value is None else f"--{flag.name}={value}"


@dataclass(frozen=True)
class Steps:
    """The flags of each step: of reading documents, of joining partials, of the report."""

    #: Of the partial of a part of the documents. It carries those that settle the report to all steps behind it.
    read: list[tuple[Flag, str | None]]
    #: Of each process behind it.
    join: list[tuple[Flag, str | None]]
    #: Of the last merge, which makes the report.
    merge: list[tuple[Flag, str | None]]
    #: Of the rows that an explanation is made of, and of the explanation, by one process.
    convert: list[tuple[Flag, str | None]]
    explain: list[tuple[Flag, str | None]]

    def during(self, start: str, end: str | None) -> Steps:
        """The same with a period that begins at an instant, and ends at another one if that is known."""

        def changed(flags: list[tuple[Flag, str | None]]) -> list[tuple[Flag, str | None]]:
            found: list[tuple[Flag, str | None]] = []
            for flag, value in flags:
                found.append((flag, start if flag.name == "since" else value))
                if flag.name == "since" and end is not None:
                    found.append((replace(flag, name="until"), end))
            return found

        return Steps(*(changed(getattr(self, step.name)) for step in fields(self)))

    @staticmethod
    def of(given: Given, binary: Binary) -> Steps:
        merge_flags = {flag.name for flag in Flag.all_of(binary.help("merge")).values()}
        steps = Steps([], [], [], [], [])
        for flag, value in given.flags:
            is_output = flag.section == "Output" and flag.name not in OF_DRIVER
            if flag.name == "explain" or is_output:
                steps.explain.append((flag, value))
            if flag.name in OF_DRIVER:
                continue
            is_reading = flag.section == "Reading"
            if is_reading and flag.name != "memory":
                steps.convert.append((flag, value))
            if not is_output and flag.name not in OF_JOIN:
                steps.read.append((flag, value))
                if not is_reading or flag.name in OF_READING_AND_ROWS | OF_PROCESS:
                    steps.explain.append((flag, value))
            if flag.name == "memory":
                steps.join.append((flag, value))
            # Partials carry what settles them; told again, files have the names of the user in messages.
            if flag.name in merge_flags:
                steps.merge.append((flag, value))
        return steps
