"""The shuffle: rows that have to meet come into one partition.

| table        | rows meet by                                                                                     |
| ------------ | ------------------------------------------------------------------------------------------------ |
| transactions | their chain: the original id of the joined transaction, else its id                               |
| renewals     | the chain whose state they tell                                                                  |
| documents    | the pair key, which ties a 21007 to the answer that followed                                     |
| events       | the transaction, else the attempt                                                                |

A row without such a key meets no other and goes to any partition, so these rows are no skew.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .convert import TABLES, Converted, Position
from .storage import join, spark_url

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
    """Transactions with the key of their chain.

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
    return keyed.withColumn("key", f.coalesce("joined", own, anywhere())).drop("identifier", "joined")


def with_key(table: str, rows: DataFrame) -> DataFrame:
    """The rows of a table with a column `key`; rows of one key have to meet."""
    from pyspark.sql import functions as f

    if table == "transactions":
        return with_chain(rows)
    keys = {
        "documents": [f.col("pair_key")],
        "events": [known("transaction_id"), f.col("attempt_id")],
        "renewals": [known("original_transaction_id")],
    }[table]
    return rows.withColumn("key", f.coalesce(*keys, anywhere()))


def read(
    spark: SparkSession, table: str, source: str, results: Sequence[Converted], places: dict[int, Position]
) -> DataFrame:
    """The rows of one table, with the number that each document has in its whole file."""
    from pyspark.sql import functions as f

    paths = [spark_url(join(source, result.folder, f"{table}.parquet")) for result in results]
    schema = spark.read.parquet(paths[0]).schema
    rows = spark.read.schema(schema).parquet(*paths)
    moved = [(r.folder, places[r.number].documents) for r in results if places[r.number].documents]
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
) -> None:
    """Writes each table as one Parquet file for each partition, below `target/TABLE/bucket=N`."""
    from pyspark.sql import functions as f

    for table in TABLES:
        if not any(result.rows.get(table) for result in results):
            continue
        filled = [result for result in results if result.rows.get(table)]
        rows = with_key(table, read(spark, table, source, filled, places))
        bucket = f.pmod(f.xxhash64("key"), f.lit(partitions)).cast("int")
        dealt = rows.withColumn(BUCKET, bucket).drop("key").repartition(min(partitions, tasks), BUCKET)
        dealt.write.mode("overwrite").partitionBy(BUCKET).parquet(spark_url(join(target, table)))
