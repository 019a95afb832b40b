"""Rows that have to meet come into one partition, by a second, plain account of the rule."""

from __future__ import annotations

import random

import pytest

from tillroll_spark.session import Session
from tillroll_spark.shuffle import instant, with_chain, with_keys
from tillroll_spark.ties import components, followed

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
    keyed = {row["document"]: row["key"] for row in with_chain(frame).collect()}
    assert len(keyed) == len(rows)
    expected = chains(rows)
    for number, chain in enumerate(expected):
        assert keyed[number] == chain, rows[number]


EVENTS = "transaction_id string, attempt_id string, source string, document long"
TRANSACTIONS = COLUMNS + ", account_token string, web_order_line_item_id string"


def test_rows_meet_by_their_keys(session: Session) -> None:
    spark = session.spark
    documents = spark.createDataFrame([("r", "s", 1), (None, "s", 2)], "pair_key string, source string, document long")
    renewals = spark.createDataFrame(
        [("9", "s", 1), (None, "s", 2)], "original_transaction_id string, source string, document long"
    )
    events = spark.createDataFrame(
        # An attempt that bought 5, another one that was told 5 again, one without a transaction, none of either.
        [("5", "b", "s", 1), ("5", "a", "s", 2), ("5", None, "s", 3), ("0", "c", "s", 4), (None, None, "s", 5)],
        EVENTS,
    )
    found = with_keys({"documents": documents, "renewals": renewals, "events": events}, by_account=False)
    keys = {table: [row["key"] for row in rows.orderBy("document").collect()] for table, rows in found.items()}
    assert keys["documents"] == ["r", "place\0s\0" + "2"]
    assert keys["renewals"] == ["9", "place\0s\0" + "2"]
    assert keys["events"] == ["attempt\0a"] * 3 + ["attempt\0c", "place\0s\0" + "5"]


def test_chains_of_one_account_or_line_item_meet_where_a_report_compares_them(session: Session) -> None:
    """Chains 1 and 2 share account a, 2 and 3 line item w; a row without ids has account a; chain 4 is alone."""
    rows = [
        ("production", "1", None, "trusted", "s", 1, "a", None),
        ("production", "12", "2", "trusted", "s", 2, "a", "w"),
        ("production", "3", None, "trusted", "s", 3, None, "w"),
        ("production", None, None, "trusted", "s", 4, "a", None),
        ("production", "4", None, "trusted", "s", 5, "b", "v"),
        ("production", None, None, "trusted", "s", 6, None, None),
    ]
    frame = session.spark.createDataFrame(rows, TRANSACTIONS)
    renewals = session.spark.createDataFrame(
        [("3", "s", 1)], "original_transaction_id string, source string, document long"
    )

    def keys(*, by_account: bool) -> dict[str, list[str]]:
        found = with_keys({"transactions": frame, "renewals": renewals}, by_account=by_account)
        return {table: [row["key"] for row in rows.orderBy("document").collect()] for table, rows in found.items()}

    alone = "place\0s\0" + "6"
    assert keys(by_account=False)["transactions"] == ["1", "2", "3", "place\0s\0" + "4", "4", alone]
    assert keys(by_account=True) == {"transactions": ["1", "1", "1", "1", "4", alone], "renewals": ["1"]}


@pytest.mark.parametrize("seed", range(3))
def test_components_are_the_same_in_memory_by_spark_and_by_hand(session: Session, seed: int) -> None:
    rng = random.Random(seed)
    nodes = [str(number) for number in range(60)]
    pairs = [(rng.choice(nodes), f"link {rng.randrange(45)}") for _ in range(70)]
    # A long way, which takes many rounds where each reaches one further.
    pairs += [(f"w{number:02}", f"way {number + step}") for number in range(20) for step in (0, 1)]
    expected = {node: {node} for node, _ in pairs}
    for _ in range(len(pairs)):
        for left, link in pairs:
            for right, other in pairs:
                if link == other and expected[left] is not expected[right]:
                    union = expected[left] | expected[right]
                    for node in union:
                        expected[node] = union
    tied = {node: min(members) for node, members in expected.items() if len(members) > 1}
    frame = session.spark.createDataFrame(pairs, "node string, link string")
    for limit in (1000, 3):
        found = components(frame, limit)
        assert found is not None
        assert {row["node"]: row["component"] for row in found.collect()} == tied
    assert {node: name for node, name in followed(pairs).items() if len(expected[node]) > 1} == tied


def test_keys_that_are_tied_to_none_are_no_component(session: Session) -> None:
    frame = session.spark.createDataFrame([("1", "a"), ("1", "b"), ("2", "c")], "node string, link string")
    assert components(frame) is None


def test_instants_are_told_to_the_millisecond() -> None:
    assert instant(1_774_915_200_007) == "2026-03-31T00:00:00.007Z"
    assert instant(-1) == "1969-12-31T23:59:59.999Z"
