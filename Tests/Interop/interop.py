#!/usr/bin/env python3
"""Judges convert's Parquet files by other readers, and tillroll's reader by other writers.

    python interop.py TILLROLL [--queries DIR] INPUT...

Every table of the inputs is read by pyarrow, DuckDB and Polars and compared, value by value, with `convert -t ndjson`.
Then each of them writes the tables anew in its own ways and tillroll has to say of them what it says of the inputs.
Needs pyarrow, duckdb and polars; pyspark is asked too where it is installed. Prints a matrix; exits 1 on a difference.
"""
import argparse
import datetime
import json
import pathlib
import subprocess
import sys
import tempfile

import duckdb
import polars
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

TABLES = ("transactions", "documents", "events", "renewals")
INSTANT = pa.timestamp("ms", "UTC")
TYPES = {"text": pa.string(), "at": INSTANT, "int64": pa.int64(), "int32": pa.int32(), "bool": pa.bool_()}
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)

failures = []
matrix = {}


def check(holds, what):
    if not holds:
        failures.append(what)
        print("DIFFERS", what, flush=True)
    return holds


def note(writer, reader, how):
    matrix.setdefault((writer, reader), []).append(how)


def run(tool, *arguments, **options):
    result = subprocess.run([tool, *map(str, arguments)], capture_output=True, text=True, **options)
    if result.returncode != 0:
        sys.exit(f"tillroll {' '.join(map(str, arguments))} ended with {result.returncode}:\n{result.stderr}")
    return result.stdout


def milliseconds(text):
    """The milliseconds of an instant as rows write it; years that datetime lacks are not among the inputs."""
    return (datetime.datetime.fromisoformat(text.replace("Z", "+00:00")) - EPOCH) // datetime.timedelta(milliseconds=1)


def truth(ndjson, schema):
    """Rows of each table as tuples in the order of the columns, instants as milliseconds."""
    rows = {table: [] for table in TABLES}
    for line in ndjson.splitlines():
        row = json.loads(line)
        table = row.pop("table")
        columns = schema[table]
        check(set(row) <= {name for name, _ in columns}, f"ndjson columns of {table}")
        rows[table].append(
            tuple(
                milliseconds(row[name]) if kind == "at" and name in row else row.get(name) for name, kind in columns
            )
        )
    return rows


def arrow_rows(table, columns):
    cells = []
    for name, kind in columns:
        column = table.column(name)
        if kind == "at":
            column = pc.cast(pc.cast(column, INSTANT), pa.int64())
        cells.append(column.to_pylist())
    return list(zip(*cells))


def in_order(rows):
    return sorted(rows, key=repr)


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def read_all(folder, expected, schema, what):
    for table in TABLES:
        path, columns = folder / table, schema[table]
        # Files are in the order of their digests.
        rows = in_order(expected[table])
        read = pq.read_table(path, page_checksum_verification=True)
        types = {name: TYPES[kind] for name, kind in columns}
        check({f.name: f.type for f in read.schema} == types, f"{what} {table}: types of pyarrow {read.schema}")
        check(read.column_names == [name for name, _ in columns], f"{what} {table}: order of columns")
        check(in_order(arrow_rows(read, columns)) == rows, f"{what} {table}: values of pyarrow")
        connection = duckdb.connect()
        connection.execute("SET TimeZone='UTC'")
        selection = ", ".join(f'epoch_ms("{n}") AS "{n}"' if k == "at" else f'"{n}"' for n, k in columns)
        found = connection.execute(f"SELECT {selection} FROM read_parquet('{path}/*.parquet')").fetchall()
        check(in_order(found) == rows, f"{what} {table}: values of DuckDB")
        kinds = dict(connection.execute(f"SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM '{path}/*.parquet')").fetchall())
        wanted = {"text": "VARCHAR", "at": "TIMESTAMP WITH TIME ZONE", "int64": "BIGINT", "int32": "INTEGER", "bool": "BOOLEAN"}
        check(kinds == {n: wanted[k] for n, k in columns}, f"{what} {table}: types of DuckDB {kinds}")
        frame = polars.read_parquet(path / "*.parquet")
        instants = [polars.col(n).dt.epoch("ms") for n, k in columns if k == "at"]
        check(in_order(frame.with_columns(instants).rows()) == rows, f"{what} {table}: values of Polars")
        for file in path.iterdir():
            check_footer(file, columns, arrow_rows(pq.read_table(file), columns), f"{what} {table}")
    for reader in ("pyarrow", "DuckDB", "Polars"):
        note("tillroll", reader, what)


def check_footer(path, columns, rows, what):
    metadata = pq.read_metadata(path)
    check(metadata.num_rows == len(rows), f"{what}: rows")
    check(metadata.created_by.startswith("tillroll version"), f"{what}: created by")
    keys = metadata.metadata or {}
    check(keys.get(b"tillroll.schema") == b"1" and keys.get(b"tillroll.table"), f"{what}: metadata")
    start = 0
    for group in range(metadata.num_row_groups):
        row_group = metadata.row_group(group)
        part = rows[start : start + row_group.num_rows]
        start += row_group.num_rows
        for number, (name, kind) in enumerate(columns):
            chunk = row_group.column(number)
            values = [row[number] for row in part if row[number] is not None]
            statistics = chunk.statistics
            check(statistics.null_count == len(part) - len(values), f"{what} {name}: nulls")
            check(chunk.has_column_index and chunk.has_offset_index, f"{what} {name}: page index")
            if not values:
                check(not statistics.has_min_max, f"{what} {name}: bounds of nothing")
                continue
            low, high = statistics.min, statistics.max
            if kind == "at":
                low, high = ((v - EPOCH) // datetime.timedelta(milliseconds=1) for v in (low, high))
            if kind == "text":
                low, high = low.encode(), high.encode()
                values = [v.encode() for v in values]
                check(low <= min(values) and max(values) <= high, f"{what} {name}: bounds")
                if len(max(values)) <= 64 and len(min(values)) <= 64:
                    check((low, high) == (min(values), max(values)), f"{what} {name}: exact bounds")
            else:
                check((low, high) == (min(values), max(values)), f"{what} {name}: bounds {low} {high}")


def pyarrow_ways(table):
    """(name, table, options) of the ways in which pyarrow writes a table."""
    yield "snappy", table, dict(compression="snappy")
    yield "gzip V2 pages", table, dict(compression="gzip", data_page_version="2.0")
    yield "zstd V2 pages, small", table, dict(compression="zstd", data_page_version="2.0", data_page_size=2048)
    yield "uncompressed, no dictionary", table, dict(compression="none", use_dictionary=False)
    yield "checksums, small groups", table, dict(write_page_checksum=True, row_group_size=97)
    yield "INT96", table, dict(use_deprecated_int96_timestamps=True)
    yield "microseconds", table, dict(coerce_timestamps="us")
    nanoseconds = table.cast(pa.schema([f.with_type(pa.timestamp("ns", "UTC")) if pa.types.is_timestamp(f.type) else f for f in table.schema]))
    yield "nanoseconds", nanoseconds, dict(version="2.6")
    encodings = {}
    for field in table.schema:
        if field.type in (pa.int64(), pa.int32()) or pa.types.is_timestamp(field.type):
            encodings[field.name] = "DELTA_BINARY_PACKED"
        elif field.type == pa.string():
            encodings[field.name] = "DELTA_LENGTH_BYTE_ARRAY" if len(encodings) % 2 else "DELTA_BYTE_ARRAY"
        elif field.type == pa.bool_():
            encodings[field.name] = "RLE"
    yield "deltas", table, dict(use_dictionary=False, column_encoding=encodings, data_page_version="2.0")
    split = {f.name: "BYTE_STREAM_SPLIT" for f in table.schema if f.type in (pa.int64(), pa.int32())}
    yield "byte stream split", table, dict(use_dictionary=False, column_encoding=split)
    large = table.cast(pa.schema([f.with_type(pa.large_string()) if f.type == pa.string() else f for f in table.schema]))
    yield "large strings", large, {}
    coded = pa.table({n: c.dictionary_encode() if c.type == pa.string() else c for n, c in zip(table.column_names, table.columns)})
    yield "dictionaries", coded, {}
    full = [f.with_nullable(table.column(f.name).null_count > 0) for f in table.schema]
    yield "required where full", table.cast(pa.schema(full)), {}
    extra = table.select(list(reversed(table.column_names)))
    lists = pa.array([[1, None], []] * (len(table) // 2 + 1))[: len(table)]
    extra = extra.add_column(0, "extra_list", lists).append_column("extra", pa.array(["x"] * len(table), pa.string()))
    yield "reordered, extra columns", extra.replace_schema_metadata(), {}


def write_back(tool, folder, scratch, expected, report):
    """Tables that others have written are read by tillroll."""

    def judge(writer, how, target):
        # Tables of their own: one after the other, in our order.
        lines = run(tool, "convert", *[target / f"{t}.parquet" for t in TABLES if (target / f"{t}.parquet").exists()])
        if check(sorted(lines.splitlines()) == expected, f"{writer} ({how}): rows that tillroll reads"):
            note(writer, "tillroll", how)
        check(reports(tool, [target]) == report, f"{writer} ({how}): reports")

    # The first line of a table tells the names of the ways, so that each way writes all tables into one folder.
    ways = [name for name, _, _ in pyarrow_ways(pq.read_table(folder / "transactions"))]
    for number, how in enumerate(ways):
        target = scratch / f"pyarrow-{number}"
        target.mkdir()
        for table in TABLES:
            _, data, options = list(pyarrow_ways(pq.read_table(folder / table)))[number]
            pq.write_table(data, target / f"{table}.parquet", **options)
        judge("pyarrow", how, target)
    for codec in ("snappy", "zstd", "gzip", "uncompressed"):
        for version in ("V1", "V2"):
            target = scratch / f"duckdb-{codec}-{version}"
            target.mkdir()
            for table in TABLES:
                duckdb.connect().execute(
                    f"COPY (SELECT * FROM '{folder / table}/*.parquet') TO '{target / table}.parquet' "
                    f"(FORMAT parquet, COMPRESSION {codec}, PARQUET_VERSION {version}, ROW_GROUP_SIZE 2048)"
                )
            judge("DuckDB", f"{codec} {version}", target)
    for codec in ("snappy", "zstd", "gzip", "uncompressed"):
        target = scratch / f"polars-{codec}"
        target.mkdir()
        for table in TABLES:
            polars.read_parquet(folder / table / "*.parquet").write_parquet(
                target / f"{table}.parquet", compression=codec, data_page_size=4096
            )
        judge("Polars", codec, target)
    spark(tool, folder, scratch, expected, report)


def spark(tool, folder, scratch, expected, report):
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        print("pyspark is not installed: Spark was not asked")
        return
    session = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    session.conf.set("spark.sql.session.timeZone", "UTC")
    for codec, kind in (("snappy", "INT96"), ("zstd", "TIMESTAMP_MILLIS"), ("gzip", "TIMESTAMP_MICROS")):
        session.conf.set("spark.sql.parquet.outputTimestampType", kind)
        target = scratch / f"spark-{codec}"
        target.mkdir()
        for table in TABLES:
            frame = session.read.parquet(str(folder / table))
            check(frame.count() == pq.read_table(folder / table).num_rows, f"Spark reads {table}")
            frame.write.option("compression", codec).parquet(str(target / table))
        note("tillroll", "Spark", "zstd")
        lines = run(tool, "convert", "-t", "ndjson", *[target / t for t in TABLES])
        if check(sorted(lines.splitlines()) == expected, f"Spark ({codec}, {kind}): rows that tillroll reads"):
            note("Spark", "tillroll", f"{codec} {kind}")
        check(reports(tool, [target]) == report, f"Spark ({codec}): reports")
    session.stop()


def reports(tool, inputs):
    """All reports, without what only the documents know: their bytes, and those that could not be read."""
    text = json.loads(run(tool, "report", "all", "-t", "json", *inputs))
    for part in [text, *text["reports"]]:
        for name in ("bytes", "documents", "rejected"):
            part["input"].pop(name)
    return text


def queries(folder, directory):
    connection = duckdb.connect()
    connection.execute("SET TimeZone='UTC'")
    for table in TABLES:
        connection.execute(f"CREATE VIEW {table} AS SELECT * FROM read_parquet('{folder / table}/*.parquet')")
    answers = {}
    for path in sorted(pathlib.Path(directory).glob("*.sql")):
        cursor = connection.execute(path.read_text())
        names = [column[0] for column in cursor.description]
        answers[path.stem] = [dict(zip(names, row)) for row in cursor.fetchall()]
        check(answers[path.stem], f"{path.name}: an answer")
    return answers


def check_queries(answers, report):
    """The queries' answers are those of the reports, where both say the same."""
    parts = {part["report"]: part for part in report["reports"]}
    totals = {}
    for row in parts["revenue"]["revenue"]:
        key = (row["month"], row["product_id"])
        totals[key] = totals.get(key, 0) + row["units"]
    found = {(r["month"], r["product_id"]): int(r["units"]) for r in answers["units-by-month"] if r["units"]}
    check(found == {k: v for k, v in totals.items() if v}, "units-by-month.sql against the revenue report")
    refunds = {}
    for row in parts["revenue"]["revenue"]:
        if row["refunded_transactions"]:
            key = row["month"]
            refunds[key] = refunds.get(key, 0) + row["refunded_transactions"]
    found = {}
    for row in answers["refunds-by-month"]:
        found[row["month"]] = found.get(row["month"], 0) + row["refunded_transactions"]
    check(found == refunds, f"refunds-by-month.sql against the revenue report: {found} {refunds}")
    restores = parts["restores"]["restores"]
    row = answers["restore-rate"][0]
    check((row["restored"], row["eligible"]) == (restores["restored"], restores["eligible"]), f"restore-rate.sql against the restores report: {row} {restores}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tool")
    parser.add_argument("--queries")
    parser.add_argument("inputs", nargs="+")
    arguments = parser.parse_args()
    tool = str(pathlib.Path(arguments.tool).resolve())
    schema = {t["table"]: [(c["name"], c["type"]) for c in t["columns"]] for t in json.loads(run(tool, "schema", "-t", "json"))["tables"]}
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        ndjson = run(tool, "convert", "-t", "ndjson", *arguments.inputs)
        expected = truth(ndjson, schema)
        report = reports(tool, arguments.inputs)
        for codec in ("zstd", "gzip", "none"):
            folder = scratch / codec
            run(tool, "convert", *arguments.inputs, "-o", f"{folder}/", "--compression", codec)
            read_all(folder, expected, schema, codec)
            run(tool, "convert", *arguments.inputs, "-o", f"{folder}-1/", "--compression", codec, "--jobs", "1")
            for table in TABLES:
                same = files(folder / table) == files(scratch / f"{codec}-1" / table)
                check(same, f"{codec} {table}: the same bytes with one job")
        check(reports(tool, [scratch / "zstd"]) == report, "reports from our own rows")
        run(tool, "convert", *arguments.inputs, "-o", f"{scratch}/hive/", "--partition-by", "purchase_month")
        count = duckdb.connect().execute(
            f"SELECT count(*), count(*) FILTER (coalesce(purchase_month, '') != coalesce(strftime(purchase_date AT TIME ZONE 'UTC', '%Y-%m'), '')) "
            f"FROM read_parquet('{scratch}/hive/transactions/*/*.parquet', hive_partitioning=true, hive_types={{'purchase_month': VARCHAR}})"
        ).fetchone()
        check(count == (len(expected["transactions"]), 0), f"Hive layout as DuckDB reads it: {count}")
        check(reports(tool, [scratch / "hive"]) == report, "reports from partitioned rows")
        write_back(tool, scratch / "zstd", scratch, sorted(ndjson.splitlines()), report)
        if arguments.queries:
            check_queries(queries(scratch / "zstd", arguments.queries), report)
    rows = sum(map(len, expected.values()))
    print(f"{rows} rows of {len(TABLES)} tables")
    for (writer, reader), ways in matrix.items():
        print(f"{writer:9} › {reader:9} {', '.join(dict.fromkeys(ways))}")
    if failures:
        sys.exit(f"{len(failures)} differences")


if __name__ == "__main__":
    main()
