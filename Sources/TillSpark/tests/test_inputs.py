"""Which files are read, and by which task."""

from __future__ import annotations

import json
import os
import random
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from conftest import SAMPLES

from tillroll_spark.binary import Binary
from tillroll_spark.errors import RunError
from tillroll_spark.inputs import MOST_FILES, Part, Source, expand, plan
from tillroll_spark.reading import Result, positions, replace, settle
from tillroll_spark.storage import Java, Storage

STORAGE = Storage(Java())


def test_operands_mean_the_files_that_the_binary_reads(binary: Binary, tmp_path: Path) -> None:
    for name in ["b", "a/ä.json", "a/.hidden", "a-b/1", "a.b", "B/x"]:
        path = tmp_path / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('{"status":0}\n')
    os.symlink(tmp_path / "tree" / "a", tmp_path / "tree" / "link")
    os.symlink("nowhere", tmp_path / "tree" / "dangling")
    os.mkfifo(tmp_path / "tree" / "pipe")
    operands = [*SAMPLES, f"{tmp_path}//tree/", "Samples/verify/array.json"]
    manifest = tmp_path / "m.json"
    done = subprocess.run(
        [binary.path, "convert", *operands, "-o", tmp_path / "rows", "--manifest", manifest],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    passed: list[str] = []
    names = [source.name for source in expand(operands, STORAGE, passed.append)]
    assert names == [entry["source"] for entry in json.loads(manifest.read_text())["inputs"]]
    assert passed == [line for line in done.stderr.splitlines() if "passed over" in line or "not read again" in line]
    assert "not read again" in passed[-1]


@pytest.mark.parametrize(("operand", "status"), [("nowhere", 66), ("-", 64), ("/dev/null", 64)])
def test_what_is_no_input_is_an_error(operand: str, status: int) -> None:
    with pytest.raises(RunError) as error:
        expand([operand], STORAGE, print)
    assert error.value.status == status


def test_the_parts_of_a_plan_are_all_bytes_once(tmp_path: Path) -> None:
    """Sizes 10, 3000, 5, 999 and 40 with parts of 100 bytes: 30 and 10 ranges, and each small file by itself."""
    sources = []
    for index, size in enumerate([10, 3000, 5, 999, 40]):
        path = tmp_path / str(index)
        path.write_bytes(b"x" * size)
        sources.append(Source(str(path), size, 0))
    parts = plan(sources, STORAGE, 100)
    assert [part.number for part in parts] == list(range(len(parts)))
    for source in sources:
        own = [part for part in parts if source in part.sources]
        if source.size <= 125:
            assert len(own) == 1 and own[0].range is None
            continue
        ranges = [part.range for part in own]
        assert ranges[0][0] == 0 and ranges[-1][1] is None
        assert all(left[1] == right[0] for left, right in pairwise(ranges))
        assert len(own) == -(-source.size // 100)
    assert len(plan(sources, STORAGE, 100, by_ranges=False)) == 5


def test_many_small_files_share_tasks_in_order(tmp_path: Path) -> None:
    sources = [Source(str(tmp_path / str(index)), 10, 0) for index in range(2 * MOST_FILES + 1)]
    parts = plan(sources, STORAGE, 1 << 30)
    assert [len(part.sources) for part in parts] == [MOST_FILES, MOST_FILES, 1]
    assert [source for part in parts for source in part.sources] == sources


@pytest.mark.parametrize("magic", [b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\x51\x2a\x4d\x18", b"PAR1", b"\xff\xfe"])
def test_compressed_files_are_read_as_wholes(tmp_path: Path, magic: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(magic + b"x" * 1000)
    assert [part.range for part in plan([Source(str(path), 1000, 0)], STORAGE, 100)] == [None]


def parts_of(*ranges: tuple[str, int, int | None]) -> list[Part]:
    return [Part(number, (Source(name, 100, 0),), (begin, end)) for number, (name, begin, end) in enumerate(ranges)]


def test_ranges_that_do_not_abut_make_the_file_a_whole() -> None:
    """File a abuts at 52; of file b the first range read to 70, past the 60 at which the second began."""
    parts = parts_of(("a", 0, 50), ("a", 50, None), ("b", 0, 50), ("b", 50, None))
    results = {
        0: Result(0, begin=0, end=52, accepted=5, lines=5),
        1: Result(1, begin=52, end=100, accepted=4, rejected=1, lines=5),
        2: Result(2, begin=0, end=70, accepted=7, lines=9),
        3: Result(3, begin=60, end=100, accepted=4, lines=4),
    }
    again = settle(parts, results)
    assert again == [Part(2, parts[2].sources)]
    kept = replace(parts, again)
    assert kept == [parts[0], parts[1], again[0]]
    places = positions(kept, results)
    assert (places[1].documents, places[1].lines) == (5, 5)
    assert (places[2].documents, places[2].lines) == (0, 0)


def test_a_file_without_ranges_is_read_as_a_whole() -> None:
    parts = parts_of(("a", 0, 50), ("a", 50, None))
    results = {0: Result(0, is_whole_only=True), 1: Result(1, begin=55, end=100)}
    assert replace(parts, settle(parts, results)) == [Part(0, parts[0].sources)]


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 10))])
def test_ranges_that_abut_tell_what_the_whole_file_tells(binary: Binary, tmp_path: Path, seed: int) -> None:
    """The binary's own framing decides: rows and rejects of random ranges are those of one pass, at the same places."""
    rng = random.Random(seed)
    paths = [
        path
        for folder in SAMPLES
        for path in sorted(Path(folder).iterdir())
        if path.suffix in (".ndjson", ".jws", ".json", ".b64", ".log")
    ]
    settled = 0
    for path in paths:
        whole = read(binary, path, None, tmp_path)
        cuts = sorted(rng.sample(range(1, path.stat().st_size), 4))
        bounds = [0, *cuts, None]
        documents = lines = end = size = 0
        rows: list[str] = []
        rejects: list[str] = []
        for begin, until in pairwise(bounds):
            manifest, read_rows, read_rejects = read(binary, path, (begin, until), tmp_path)
            if manifest["range"]["begin"] != end:
                break
            for row in read_rows:
                rows.append(json.dumps(row | {"document": row["document"] + documents}))
            for line in read_rejects:
                moved = {"document": line["document"] + documents, "line": line["line"] + lines}
                rejects.append(json.dumps(line | moved))
            end = manifest["range"]["end"]
            documents += manifest["counts"]["documents"]
            size += manifest["counts"]["bytes"]
            lines += manifest["range"]["lines"]
        else:
            settled += 1
            assert sorted(rows) == sorted(json.dumps(row) for row in whole[1]), (path, cuts)
            assert rejects == [json.dumps(line) for line in whole[2]], (path, cuts)
            assert size == whole[0]["counts"]["bytes"], (path, cuts)
    assert settled > len(paths) / 2


def read(binary: Binary, path: Path, span: tuple[int, int | None] | None, folder: Path) -> tuple[dict, list, list]:
    manifest, rows, rejects = (folder / name for name in ("m.json", "rows.ndjson", "rejects.ndjson"))
    command = [binary.path, "convert", path, "-o", rows, "--manifest", manifest, "--rejects", rejects]
    if span is not None:
        command += ["--range", f"{span[0]}-{'' if span[1] is None else span[1]}"]
    subprocess.run([*command, "--quiet", "--part"], check=True)
    told = [[json.loads(line) for line in file.read_text().splitlines()] for file in (rows, rejects)]
    return json.loads(manifest.read_text()), told[0], told[1]
