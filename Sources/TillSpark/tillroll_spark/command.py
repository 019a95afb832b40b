"""The command `tillroll-spark`."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from . import __version__
from .binary import Binary
from .errors import INTERRUPTED, IO_ERROR, USAGE, RunError
from .flags import Flag, Steps, parse
from .inputs import SPLIT_SIZE
from .run import Options, Run
from .session import Session

HELP = """\
OVERVIEW: Runs a report of tillroll on Apache Spark, with the same digits.

Examples:
  tillroll-spark report revenue dumps/ --prices prices.csv -o march.json
  tillroll-spark report all s3a://receipts/2026/ --master yarn \\
      --work hdfs:///tmp/tillroll -o march.xlsx

USAGE: tillroll-spark report <name> <inputs> ... [<options>]

ARGUMENTS:
  <name>                  A report of 'tillroll report'.
  <inputs>                Files, folders and URLs that Spark reads.

CLUSTER:
  --master <url>          Spark's master, such as spark://host:7077, yarn, local[8] (default: that of spark-submit,
                          else local[*]).
  --tillroll <path>       The binary (default: tillroll in PATH). Spark ships it to the executors.
  --executor-tillroll <path>
                          Where the executors have the same binary, which is then not shipped.
  --partitions <n>        Shares in which transactions are joined (default: by the size of the partials).
  --work <url>            A folder that the driver and all executors reach, for partials. A run that starts again
                          with the same one takes up the steps that were finished.
  --keep-work             Leave the folder as it is when the report is written.
  --split <size>          Bytes of a file for one task, such as 64M (default: 256M).
  --conf <name=value>     A setting of Spark; may be repeated.

All other options are those of 'tillroll report', but for --watch, --partial and what is about one terminal.
"""


def main(arguments: Sequence[str] | None = None, session: Session | None = None) -> int:
    """Runs the command, on a session where there is one; gives the exit status."""
    try:
        return _run(list(sys.argv[1:] if arguments is None else arguments), session)
    except RunError as error:
        print(f"tillroll-spark: {error.message}", file=sys.stderr)
        return error.status
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        if is_loss_of_java(error):
            error = OSError("Spark's Java process on this machine has ended; run the command again")
        if not isinstance(error, OSError):
            raise
        # Such as a disk of the driver that is full.
        print(f"tillroll-spark: {error}", file=sys.stderr)
        return IO_ERROR


def is_loss_of_java(error: BaseException) -> bool:
    """Whether an error says that the driver's virtual machine is gone."""
    from py4j.protocol import Py4JNetworkError

    return isinstance(error, ConnectionError | Py4JNetworkError)


def _run(arguments: list[str], session: Session | None) -> int:
    before = arguments[: arguments.index("--")] if "--" in arguments else arguments
    if not arguments or "--help" in before or "-h" in before:
        print(HELP, end="")
        return 0 if arguments else USAGE
    if "--version" in before:
        print(__version__)
        return 0
    if arguments[0] != "report":
        raise RunError(USAGE, f"there is no command '{arguments[0]}'; there is 'report'")
    options, rest = _options(arguments[1:])
    binary = Binary.find(options.tillroll)
    given = parse(rest, Flag.all_of(binary.help("report")))
    if not given.operands:
        raise RunError(USAGE, "name a report and its inputs: tillroll-spark report revenue dumps/ -o revenue.json")
    report = given.operands.pop(0)
    if not given.operands:
        raise RunError(USAGE, "name the inputs: files, folders or URLs; standard input is that of one machine")
    return Run(report, given, options, binary, Steps.of(given, binary), session).run()


_VALUES = {"--master", "--tillroll", "--executor-tillroll", "--partitions", "--work", "--split", "--conf"}


def _options(words: list[str]) -> tuple[Options, list[str]]:
    """Takes the options of the cluster out of a command line."""
    values: dict[str, list[str]] = {}
    rest: list[str] = []
    keeps = False
    words = list(words)
    while words:
        word = words.pop(0)
        if word == "--":
            rest += [word, *words]
            break
        name, equals, attached = word.partition("=")
        if word == "--keep-work":
            keeps = True
        elif name in _VALUES:
            if not equals and not words:
                raise RunError(USAGE, f"{name} needs a value")
            values.setdefault(name, []).append(attached if equals else words.pop(0))
        else:
            rest.append(word)
    last = {name: given[-1] for name, given in values.items()}
    return (
        Options(
            master=last.get("--master"),
            tillroll=last.get("--tillroll"),
            executor_tillroll=last.get("--executor-tillroll"),
            partitions=_number(last.get("--partitions"), "--partitions"),
            work=last.get("--work"),
            split_size=_size(last.get("--split")),
            keeps_work=keeps,
            settings=tuple(_setting(text) for text in values.get("--conf", [])),
        ),
        rest,
    )


def _number(text: str | None, name: str) -> int | None:
    if text is None:
        return None
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise RunError(USAGE, f"{name} takes a number from 1, not '{text}'")
    return int(text)


def _size(text: str | None) -> int:
    if text is None:
        return SPLIT_SIZE
    units = {"K": 10, "M": 20, "G": 30}
    digits, unit = (text[:-1], units[text[-1]]) if text[-1:] in units else (text, 0)
    if not digits.isascii() or not digits.isdigit() or int(digits) < 1:
        raise RunError(USAGE, f"--split takes a size such as 64M, not '{text}'")
    return int(digits) << unit


def _setting(text: str) -> str:
    if not text.partition("=")[1]:
        raise RunError(USAGE, f"--conf takes name=value, not '{text}'")
    return text


if __name__ == "__main__":
    sys.exit(main())
