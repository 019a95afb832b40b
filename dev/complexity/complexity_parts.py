"""What the shapes of `complexity.py` are made of: a registry, and documents in any number."""
import datetime
import json
from dataclasses import dataclass, field
from typing import Callable

MARCH = 1772323200000  # 2026-03-01T00:00:00Z
HOUR = 3_600_000
DAY = 24 * HOUR
REVENUE = "report revenue in -t json"
EVERY = [f"report {name} in -t json" for name in ("revenue", "deferred", "restores", "subscriptions", "anomalies")]
READ = ["convert in -t ndjson", "inspect in -t text", "report revenue in -t json"]
# The formats of reports other than JSON.
FORMATS = ("table --detail", "markdown --detail", "html --detail", "xlsx -o out.xlsx", "csv", "ndjson")


@dataclass
class Shape:
    name: str
    # Files by path, for a number of parts.
    files: Callable[[int], dict]
    commands: list
    parts: int = 500
    # Parts that make a file too large to be worth it.
    most: int = 2_000_000
    # Commands of the shell that make the input, with the binary in $TILLROLL.
    prepared: list = field(default_factory=list)
    # Bytes of memory for each byte of the input, beside a fixed number.
    memory: float = 8.0


SHAPES = []


def shape(name, *commands, **options):
    """Registers a function from parts to the text of the file `in`, or to several files by name."""

    def register(function):
        def files(parts):
            content = function(parts)
            return content if isinstance(content, dict) else {"in": content}

        SHAPES.append(Shape(name, files, list(commands), **options))
        return function

    return register


# MARK: What the parts are made of


def transaction(number, **changes):
    values = {
        "quantity": "1", "product_id": "pro", "transaction_id": str(1000 + number),
        "original_transaction_id": str(1000 + number), "purchase_date_ms": str(MARCH + number * 1000),
    }
    values.update(changes)
    return {key: value for key, value in values.items() if value is not None}


def response(transactions, **changes):
    return {"status": 0, "environment": "Production", "latest_receipt_info": transactions, **changes}


def lines(values):
    return "".join(json.dumps(value, separators=(",", ":")) + "\n" for value in values)


def responses(*transactions):
    return lines(response([one]) for one in transactions)


def each(parts, **changes):
    """A response for each part; a change may be a function of its number."""
    return responses(
        *(
            transaction(number, **{key: value(number) if callable(value) else value for key, value in changes.items()})
            for number in range(parts)
        )
    )


def subscription(number, chain, start=MARCH, length=30 * DAY, **changes):
    return transaction(
        number, original_transaction_id=str(chain), purchase_date_ms=str(start), expires_date_ms=str(start + length),
        product_id="monthly", **changes,
    )


def event(number, **changes):
    values = {
        "event": "failed", "ts": MARCH + number * 1000, "product_id": "pro", "attempt_id": str(number),
        "app_version": "1.0", "error": {"domain": "SKErrorDomain", "code": 2},
    }
    values.update(changes)
    return values


def events(parts, **changes):
    return lines(
        event(number, **{key: value(number) if callable(value) else value for key, value in changes.items()})
        for number in range(parts)
    )


def csv(header, rows):
    return header + "\n" + "".join(row + "\n" for row in rows)


def day(number):
    return (datetime.date(2000, 1, 1) + datetime.timedelta(days=number)).isoformat()
