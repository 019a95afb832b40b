"""Rows that have to meet come into one partition, by a second, plain account of the rule."""

from __future__ import annotations

import random

import pytest

from tillroll_spark.session import Session
from tillroll_spark.shuffle import with_key

Row = dict[str, object]
COLUMNS = (
    "environment string, transaction_id string, original_transaction_id string, trust string, "
    "source string, document long"
)


def known(text: object) -> str | None:
    return None if text in (None, "0") else str(text)


def joins(row: Row) -> bool:
    """Whether a row is a copy of its transaction."""
    is_test = row["environment"] in ("xcode", "local_testing")
    return known(row["transaction_id"]) is not None and not is_test and row["trust"] != "untrusted"


def chains(rows: list[Row]) -> list[str | None]:
    """The chain of each row, one by one: what the ledger has for the original id once all copies are joined."""
    ranks = {"trusted": 2, "unanchored": 1}
    joined: dict[str, tuple[int, int, str]] = {}
    for row in rows:
        original = known(row["original_transaction_id"])
        if joins(row) and original is not None:
            told = (ranks.get(str(row["trust"]), 0), len(original), original)
            identifier = str(row["transaction_id"])
            joined[identifier] = max(joined.get(identifier, told), told)
    found: list[str | None] = []
    for row in rows:
        own = known(row["original_transaction_id"]) or known(row["transaction_id"])
        if joins(row):
            identifier = str(row["transaction_id"])
            own = joined[identifier][2] if identifier in joined else identifier
        found.append(own)
    return found


@pytest.mark.parametrize("seed", range(3))
def test_transactions_meet_by_the_chain_of_the_joined_transaction(session: Session, seed: int) -> None:
    rng = random.Random(seed)
    ids = [None, "0", "1", "2", "7", "10", "12", "99", "100", "a"]
    rows: list[Row] = [
        {
            "environment": rng.choice([None, "production", "production", "sandbox", "xcode", "local_testing"]),
            "transaction_id": rng.choice(ids),
            "original_transaction_id": rng.choice(ids),
            "trust": rng.choice([None, "trusted", "unanchored", "unsigned", "unchecked", "untrusted"]),
            "source": "s",
            "document": number,
        }
        for number in range(400)
    ]
    frame = session.spark.createDataFrame([tuple(row.values()) for row in rows], COLUMNS)
    keyed = {row["document"]: row["key"] for row in with_key("transactions", frame).collect()}
    assert len(keyed) == len(rows)
    expected = chains(rows)
    for number, chain in enumerate(expected):
        if chain is not None:
            assert keyed[number] == chain, rows[number]
        else:
            assert keyed[number] == f"place\0s\0{number}"


def test_documents_events_and_renewals_meet_by_their_keys(session: Session) -> None:
    spark = session.spark
    documents = spark.createDataFrame([("r", "s", 1), (None, "s", 2)], "pair_key string, source string, document long")
    assert [row["key"] for row in with_key("documents", documents).collect()] == ["r", "place\0s\0" + "2"]
    events = spark.createDataFrame(
        [("5", "a", "s", 1), ("0", "a", "s", 2), (None, None, "s", 3)],
        "transaction_id string, attempt_id string, source string, document long",
    )
    assert [row["key"] for row in with_key("events", events).collect()] == ["5", "a", "place\0s\0" + "3"]
    renewals = spark.createDataFrame(
        [("9", "s", 1), (None, "s", 2)], "original_transaction_id string, source string, document long"
    )
    assert [row["key"] for row in with_key("renewals", renewals).collect()] == ["9", "place\0s\0" + "2"]
