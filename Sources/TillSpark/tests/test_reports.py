"""A report on Spark has the bytes of the report on one machine."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest
from conftest import FLAGS, GENERATOR, ROOT, SAMPLES, Pair

REPORTS = ["revenue", "deferred", "restores", "failures", "subscriptions", "anomalies", "journal", "all"]


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> str:
    """One folder for many reports: rows are read and dealt out once."""
    return str(tmp_path_factory.mktemp("work"))


@pytest.mark.parametrize(
    "partitions", ["1", pytest.param("7", marks=pytest.mark.smoke), pytest.param("200", marks=pytest.mark.slow)]
)
def test_all_reports_are_the_same_bytes_however_rows_are_dealt_out(pair: Pair, work: str, partitions: str) -> None:
    line = ["all", *SAMPLES, *FLAGS, "-o", "OUT/all.json", "--rejects", "OUT/rejects.ndjson"]
    assert pair.one(*line) == 0
    assert pair.spark(*line, "--partitions", partitions, "--split", "96K", "--work", work, "--keep-work") == 0
    pair.assert_same("all.json")
    pair.assert_same("rejects.ndjson")


@pytest.mark.parametrize("report", REPORTS)
def test_each_report_is_the_same_bytes(pair: Pair, work: str, report: str) -> None:
    ending = {"failures": "ndjson", "journal": "csv", "anomalies": "ndjson"}.get(report, "json")
    line = [report, *SAMPLES, *FLAGS, "-o", f"OUT/{report}.{ending}", "--rejects", "OUT/rejects.ndjson"]
    line += ["--month", "2026-03"] if report in ("revenue", "deferred", "journal") else []
    assert pair.one(*line) == 0
    assert pair.spark(*line, "--partitions", "3", "--split", "96K", "--work", work, "--keep-work") == 0
    pair.assert_same(f"{report}.{ending}")


@pytest.mark.parametrize(
    "words",
    [
        ["revenue", "--by", "month,storefront,app_version", "-o", "OUT/r.csv", "--table", "revenue"],
        ["revenue", "--environment", "sandbox,xcode", "--refunds-by", "purchase", "-o", "OUT/r.json"],
        ["subscriptions", "--calendar", "iso-week", "--tz", "America/Los_Angeles", "-o", "OUT/r.json"],
        ["failures", "--since", "2026-03-09", "--alert", "ongoing", "-o", "OUT/r.json"],
        ["restores", "--bundle-id", "com.example.tabi", "-o", "OUT/r.json"],
        ["failures", "--since", "7d", "-o", "OUT/r.json"],
        ["subscriptions", "--since", "2w", "--tz", "America/Los_Angeles", "-o", "OUT/r.json"],
        ["revenue", "--trust", "require", "-o", "OUT/r.json"],
        ["revenue", "--trust", "off", "-o", "OUT/r.json"],
        ["revenue", "--tax", "none", "--commission", "0.30", "--second-year-rate", "0.15", "-o", "OUT/r.json"],
    ],
    ids=lambda words: " ".join(words[:3]),
)
def test_flags_change_the_report_as_they_do_on_one_machine(pair: Pair, words: list[str]) -> None:
    line = [words[0], *SAMPLES, *FLAGS, *words[1:]]
    status = pair.one(*line)
    assert pair.spark(*line, "--partitions", "3") == status
    pair.assert_same("r.csv" if "OUT/r.csv" in words else "r.json")


def test_closed_months_are_compared_by_the_transactions_at_the_end(pair: Pair, tmp_path: Path) -> None:
    closed = str(tmp_path / "closed.json")
    line = ["revenue", "Samples/verify", "Samples/studio", *FLAGS]
    command = [pair.binary.path, *("report", *line[:2], *FLAGS, "--until", "2026-02-28", "-o", closed)]
    subprocess.run(command, check=True, capture_output=True)
    line += ["--closed", closed, "-o", "OUT/r.json"]
    assert pair.one(*line) == 0
    assert pair.spark(*line, "--partitions", "3") == 0
    pair.assert_same("r.json")


@pytest.mark.parametrize("report", ["revenue", "deferred"])
def test_a_figure_is_explained_by_its_documents_in_the_order_of_the_input(pair: Pair, report: str) -> None:
    line = [report, "Samples/verify", "Samples/studio", "Samples/broken", *FLAGS, "--explain", "month=2026-03"]
    line += ["-o", "OUT/r.json", "--manifest", "OUT/m.json"]
    assert pair.one(*line) == 0
    assert pair.spark(*line, "--split", "200K") == 0
    pair.assert_same("r.json")
    one, many = (json.loads(pair.output(who, "m.json")) for who in ("one", "spark"))
    assert many["output"] == one["output"] and many["counts"] == one["counts"]


def test_failures_are_explained_by_the_driver_with_their_lines(pair: Pair) -> None:
    line = ["failures", "Samples/studio", "Samples/verify", *FLAGS, "--explain", "code=2", "-o", "OUT/r.json"]
    assert pair.one(*line) == 0
    assert pair.spark(*line) == 0
    pair.assert_same("r.json")


def test_subscriptions_are_as_of_a_purchase_that_is_newer_than_all_documents(pair: Pair, tmp_path: Path) -> None:
    """The charge of 2 March is told by a version 1 notification, which does not say when it was made."""
    dump = tmp_path / "dump.ndjson"
    charges = [("1", "1", "2026-01-01", "2026-02-01"), ("5", "5", "2026-01-10", "2026-02-10")]
    documents = [response(*charge, "2026-01-20") for charge in charges]
    notification = {
        "notification_type": "DID_RENEW",
        "environment": "PROD",
        "unified_receipt": {"status": 0, "latest_receipt_info": [row_of("2", "1", "2026-03-02", "2026-04-02")]},
    }
    dump.write_text("".join(json.dumps(document) + "\n" for document in [*documents, notification]))
    line = ["subscriptions", str(dump), "-o", "OUT/r.json"]
    assert pair.one(*line) == 0
    assert b"2026-03-02" in pair.output("one", "r.json")
    assert pair.spark(*line, "--partitions", "7") == 0
    pair.assert_same("r.json")


def row_of(identifier: str, original: str, purchased: str, expires: str) -> dict[str, str]:
    return {
        "transaction_id": identifier,
        "original_transaction_id": original,
        "web_order_line_item_id": "9" + identifier,
        "product_id": "pro",
        "quantity": "1",
        "purchase_date_ms": milliseconds(purchased),
        "expires_date_ms": milliseconds(expires),
    }


def response(identifier: str, original: str, purchased: str, expires: str, made: str) -> dict[str, object]:
    receipt = {"bundle_id": "app", "request_date_ms": milliseconds(made), "in_app": []}
    rows = [row_of(identifier, original, purchased, expires)]
    return {"status": 0, "environment": "Production", "receipt": receipt, "latest_receipt_info": rows}


def milliseconds(day: str) -> str:
    return str(int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp() * 1000))


def test_the_manifest_names_the_parts(pair: Pair) -> None:
    line = ["revenue", "Samples/studio", *FLAGS, "-o", "OUT/r.json", "--manifest", "OUT/m.json"]
    assert pair.one(*line) == 0
    assert pair.spark(*line, "--split", "400K", "--partitions", "2") == 0
    one, many = (json.loads(pair.output(who, "m.json")) for who in ("one", "spark"))
    assert many["counts"] == one["counts"]
    assert many["output"] == one["output"]
    for source in one["inputs"]:
        parts = [part for part in many["parts"] if part["source"] == source["source"]]
        assert sum(part["bytes"] for part in parts) == source["bytes"]
        ranges = [(part["begin"], part["end"]) for part in parts if "begin" in part]
        assert all(left[1] == right[0] for left, right in pairwise(ranges))


def test_rejects_beyond_the_allowance_leave_no_report(pair: Pair, capsys: pytest.CaptureFixture[str]) -> None:
    line = ["revenue", "Samples/broken", "Samples/verify", "-o", "OUT/r.json", "--rejects", "OUT/rejects.ndjson"]
    assert pair.one(*line, "--max-rejects", "7") == 65
    capsys.readouterr()
    assert pair.spark(*line, "--max-rejects", "7") == 65
    assert "more documents were rejected than --max-rejects allows" in capsys.readouterr().err
    assert not (pair.folder / "spark" / "r.json").exists()
    pair.assert_same("rejects.ndjson")
    assert (pair.folder / "spark" / "rejects.ndjson").stat().st_mode & 0o777 == 0o600


def test_documents_none_of_which_can_be_read_are_65(pair: Pair, tmp_path: Path) -> None:
    (tmp_path / "broken.ndjson").write_text("{\n" * 3)
    assert pair.spark("revenue", str(tmp_path / "broken.ndjson"), "-o", "OUT/r.json") == 65


def test_no_documents_make_the_report_of_none(pair: Pair, tmp_path: Path) -> None:
    (tmp_path / "empty.ndjson").write_text("\n")
    line = ["revenue", str(tmp_path / "empty.ndjson"), "-o"]
    assert pair.one(*line, "OUT/r.txt") == 0 and pair.spark(*line, "OUT/r.txt") == 0
    pair.assert_same("r.txt")
    assert pair.one(*line, "OUT/s.json", "--strict") == 65 and pair.spark(*line, "OUT/s.json", "--strict") == 65


def test_a_missing_input_is_66(pair: Pair) -> None:
    assert pair.spark("revenue", "nowhere", "-o", "OUT/r.json") == 66


def test_an_input_that_is_damaged_ends_the_run(pair: Pair, tmp_path: Path) -> None:
    (tmp_path / "cut.gz").write_bytes(b"\x1f\x8b\x08\0\0\0\0\0\0\3abc")
    line = ["revenue", str(tmp_path / "cut.gz"), "-o", "OUT/r.json"]
    assert pair.one(*line) == 74 and pair.spark(*line) == 74


seeds = pytest.mark.skipif(not GENERATOR.exists(), reason=f"there is no {GENERATOR.relative_to(ROOT.parent)}")


@seeds
@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 12))])
@pytest.mark.parametrize("partitions", ["7", *(pytest.param(n, marks=pytest.mark.slow) for n in ("1", "200"))])
def test_dumps_of_the_generator_are_the_same_bytes(pair: Pair, tmp_path: Path, seed: int, partitions: str) -> None:
    dump = tmp_path / "dump"
    command = [sys.executable, GENERATOR, "--out", dump, "--seed", str(seed), "--docs", "600", "--events", "3000"]
    subprocess.run([*command, "--receipts", "0"], check=True, capture_output=True)
    inputs = [str(dump / "verify.ndjson"), str(dump / "events.ndjson")]
    line = ["all", *inputs, "--prices", str(dump / "prices-tillroll.csv"), "-o", "OUT/all.json"]
    assert pair.one(*line) == 0
    assert pair.spark(*line, "--partitions", partitions, "--split", "256K") == 0
    pair.assert_same("all.json")
