"""The shuffle: rows that have to meet come into one partition.

| table        | rows meet by                                                                                     |
| ------------ | ------------------------------------------------------------------------------------------------ |
| transactions | their chain: the original id of the joined transaction, else its id; for a report that compares  |
|              | accounts, also the account and the line item                                                     |
| renewals     | the chain whose state they tell                                                                  |
| documents    | the pair key, which ties a 21007 to the answer that followed                                     |
| events       | the attempt and the transaction                                                                  |

A row without such a key meets no other and goes to any partition, so these rows are no skew.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from .convert import TABLES, Converted, Position
from .storage import join, spark_url
from .ties import components

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

#: The column of partitions, in the names of folders: `bucket=7`.
BUCKET = "bucket"

#: How Spark keeps instants and files as the binary has them.
SQL_SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MILLIS",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.compression.codec": "zstd",
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
}


def known(name: str) -> Column:
    """An id, or null where it is missing: an id of 0 names nothing."""
    from pyspark.sql import functions as f

    return f.when(f.col(name) != "0", f.col(name))


def anywhere() -> Column:
    """A key for a row that meets no other: the place of its document, which spreads them evenly."""
    from pyspark.sql import functions as f

    return f.concat_ws("\u0000", f.lit("place"), "source", f.col("document").cast("string"))


def with_chain(rows: DataFrame) -> DataFrame:
    """Transactions with the column `key`: their chain, or null where none is known.

    Copies of a transaction may lack the original id or tell another. The ledger takes that of the most trusted copy,
    then the larger by length, then text; so does this. Nearly all copies agree, so the few transactions whose copies
    do not are found first, and joined to the rows as a small table. Rows of untrusted documents join nothing, and
    rows of test environments are no copies.
    """
    from pyspark.sql import functions as f

    identifier, original = known("transaction_id"), known("original_transaction_id")
    own = f.coalesce(original, identifier)
    # The ledger joins no rows of test environments, nor any of untrusted documents.
    is_test = f.coalesce(f.col("environment").isin("xcode", "local_testing"), f.lit(False))
    joins = ~is_test & f.coalesce(f.col("trust") != "untrusted", f.lit(True))
    rank = f.when(f.col("trust") == "trusted", 2).when(f.col("trust") == "unanchored", 1).otherwise(0)
    told = f.when(
        original.isNotNull(), f.struct(rank.alias("rank"), f.octet_length(original), original.alias("original"))
    )
    joined = (
        rows.where(identifier.isNotNull() & joins)
        .groupBy(identifier.alias("identifier"))
        .agg(f.max(told)["original"].alias("original"), f.min(own).alias("least"), f.max(own).alias("most"))
        .where((f.col("least") != f.col("most")) | (f.col("most") != f.coalesce("original", "identifier")))
        .select("identifier", f.coalesce("original", "identifier").alias("joined"))
    )
    keyed = rows.join(joined, joins & (identifier == f.col("identifier")), "left")
    return keyed.withColumn("key", f.coalesce("joined", own)).drop("identifier", "joined")


def prefixed(prefix: str, column: Column) -> Column:
    """A key of its own kind, so that an account is never taken for a chain."""
    from pyspark.sql import functions as f

    return f.concat(f.lit(prefix + "\u0000"), column)


def with_keys(tables: dict[str, DataFrame], *, by_account: bool) -> dict[str, DataFrame]:
    """The rows of all tables with a column `key`; rows of one key have to meet."""
    from pyspark.sql import functions as f

    found: dict[str, DataFrame] = {}
    if "transactions" in tables:
        rows = with_chain(tables["transactions"])
        if by_account:
            account, line = (
                prefixed("account", known("account_token")),
                prefixed("line", known("web_order_line_item_id")),
            )
            rows = rows.withColumn("key", f.coalesce("key", account, line))
            pairs = rows.select(f.col("key").alias("node"), f.explode(f.array(account, line)).alias("link"))
            tied = components(pairs.where(f.col("node").isNotNull() & f.col("link").isNotNull()))
        else:
            tied = None
        found["transactions"] = in_component(rows, tied)
        if "renewals" in tables:
            renewals = tables["renewals"].withColumn("key", known("original_transaction_id"))
            found["renewals"] = in_component(renewals, tied)
    elif "renewals" in tables:
        found["renewals"] = tables["renewals"].withColumn("key", known("original_transaction_id"))
    if "documents" in tables:
        found["documents"] = tables["documents"].withColumn("key", f.col("pair_key"))
    if "events" in tables:
        attempt, bought = prefixed("attempt", f.col("attempt_id")), prefixed("bought", known("transaction_id"))
        events = tables["events"].withColumn("key", f.coalesce(attempt, bought))
        pairs = events.select(f.col("key").alias("node"), bought.alias("link")).where(f.col("link").isNotNull())
        found["events"] = in_component(events, components(pairs))
    return {table: rows.withColumn("key", f.coalesce("key", anywhere())) for table, rows in found.items()}


def in_component(rows: DataFrame, tied: DataFrame | None) -> DataFrame:
    """Rows with the key of their component, where their key is tied to others."""
    from pyspark.sql import functions as f

    if tied is None:
        return rows
    joined = rows.join(tied.withColumnRenamed("node", "key"), "key", "left")
    return joined.withColumn("key", f.coalesce("component", "key")).drop("component")


def read(
    spark: SparkSession, table: str, source: str, results: Sequence[Converted], places: dict[int, Position]
) -> DataFrame:
    """The rows of one table, with the number that each document has in its whole file."""
    from pyspark.sql import functions as f

    paths = [spark_url(join(source, result.folder, f"{table}.parquet")) for result in results]
    schema = spark.read.parquet(paths[0]).schema
    rows = spark.read.schema(schema).parquet(*paths)
    moved = [(r.folder, places[r.number].documents) for r in results if r.number in places]
    moved = [(folder, count) for folder, count in moved if count]
    if not moved:
        return rows
    before = spark.createDataFrame(moved, "folder string, before long")
    folder = f.element_at(f.split(f.col("_metadata.file_path"), "/"), -2)
    names = rows.columns
    placed = rows.withColumn("folder", folder).join(f.broadcast(before), "folder", "left")
    return placed.withColumn("document", f.col("document") + f.coalesce("before", f.lit(0))).select(*names)


def shuffle(
    spark: SparkSession,
    source: str,
    target: str,
    results: Sequence[Converted],
    places: dict[int, Position],
    partitions: int,
    tasks: int,
    *,
    by_account: bool,
    dealt_tables: Sequence[str] = TABLES,
) -> None:
    """Writes each of the tables as one Parquet file for each partition, below `target/TABLE/bucket=N`."""
    from pyspark.sql import functions as f

    filled = {table: [result for result in results if result.rows.get(table)] for table in dealt_tables}
    tables = {table: read(spark, table, source, found, places) for table, found in filled.items() if found}
    for table, rows in with_keys(tables, by_account=by_account).items():
        bucket = f.pmod(f.xxhash64("key"), f.lit(partitions)).cast("int")
        dealt = rows.withColumn(BUCKET, bucket).drop("key").repartition(min(partitions, tasks), BUCKET)
        # The names of columns stay in the order of the table.
        dealt = dealt.select(*tables[table].columns, BUCKET)
        dealt.write.mode("overwrite").partitionBy(BUCKET).parquet(spark_url(join(target, table)))


def in_order(
    spark: SparkSession,
    source: str,
    target: str,
    results: Sequence[Converted],
    places: dict[int, Position],
    sources: Sequence[str],
) -> None:
    """Writes the transactions as files that name them in the order of the input, which an explanation keeps."""
    from pyspark.sql import functions as f

    # Each part has a file, with rows or without.
    filled = [result for result in results if result.rows.get("transactions")] or list(results[:1])
    rows = read(spark, "transactions", source, filled, places)
    names = list(dict.fromkeys(sources))
    ordered = spark.createDataFrame(list(enumerate(names)), "position long, name string")
    placed = rows.join(f.broadcast(ordered), rows["source"] == f.col("name"), "left")
    dealt = placed.orderBy("position", "document", "row").select(*rows.columns)
    dealt.write.mode("overwrite").parquet(spark_url(target))


def newest(spark: SparkSession, source: str, results: Sequence[Converted]) -> str | None:
    """When the newest document with a transaction or a renewal was made, which no untrusted one counts for.

    It is an instant up to which subscriptions are known at least. A purchase may be newer; the binary says so when
    the parts are joined.
    """
    from pyspark.sql import functions as f

    instants = []
    for table in ("transactions", "renewals"):
        filled = [result for result in results if result.rows.get(table)]
        if filled:
            rows = read(spark, table, source, filled, {})
            counts = f.coalesce(f.col("trust") != "untrusted", f.lit(True))
            last = rows.where(counts).agg(f.max(f.unix_millis("observed_at")).alias("last")).collect()[0]["last"]
            instants += [last] if last is not None else []
    return None if not instants else instant(max(instants))


def instant(milliseconds: int) -> str:
    """An instant as RFC 3339 in UTC."""
    seconds, rest = divmod(milliseconds, 1000)
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    return moment.strftime("%Y-%m-%dT%H:%M:%S") + f".{rest:03}Z"
