"""Reads a workbook with openpyxl and compares it with the same report as JSON, and with what LibreOffice calculates.

    workbook.py report.xlsx report.json

Every row and every number of the JSON must be in a table, and a number that JSON has as a number must be a number. Every
formula adds up cells and nothing else. If LibreOffice is there, it calculates all formulas again: each must give the value
that is in the file, and each tie-out and check must be 0.
"""

import collections
import datetime
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import openpyxl

SHEET = r"'(?:[^']|'')+'!"
CELL = r"\$?[A-Z]{1,3}\$?[0-9]+"
PLACE = rf"(?:{SHEET})?{CELL}"
FORMULAS = re.compile(
    rf"=(?:SUM\({CELL}:{CELL}\)|SUMIFS\({CELL}:{CELL},{CELL}:{CELL},{CELL}\)|SUMPRODUCT\(ABS\({CELL}:{CELL}\)\)"
    rf"|ROUND\({PLACE}(?:[+-]{PLACE})*,[0-6]\)|{PLACE}(?:\+{PLACE})*"
    rf"|ROUND\(ABS\({PLACE}(?:[+-]{PLACE})*\)(?:\+ABS\({PLACE}(?:[+-]{PLACE})*\))*,[0-6]\))"
)
# LibreOffice calculates a file of another program only where it is told to.
ALWAYS = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load"><prop oor:name="OOXMLRecalcMode"><value>0</value></prop></item>
</oor:items>"""


def json_tables(report):
    """The arrays of rows of a report and of those below it that have rows."""
    for key, value in report.items():
        if key == "reports":
            for child in value:
                yield from json_tables(child)
        elif isinstance(value, list) and value:
            yield f"{report['report']}.{key}", value


def plain(cell):
    """The value of a cell as JSON would write it."""
    value = cell.value
    if isinstance(value, datetime.datetime):
        if cell.number_format == "mmm yyyy":
            return value.strftime("%Y-%m")
        if cell.number_format == "yyyy-mm-dd":
            return value.strftime("%Y-%m-%d")
        milliseconds = (value - datetime.datetime(1970, 1, 1)) / datetime.timedelta(milliseconds=1)
        text = datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=round(milliseconds))
        fraction = f".{text.microsecond // 1000:03d}" if text.microsecond else ""
        return text.strftime("%Y-%m-%dT%H:%M:%S") + fraction + "Z"
    return value


def expected(value):
    if isinstance(value, list):
        if value and isinstance(value[0], dict):
            return ...  # Objects are written as a text of their own.
        # A list of nothing is an empty cell.
        return ", ".join(value) or None
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value


def book_tables(book):
    """The rows below the header of each table, by the name of the sheet."""
    for sheet in book.worksheets:
        if not sheet.auto_filter.ref:
            continue
        first, last = sheet.auto_filter.ref.split(":")
        rows = sheet[first:last]
        titles = [cell.value for cell in rows[0]]
        # People read the names of products beside their ids.
        names = titles.index("Product id") - 1 if "Product id" in titles else None
        yield sheet.title, [[plain(cell) for place, cell in enumerate(row) if place != names] for row in rows[1:]]


def words(wanted, lines):
    """The columns in which people read other words than programs: as many of them, and the same one for the same."""
    for column in range(len(wanted[0])):
        texts, shown = {row[column] for row in wanted}, {line[column] for line in lines}
        if texts != shown and len(texts) >= len(shown) and all(isinstance(text, (str, type(None))) for text in texts | shown):
            yield column


PARTS = [prefix + part for prefix in ("", "converted_") for part in ("tax", "without_tax", "commission", "proceeds")]
COUNTS = ["untaxed_transactions", "uncommissioned_transactions"]


def compare_tables(book, report):
    tables = list(book_tables(book))
    count = 0
    # Where no source tells any tax or commission, people do not get the parts of sales.
    headings = {cell.value for sheet in book.worksheets for row in sheet.iter_rows() for cell in row}
    hidden = set() if "Tax unknown" in headings else {*PARTS, *COUNTS}
    for name, rows in json_tables(report):
        wanted = [[expected(value) for key, value in row.items() if key not in hidden] for row in rows]
        width = len(wanted[0])
        # Programs do not get the examples of an incident unless they ask.
        near = [(title, lines) for title, lines in tables if len(lines) == len(wanted) and len(lines[0]) >= width]
        differences = []
        for title, lines in near:
            left_out = set(words(wanted, lines)) | {place for place in range(width) if any(row[place] is ... for row in wanted)}
            kept = [place for place in range(width) if place not in left_out]
            # People read some tables in another order.
            missing = collections.Counter(tuple(row[place] for place in kept) for row in wanted)
            missing.subtract(tuple(line[place] for place in kept) for line in lines)
            if not any(missing.values()) and (kept or width == len(left_out)):
                break
            differences.append((title, [row for row, number in missing.items() if number > 0][:1]))
        else:
            raise AssertionError(f"{name}: no sheet has its {len(wanted)} rows of {width} columns; the first that is missing: {differences}")
        count += len(wanted) * len(kept)
    return len(tables), count


def check_sheets(book):
    names = book.sheetnames
    assert names[0] == "Summary", names
    assert len({name.lower() for name in names}) == len(names), names
    for sheet in book.worksheets:
        assert len(sheet.title) <= 31 and "…" not in sheet.title, sheet.title
        assert any(cell.value is not None for row in sheet.iter_rows() for cell in row), f"{sheet.title}: empty"
        assert sheet.page_setup.fitToWidth in (None, 1) and sheet.page_setup.fitToHeight == 0, sheet.title
        if sheet.auto_filter.ref:
            header = int(re.search(r"\d+", sheet.auto_filter.ref)[0])
            assert sheet.freeze_panes and int(re.search(r"\d+", sheet.freeze_panes)[0]) == header + 1, sheet.title
            assert sheet.print_title_rows == f"${header}:${header}", (sheet.title, sheet.print_title_rows)
            assert sheet.print_area, sheet.title


def formulas(book):
    for sheet in book.worksheets:
        for row in sheet.iter_rows():
            for cell in row:
                if cell.data_type == "f":
                    yield sheet.title, cell


def calculated(path):
    """The workbook with the values that LibreOffice calculates; None where it is not there."""
    office = shutil.which("soffice")
    if not office:
        return None
    with tempfile.TemporaryDirectory() as folder:
        user = pathlib.Path(folder) / "profile" / "user"
        user.mkdir(parents=True)
        (user / "registrymodifications.xcu").write_text(ALWAYS)
        subprocess.run(
            [office, f"-env:UserInstallation={user.parent.as_uri()}", "--headless", "--convert-to", "xlsx", "--outdir", folder, path],
            check=True, capture_output=True,
        )
        return openpyxl.load_workbook(pathlib.Path(folder) / pathlib.Path(path).name, data_only=True)


def check_formulas(path, book):
    values = openpyxl.load_workbook(path, data_only=True)
    again = calculated(path)
    count = 0
    for title, cell in formulas(book):
        assert FORMULAS.fullmatch(cell.value), f"{title}!{cell.coordinate}: {cell.value}"
        value = values[title][cell.coordinate].value
        assert isinstance(value, (int, float)), f"{title}!{cell.coordinate}: {value!r}"
        # Checks and tie-outs are differences.
        if cell.value.startswith(("=ROUND", "=SUMPRODUCT")):
            assert value == 0, f"{title}!{cell.coordinate}: {value}"
        if again is not None:
            new = again[title][cell.coordinate].value
            close = isinstance(new, (int, float)) and abs(new - value) <= 1e-9 * max(1, abs(value))
            assert close, f"{title}!{cell.coordinate} {cell.value}: {value} in the file, LibreOffice says {new!r}"
        count += 1
    if again is not None:
        for sheet in again.worksheets:
            for row in sheet.iter_rows():
                for cell in row:
                    assert cell.data_type != "e", f"{sheet.title}!{cell.coordinate}: {cell.value}"
    return count, again is not None


def main(workbook_path, json_path):
    book = openpyxl.load_workbook(workbook_path)
    check_sheets(book)
    with open(json_path, encoding="utf-8") as file:
        tables, cells = compare_tables(book, json.load(file))
    count, isAgain = check_formulas(workbook_path, book)
    by = ", calculated again by LibreOffice" if isAgain else " (no LibreOffice to calculate them)"
    print(f"{pathlib.Path(workbook_path).name}: {len(book.worksheets)} sheets, {tables} tables, {cells} cells as in JSON, {count} formulas{by}")


if __name__ == "__main__":
    main(*sys.argv[1:])
