"""What the steps behind the map are given."""

from __future__ import annotations

from pathlib import Path

import pytest
from tillroll_spark.cluster import Divided, newest, shares_of
from tillroll_spark.errors import RunError
from tillroll_spark.partials import Input, dealt, groups
from tillroll_spark.reading import Result
from tillroll_spark.storage import Java, Storage


def inputs(count: int) -> list[Input]:
    return [Input(f"partials/{number}") for number in range(count)]


def test_groups_have_every_partial_once_in_its_order() -> None:
    for count in (0, 1, 2, 5, 17):
        for size in (1, 2, 4, 20):
            found = groups(inputs(count), size)
            assert [part for group in found for part in group] == inputs(count)
            assert all(len(group) <= size for group in found)


def test_partials_are_dealt_to_no_more_tasks_than_there_are_partials() -> None:
    for count in (1, 2, 5, 17):
        for tasks in (1, 2, 4, 30):
            found = dealt(inputs(count), tasks)
            assert [part for group in found for part in group] == inputs(count)
            assert len(found) == min(count, tasks)
            lengths = {len(group) for group in found}
            assert max(lengths) - min(lengths) <= 1 and min(lengths) > 0


def test_a_share_is_that_of_its_number_in_each_file() -> None:
    divided = [Divided("one", [10, 10, 35]), Divided("two", [7, 9, 9])]
    places = [[part.place for part in shares_of(divided, share)] for share in range(3)]
    assert places == [[(0, 10), (0, 7)], [(10, 10), (7, 9)], [(10, 35), (9, 9)]]
    assert [part.url for part in shares_of(divided, 1)] == ["one", "two"]


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_a_range_of_a_file_is_copied(tmp_path: Path, scheme: str) -> None:
    source, copy = tmp_path / "source", tmp_path / "copy"
    source.write_bytes(bytes(range(256)))
    storage = Storage(Java())
    for begin, end in [(0, 0), (0, 256), (3, 9), (256, 256)]:
        storage.get_range(f"{scheme}{source}", begin, end, str(copy))
        assert copy.read_bytes() == bytes(range(begin, end))
    with pytest.raises(RunError, match="ends at 256 bytes, before 257"):
        storage.get_range(f"{scheme}{source}", 250, 257, str(copy))


def test_the_newest_document_is_that_of_all_parts() -> None:
    assert newest([Result(0), Result(1)]) is None
    # 20 513 days of 86 400 000 ms are 2026-03-01.
    told = [Result(0, newest=20_513 * 86_400_000 + 5), Result(1), Result(2, newest=20_512 * 86_400_000)]
    assert newest(told) == "2026-03-01T00:00:00.005Z"
