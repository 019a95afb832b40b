"""Which step gets which flag."""

from __future__ import annotations

import pytest

from tillroll_spark.binary import Binary
from tillroll_spark.command import main
from tillroll_spark.errors import RunError
from tillroll_spark.flags import OF_DRIVER, REFUSED, Flag, Steps, parse


def words_of(flags: list[tuple[Flag, str | None]]) -> set[str]:
    return {flag.name for flag, _ in flags}


def test_every_flag_of_the_binary_reaches_a_step_or_is_refused(binary: Binary) -> None:
    known = Flag.all_of(binary.help("report"))
    for spelling, flag in known.items():
        line = [spelling, "x"] if flag.takes_value else [spelling]
        if flag.name in REFUSED:
            with pytest.raises(RunError) as refused:
                parse(line, known)
            assert refused.value.status == 64
            continue
        steps = Steps.of(parse(line, known), binary)
        reached = words_of(steps.read) | words_of(steps.join) | words_of(steps.merge)
        assert flag.name in reached | OF_DRIVER, spelling


def test_flags_reach_the_steps_that_they_are_about(binary: Binary) -> None:
    known = Flag.all_of(binary.help("report"))
    line = ["--month", "2026-03", "--environment=sandbox", "--trust", "off", "--max-document=1M", "--memory", "1G"]
    steps = Steps.of(parse([*line, "--examples", "2"], known), binary)
    assert words_of(steps.read) == {"month", "environment", "trust", "max-document", "memory"}
    assert words_of(steps.join) == {"memory"}
    assert words_of(steps.merge) == {"month", "memory", "examples"}
    # Of an explanation, documents are read apart from the rows that are explained.
    assert words_of(steps.convert) == {"trust", "max-document"}
    assert words_of(steps.explain) == {"month", "environment", "trust", "memory", "examples"}


def test_operands_and_values_are_told_apart(binary: Binary) -> None:
    known = Flag.all_of(binary.help("report"))
    given = parse(["a", "-o", "x.json", "b", "-t=json", "--detail", "--", "--c"], known)
    assert given.operands == ["a", "b", "--c"]
    assert given.value("output") == "x.json" and given.value("format") == "json" and given.has("detail")
    assert given.value("month") is None


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (["repot"], "there is no command 'repot'; there is 'report'"),
        (["report"], "name a report"),
        (["report", "revenue"], "name the inputs"),
        (["report", "revenue", "x", "--wach"], "there is no flag --wach; did you mean --watch?"),
        (["report", "revenue", "x", "--watch"], "--watch shows a report in one terminal"),
        (["report", "revenue", "x", "--no-pager"], "--no-pager is about one terminal"),
        (["report", "revenue", "x", "--prices"], "--prices needs a value"),
        (["report", "revenue", "x", "--strict=1"], "--strict takes no value"),
        (["report", "revenue", "x", "--partitions", "0"], "--partitions takes a number from 1"),
        (["report", "revenue", "x", "--split", "1X"], "--split takes a size"),
        (["report", "failures", "s3a://x", "--explain", "code=500"], "--explain of failures is made by the driver"),
    ],
)
def test_wrong_usage_is_one_line_and_64(
    binary: Binary, capsys: pytest.CaptureFixture[str], line: list[str], message: str
) -> None:
    assert main([*line, "--tillroll", binary.path]) == 64
    assert message in capsys.readouterr().err


def test_values_are_checked_by_the_binary_before_spark_starts(
    binary: Binary, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", "revenue", "Samples/verify", "--month", "2026-13", "--tillroll", binary.path]) == 64
    assert "2026-13" in capsys.readouterr().err
    assert main(["report", "revenu", "Samples/verify", "--tillroll", binary.path]) == 64
    assert "revenue" in capsys.readouterr().err


def test_a_binary_that_is_none_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "revenue", "x", "--tillroll", "/bin/false"]) == 74
    assert "/bin/false" in capsys.readouterr().err
