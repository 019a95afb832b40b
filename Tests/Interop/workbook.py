"""Reads a workbook with openpyxl and compares every table in it with the same report as JSON.

    workbook.py report.xlsx report.json

Every row and every number must be there, in order; a number that JSON has as a number must be a number.
"""

import datetime
import json
import sys

import openpyxl


def tables(report):
    """The arrays of rows of a report and of those below it, in order."""
    for key, value in report.items():
        if key == "reports":
            for child in value:
                yield from tables(child)
        elif isinstance(value, list):
            yield f"{report['report']}.{key}", value


def plain(cell):
    """The value of a cell as JSON would write it."""
    value = cell.value
    if isinstance(value, datetime.datetime):
        milliseconds = (value - datetime.datetime(1970, 1, 1)) / datetime.timedelta(milliseconds=1)
        text = datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=round(milliseconds))
        fraction = f".{text.microsecond // 1000:03d}" if text.microsecond else ""
        return text.strftime("%Y-%m-%dT%H:%M:%S") + fraction + "Z"
    return value


def main(workbook_path, json_path):
    book = openpyxl.load_workbook(workbook_path)
    sheets = [s for s in book.worksheets[1:] if s.auto_filter.ref]
    with open(json_path, encoding="utf-8") as file:
        report = json.load(file)
    expected = list(tables(report))
    assert len(sheets) == len(expected), f"{len(sheets)} sheets, {len(expected)} tables"
    count = 0
    for sheet, (name, rows) in zip(sheets, expected):
        cells = list(sheet.iter_rows(min_row=2))
        assert len(cells) == len(rows), f"{name}: {len(cells)} rows, {len(rows)} in JSON"
        for number, (line, row) in enumerate(zip(cells, rows), 2):
            for cell, (key, value) in zip(line, row.items()):
                if isinstance(value, list):
                    # A list of nothing is an empty cell.
                    value = ", ".join(value) or None
                found = plain(cell)
                assert cell.data_type != "f", f"{name}!{cell.coordinate}: a formula"
                assert found == value, f"{name}!{cell.coordinate} {key}: {found!r}, {value!r} in JSON (row {number})"
                count += 1
    print(f"{workbook_path.rsplit('/', 1)[-1]}: {len(sheets)} tables, {count} cells as in JSON")


if __name__ == "__main__":
    main(*sys.argv[1:])
