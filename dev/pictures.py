#!/usr/bin/env python3
"""pictures.py TILLROLL FOLDER   writes what people see of reports, as pictures to look at.

Two sets of inputs: the samples, and a dump of 22,000 sales over 24 months, 60 products and 10 currencies, which is made here.
Of each there is the page in a browser (390 and 1280 pixels wide, light and dark), printed on A4 and Letter, the workbook sheet
by sheet, and the terminal at 80 and 120 columns. INDEX.txt tells for each report where its first figure stands, how many lines
it has and how many pages it prints on.

It needs Chromium, and for printed pages and workbooks pdfinfo and pdftoppm (poppler) and LibreOffice; what is missing is told
and left out.
"""
import fcntl
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

SAMPLES = Path(__file__).resolve().parent.parent / "Samples"
MONTH = ["--month", "2026-03"]
EURO = ["--fx", SAMPLES / "finance/studio-rates.csv", "--base-currency", "EUR"]
NAMES = ["--catalogue", SAMPLES / "finance/Studio.storekit"]

WIDTHS = [390, 1280]
SCHEMES = {"light": 1, "dark": 0}
PAPERS = {"A4": "8.27in 11.69in", "Letter": "8.5in 11in"}
CURRENCIES = {
    "USD": ("USA", 4990), "EUR": ("DEU", 4990), "GBP": ("GBR", 4490), "JPY": ("JPN", 800_000), "CAD": ("CAN", 6990),
    "AUD": ("AUS", 7990), "CHF": ("CHE", 5000), "BRL": ("BRA", 24_900), "SEK": ("SWE", 59_000), "MXN": ("MEX", 99_000),
}


def reports(inputs, *flags):
    """Name, inputs and flags of what is looked at."""
    yield "month", [inputs], ["revenue", *MONTH, *EURO, *flags]
    yield "years", [inputs], ["revenue", *EURO, *flags]
    yield "compare", [inputs], ["revenue", *MONTH, *EURO, *flags, "--compare", "month"]
    yield "deferred", [inputs], ["deferred", *MONTH, *EURO, *flags]
    yield "subscriptions", [inputs], ["subscriptions", *flags]


def cases(folder):
    dump = folder / "dump.ndjson"
    write_dump(dump)
    for name, inputs, words in reports(SAMPLES / "studio/transactions.ndjson", *NAMES):
        yield f"studio-{name}", inputs, words
    for name, inputs, words in reports(dump):
        yield f"dump-{name}", inputs, words
    yield "studio-failures", [SAMPLES / "studio/events.ndjson"], ["failures"]
    yield "studio-all", [SAMPLES / "studio"], ["all", *MONTH, *EURO, *NAMES]


def write_dump(path, sales=22_000, products=60, months=24):
    """Decoded payloads of StoreKit 2; products and currencies are sold unequally, and more is sold each month."""
    numbers = random.Random(7)
    ids = [f"com.example.{app}.item{number:02}" for number in range(products // 3) for app in ("atlas", "harbour", "meadow")]
    first = 1_711_929_600_000  # 2024-04-01
    day = 86_400_000
    with path.open("w") as out:
        for number in range(sales):
            currency = numbers.choices(list(CURRENCIES), [36, 19, 12, 9, 7, 5, 4, 3, 3, 2])[0]
            storefront, tier = CURRENCIES[currency]
            product = numbers.choices(range(products), [products - n / 1.1 for n in range(products)])[0]
            at = first + int(months * 30.4 * day * numbers.random() ** 0.7)
            row = {
                "transactionId": str(2_000_000_000_000_000 + number), "originalTransactionId": str(2_000_000_000_000_000 + number),
                "productId": ids[product], "bundleId": ".".join(ids[product].split(".")[:3]), "purchaseDate": at,
                "originalPurchaseDate": at, "quantity": 1, "type": "Non-Consumable", "inAppOwnershipType": "PURCHASED",
                "environment": "Production", "transactionReason": "PURCHASE", "storefront": storefront, "signedDate": at,
                "price": tier * (1 + product % 5), "currency": currency,
            }
            if numbers.random() < 0.03:
                row["revocationDate"] = at + numbers.randrange(1, 25) * day
                row["revocationReason"] = 0
            out.write(json.dumps(row, separators=(",", ":")) + "\n")


def run(command, **options):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True, **options).stdout


def on_terminal(command, width):
    """What a command shows on a terminal of a width."""
    leader, follower = os.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    process = subprocess.Popen([str(word) for word in command], stdout=follower, env={**os.environ, "PAGER": "cat"})
    os.close(follower)
    shown = b""
    while True:
        try:
            piece = os.read(leader, 65536)
        except OSError:  # Linux tells the end of a terminal so.
            break
        if not piece:
            break
        shown += piece
    os.close(leader)
    if process.wait() != 0:
        sys.exit(f"{' '.join(map(str, command))}: status {process.returncode}")
    return shown.decode().replace("\r\n", "\n")


class Pictures:
    def __init__(self, tool, folder):
        self.tool, self.folder = tool, folder
        self.browser = shutil.which("chromium") or shutil.which("google-chrome")
        self.office = shutil.which("soffice")
        self.poppler = shutil.which("pdfinfo")
        self.lines = []
        for name, found in (("Chromium", self.browser), ("LibreOffice", self.office), ("poppler", self.poppler)):
            if not found:
                print(f"{name} is missing: its pictures are left out", file=sys.stderr)

    def take(self, name, inputs, words):
        command = [self.tool, "report", *words, *inputs, "--quiet", "--color", "never"]
        facts = []
        for width in (80, 120):
            text = on_terminal(command, width)
            (self.folder / f"{name}-{width}.txt").write_text(text)
            lines = text.splitlines()
            figure = next((number for number, line in enumerate(lines, 1) if re.search(r"\d[.,]\d\d\b|\d %", line)), None)
            longest = max(map(len, lines), default=0)
            facts.append(f"{width} columns: {len(lines)} lines, the longest {longest}, first figure on line {figure}")
        page = self.folder / f"{name}.html"
        run([*command, "-o", page])
        if self.browser:
            self.browse(name, page)
            facts += self.print(name, page)
        book = self.folder / f"{name}.xlsx"
        run([*command, "-o", book])
        if self.office and self.poppler:
            run([self.office, "--headless", "--convert-to", "pdf", "--outdir", self.folder, book])
            facts.append(f"workbook: {self.pages(book.with_suffix('.pdf'))} pages")
            self.picture(book.with_suffix(".pdf"), f"{name}-workbook")
        self.lines.append(f"{name}: tillroll report {' '.join(Path(word).name if isinstance(word, Path) else word for word in words)}")
        self.lines += [f"  {fact}" for fact in facts]
        print("\n".join(self.lines[-len(facts) - 1:]), flush=True)

    def chromium(self, *words):
        with tempfile.TemporaryDirectory() as profile:
            run([self.browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={profile}", *words])

    def browse(self, name, page):
        for width in WIDTHS:
            for scheme, number in SCHEMES.items():
                picture = self.folder / f"{name}-{width}-{scheme}.png"
                self.chromium(
                    f"--window-size={width},2400", f"--blink-settings=preferredColorScheme={number}",
                    f"--screenshot={picture}", page.as_uri(),
                )

    def print(self, name, page):
        for paper, size in PAPERS.items():
            # The page does not choose its paper; the printer does. Its policy allows no styles but its own.
            sized = self.folder / f"{name}-{paper}.html"
            text = re.sub(r"<meta[^>]*Content-Security-Policy[^>]*>", "", page.read_text(), count=1)
            sized.write_text(text.replace("</style>", f"@page{{size:{size}}}</style>", 1))
            printed = sized.with_suffix(".pdf")
            self.chromium("--no-pdf-header-footer", f"--print-to-pdf={printed}", sized.as_uri())
            sized.unlink()
            if self.poppler:
                self.picture(printed, f"{name}-{paper}")
                yield f"{paper}: {self.pages(printed)} pages"

    @staticmethod
    def pages(document):
        return int(re.search(r"Pages:\s+(\d+)", run(["pdfinfo", document]))[1])

    def picture(self, document, name, most=8):
        run(["pdftoppm", "-r", "60", "-png", "-l", most, document, self.folder / name])


def main(tool, folder):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    pictures = Pictures(tool, folder)
    for case in cases(folder):
        pictures.take(*case)
    (folder / "INDEX.txt").write_text("\n".join(pictures.lines) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
