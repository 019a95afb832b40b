"""Input that was made to be slow: each shape in any size, and the commands that read it."""
import base64
import gzip
import json
from dataclasses import dataclass, field
from typing import Callable

MARCH = 1772323200000  # 2026-03-01T00:00:00Z
HOUR = 3_600_000
DAY = 24 * HOUR
REVENUE = "report revenue in -t json"
ALL = "report all in -t json"


@dataclass
class Shape:
    name: str
    # Files by path, for a number of parts.
    files: Callable[[int], dict]
    commands: list
    parts: int = 500
    # Parts that make a file too large to be worth it.
    most: int = 32_000
    # Commands of the shell that make the input, with the binary in $TILLROLL.
    prepared: list = field(default_factory=list)


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


# MARK: Transactions

EVERY = [f"report {name} in -t json" for name in ("revenue", "deferred", "restores", "subscriptions", "anomalies")]


@shape("one chain of renewals", *EVERY, "convert in -t ndjson")
def _(parts):
    return responses(*(subscription(n, 1000, MARCH + n * 30 * DAY) for n in range(parts)))


@shape("one chain of renewals at one time", *EVERY)
def _(parts):
    return responses(*(subscription(n, 1000) for n in range(parts)))


@shape("chains that name one another", *EVERY)
def _(parts):
    return responses(*(subscription(n, 999 + n) for n in range(parts)))


@shape("chains that name one another, backwards", *EVERY)
def _(parts):
    return responses(*(subscription(n, 999 + n) for n in reversed(range(parts))))


@shape("copies of one transaction that differ", *EVERY)
def _(parts):
    return responses(*(transaction(0, quantity=str(n + 1)) for n in range(parts)))


@shape("copies of one transaction with other originals", *EVERY)
def _(parts):
    return responses(*(transaction(0, original_transaction_id=str(n)) for n in range(parts)))


@shape("copies of one transaction with other dates", *EVERY)
def _(parts):
    return responses(*(transaction(0, purchase_date_ms=str(MARCH + n)) for n in range(parts)))


@shape("one response of many transactions", *EVERY, "inspect in -t json", "convert in -t ndjson")
def _(parts):
    return lines([response([transaction(n) for n in range(parts)])])


@shape("one response of many copies", *EVERY)
def _(parts):
    return lines([response([transaction(0, quantity=str(n % 7)) for n in range(parts)])])


@shape("in_app beside latest_receipt_info", REVENUE)
def _(parts):
    rows = [transaction(n) for n in range(parts)]
    return lines([response(rows, receipt={"bundle_id": "a", "in_app": rows})])


@shape("pending renewals of one response", "report subscriptions in -t json", "convert in -t ndjson")
def _(parts):
    rows = [{"auto_renew_product_id": "p", "original_transaction_id": str(n), "auto_renew_status": "1"} for n in range(parts)]
    return lines([response([transaction(0)], pending_renewal_info=rows)])


@shape("products", *EVERY, "report revenue in -t html", "report revenue in -t xlsx -o out.xlsx", "report revenue in -t table --detail")
def _(parts):
    return each(parts, product_id=lambda n: f"com.example.product{n}")


@shape("product ids of one beginning", REVENUE)
def _(parts):
    return each(parts, product_id=lambda n: "p" * 200 + str(n))


@shape("one long product id", REVENUE, parts=20_000, most=4_000_000)
def _(parts):
    return each(3, product_id="p" * parts)


@shape("products and months", REVENUE, "report revenue in --compare month -t json", "report revenue in -t html",
       "report revenue in --by product_id,day,storefront -t json")
def _(parts):
    return each(parts, product_id=lambda n: f"p{n % 50}", purchase_date_ms=lambda n: str(MARCH - n * 30 * DAY))


@shape("apps", *EVERY)
def _(parts):
    return lines(response([transaction(n)], receipt={"bundle_id": f"com.example.app{n}", "in_app": []}) for n in range(parts))


@shape("accounts", *EVERY)
def _(parts):
    return each(parts, app_account_token=lambda n: f"{n:032x}")


@shape("transactions of one account", *EVERY)
def _(parts):
    return each(parts, app_account_token="f" * 32)


@shape("app transactions of one account", *EVERY)
def _(parts):
    return each(parts, app_account_token="f" * 32, app_transaction_id=lambda n: str(n))


@shape("subscriptions that end in the year 9999", "report deferred in -t json", "report subscriptions in -t json", parts=100, most=2_000)
def _(parts):
    return responses(*(subscription(n, 1000 + n, MARCH, 7900 * 365 * DAY) for n in range(parts)))


@shape("subscriptions of all lengths", *EVERY, most=8_000)
def _(parts):
    return responses(*(subscription(n, 1000 + n, MARCH + n * DAY, (1 + n % 900) * DAY) for n in range(parts)))


@shape("a chain of upgrades", *EVERY)
def _(parts):
    return responses(*(subscription(n, 1000, MARCH + n * DAY, is_upgraded="true") for n in range(parts)))


@shape("refunds", *EVERY)
def _(parts):
    return each(parts, cancellation_date_ms=lambda n: str(MARCH + n * HOUR))


@shape("refunds of one transaction", *EVERY)
def _(parts):
    return responses(*(transaction(0, cancellation_date_ms=str(MARCH + n * HOUR)) for n in range(parts)))


@shape("sales of many days", *EVERY, "report revenue in --by day -t html", "report revenue in --by hour -t json")
def _(parts):
    return each(parts, purchase_date_ms=lambda n: str(MARCH + n * DAY))


@shape("sales without an id", *EVERY)
def _(parts):
    return each(parts, transaction_id=None, original_transaction_id=None)


@shape("line items without an id", REVENUE)
def _(parts):
    return each(parts, transaction_id=None, original_transaction_id=None, web_order_line_item_id="7")


@shape("ids of many digits", REVENUE)
def _(parts):
    return each(parts, transaction_id=lambda n: "9" * 60 + str(n))


@shape("restores", "report restores in -t json")
def _(parts):
    return each(parts, original_transaction_id="1000")


@shape("21007 of one receipt", "report failures in -t json", "report revenue in -t json")
def _(parts):
    return lines({"status": 21007 if n % 2 else 21000 + n % 10, "receipt-data": "QUJD"} for n in range(parts))


@shape("explained transactions", "report revenue in --explain product_id=pro -t json", "report revenue in --explain product_id=pro")
def _(parts):
    return each(parts)


# MARK: Failures

FAILURES = ["report failures in -t json", "report failures in -t table", "report failures in -t html"]


@shape("failures of one code", *FAILURES)
def _(parts):
    return events(parts)


@shape("codes", *FAILURES)
def _(parts):
    return events(parts, error=lambda n: {"domain": "SKErrorDomain", "code": n})


@shape("domains", *FAILURES)
def _(parts):
    return events(parts, error=lambda n: {"domain": f"Domain{n}", "code": 1})


@shape("failures an hour apart", *FAILURES)
def _(parts):
    return events(parts, ts=lambda n: MARCH + n * HOUR)


@shape("failures a year apart", *FAILURES, parts=50, most=400)
def _(parts):
    return events(parts, ts=lambda n: n * 365 * DAY)


@shape("codes in many hours", *FAILURES, most=8_000)
def _(parts):
    return events(parts, ts=lambda n: MARCH + n * HOUR, error=lambda n: {"domain": "D", "code": n % 100})


@shape("spikes", *FAILURES, most=8_000)
def _(parts):
    return lines(
        event(hour * 20 + copy, ts=MARCH + hour * HOUR, error={"domain": "D", "code": hour // 40})
        for hour in range(parts // 4) for copy in range(20 if hour % 40 == 39 else 1)
    )


@shape("versions in a spike", *FAILURES, most=8_000)
def _(parts):
    return lines(
        event(n, ts=MARCH + (n * 200 // parts) * HOUR if n % 4 else MARCH + 199 * HOUR, app_version=f"{n}", os_version=f"{n % 97}.{n}",
              storefront=f"S{n}", product_id=f"p{n}")
        for n in range(parts)
    )


@shape("one attempt", *FAILURES)
def _(parts):
    return events(parts, attempt_id="1")


@shape("underlying errors", "report failures in -t json", parts=20, most=400)
def _(parts):
    error = {"domain": "D", "code": 1}
    for _ in range(parts):
        error = {"domain": "D", "code": 1, "underlying": error}
    return lines(event(n, error=error) for n in range(20))


@shape("many errors of one event", "report failures in -t json")
def _(parts):
    return lines([event(0, errors=[{"domain": "D", "code": n} for n in range(parts)])])


@shape("messages", "report failures in -t json")
def _(parts):
    return events(parts, error=lambda n: {"domain": "D", "code": 1, "message": "m" * 300 + str(n)})


@shape("failures while they are watched", "report failures in --alert z>4 -t json")
def _(parts):
    return events(parts, ts=lambda n: MARCH + n * HOUR // 4, error=lambda n: {"domain": "D", "code": n % 7})


# MARK: Wrapping

READ = ["convert in -t ndjson", "inspect in -t text", "report revenue in -t json"]


@shape("an array of responses", *READ)
def _(parts):
    return json.dumps([response([transaction(n)]) for n in range(parts)])


@shape("responses in an object", *READ)
def _(parts):
    return json.dumps({f"k{n}": response([transaction(n)]) for n in range(parts)})


@shape("responses in strings", *READ)
def _(parts):
    return json.dumps({"records": [json.dumps(response([transaction(n)])) for n in range(parts)]})


@shape("responses in base64", *READ)
def _(parts):
    return json.dumps([base64.b64encode(json.dumps(response([transaction(n)])).encode()).decode() for n in range(parts)])


@shape("layers of base64", *READ, parts=2, most=8)
def _(parts):
    text = json.dumps(response([transaction(n) for n in range(50)])).encode()
    for _ in range(parts):
        text = base64.b64encode(text)
    return text


@shape("layers of gzip in base64", *READ, parts=2, most=16)
def _(parts):
    text = json.dumps(response([transaction(n) for n in range(200)])).encode()
    for _ in range(parts):
        text = base64.b64encode(gzip.compress(text, mtime=0))
    return text


@shape("objects around a response", *READ)
def _(parts):
    return '{"a":' * parts + json.dumps(response([transaction(0)])) + "}" * parts


@shape("members beside a response", *READ)
def _(parts):
    return json.dumps({**{f"k{n}": "v" * 20 for n in range(parts)}, "body": response([transaction(0)])})


@shape("texts beside a response", *READ)
def _(parts):
    return json.dumps({"notes": ["{x" * 10 for _ in range(parts)], "body": json.dumps(response([transaction(0)]))})


@shape("pairs of receipts and responses", *READ)
def _(parts):
    return json.dumps({f"k{n}": {"receipt-data": "QUJDRA==", "response": response([transaction(n)])} for n in range(parts)})


@shape("runs of base64 in text", "convert in --from text -t ndjson")
def _(parts):
    return "".join(f"INSERT {n} VALUES ('MIIC{'QUJD' * 20}');\n" for n in range(parts))


@shape("log lines with JSON", *READ)
def _(parts):
    return "".join(f"2026-03-01 INFO {n} {json.dumps(response([transaction(n)]))}\n" for n in range(parts))


@shape("JSON over many lines", *READ)
def _(parts):
    return "".join(json.dumps(response([transaction(n)]), indent=1) + "\n" for n in range(parts))


@shape("cells", *READ)
def _(parts):
    return "id,receipt\n" + "".join(f'{n},"{json.dumps(response([transaction(n)])).replace(chr(34), chr(34) * 2)}"\n' for n in range(parts))


@shape("columns", *READ)
def _(parts):
    return ",".join(["receipt"] + [f"c{n}" for n in range(parts)]) + "\n" + ",".join(['"{}"'] * (parts + 1)) + "\n"


@shape("gzip members", *READ)
def _(parts):
    return {"in": b"".join(gzip.compress(responses(transaction(n)).encode(), 1, mtime=0) for n in range(parts))}


@shape("rejects", "convert in -t ndjson --rejects rejects.ndjson", "report revenue in -t json")
def _(parts):
    return "".join('{"status":0,"environment":"Production","latest_receipt_info":[{"transaction_id":%d,"quantity":"x"}]}\n' % n for n in range(parts))


@shape("rejects that are read again", "convert rejects.ndjson -t ndjson",
       prepared=["$TILLROLL convert in -o rows/ --rejects rejects.ndjson || true"])
def _(parts):
    return "".join('{"status":0,"environment":"Production","latest_receipt_info":[{"transaction_id":%d,"quantity":"x"}]}\n' % n for n in range(parts))


@shape("files of a folder", "report revenue in -t json", "convert in -t ndjson", most=4_000)
def _(parts):
    return {f"in/{n:06}.json": responses(transaction(n)) for n in range(parts)}


@shape("folders in one another", "report revenue in -t json", parts=25, most=200)
def _(parts):
    return {"in/" + "d/" * n + "a.json": responses(transaction(n)) for n in range(parts)}


# MARK: What finance hands in


def csv(header, rows):
    return header + "\n" + "".join(row + "\n" for row in rows)


def day(number):
    import datetime

    return (datetime.date(2000, 1, 1) + datetime.timedelta(days=number)).isoformat()


PRICED = "report revenue in --prices prices.csv -t json"
PRICES = "product_id,territory,currency,price,intro_price,effective_from,effective_to,type"


@shape("prices of one product", PRICED, "prices check prices.csv", most=60_000)
def _(parts):
    return {"in": each(5), "prices.csv": csv(PRICES, (f"pro,*,USD,{1 + n % 9}.99,,{day(n)},{day(n + 1)},consumable" for n in range(parts)))}


@shape("prices of many products", PRICED, "prices check prices.csv", "prices check prices.csv --against in")
def _(parts):
    return {
        "in": each(parts, product_id=lambda n: f"com.example.p{n}x"),
        "prices.csv": csv(PRICES, (f"com.example.p{n},*,USD,4.99,,2000-01-01,,consumable" for n in range(parts))),
    }


@shape("prices that overlap", PRICED, "prices check prices.csv", most=8_000)
def _(parts):
    return {"in": each(5), "prices.csv": csv(PRICES, (f"pro,*,USD,4.99,,{day(n)},,consumable" for n in range(parts)))}


@shape("sales at many prices", PRICED)
def _(parts):
    return {
        "in": each(parts, purchase_date_ms=lambda n: str(946684800000 + n % 9000 * DAY)),
        "prices.csv": csv(PRICES, (f"pro,*,USD,{1 + n % 9}.99,,{day(n)},{day(n + 1)},consumable" for n in range(9000))),
    }


@shape("rates", "report revenue in --prices prices.csv --fx rates.csv --base-currency EUR -t json", most=8_000)
def _(parts):
    return {
        "in": each(parts, purchase_date_ms=lambda n: str(946684800000 + n * DAY)),
        "prices.csv": csv(PRICES, ["pro,*,USD,4.99,,1990-01-01,,consumable"]),
        "rates.csv": csv("date,currency,per_eur", (f"{day(n)},USD,1.{n % 89 + 10}" for n in range(parts))),
    }


@shape("a catalogue of many products", "report revenue in --catalogue products.storekit -t json")
def _(parts):
    products = [{"productID": f"p{n}", "type": "Consumable", "displayPrice": "0.99", "referenceName": f"N{n}"} for n in range(parts)]
    return {
        "in": each(5),
        "products.storekit": json.dumps(
            {"identifier": "A", "version": {"major": 4, "minor": 0}, "settings": {"_locale": "en_US", "_storefront": "USA"},
             "products": products, "nonRenewingSubscriptions": [], "subscriptionGroups": []}
        ),
    }


@shape("metadata of many products", "report revenue in --catalogue metadata.xml -t json")
def _(parts):
    purchases = "".join(
        f"<in_app_purchase><product_id>p{n}</product_id><reference_name>N{n}</reference_name><type>consumable</type></in_app_purchase>"
        for n in range(parts)
    )
    return {
        "in": each(5),
        "metadata.xml": '<package xmlns="http://apple.com/itunes/importer" version="software5.7"><software><software_metadata>'
        f"<in_app_purchases>{purchases}</in_app_purchases></software_metadata></software></package>",
    }


@shape("a file of commissions", "report revenue in --prices prices.csv --commission commission.csv -t json")
def _(parts):
    return {
        "in": each(parts, product_id=lambda n: f"p{n}"),
        "prices.csv": csv(PRICES, (f"p{n},*,USD,4.99,,2000-01-01,,consumable" for n in range(parts))),
        "commission.csv": csv("product_id,from,commission", (f"p{n},2000-01-01,0.{n % 30 + 1:02}" for n in range(parts))),
    }


SALES = "Provider\tSKU\tProduct Type Identifier\tUnits\tDeveloper Proceeds\tBegin Date\tEnd Date\tCustomer Currency\tCountry Code\tCurrency of Proceeds\tApple Identifier\tCustomer Price"


def sold(sku, units=1, date="03/01/2026", last="03/31/2026", identifier=1):
    return f"APPLE\t{sku}\tIA1\t{units}\t0.69\t{date}\t{last}\tUSD\tUS\tUSD\t{identifier}\t0.99"


RECONCILE = "reconcile --apple apple.txt in -t json --month 2026-03"


@shape("rows of one product in Apple's report", RECONCILE)
def _(parts):
    return {"in": each(5), "apple.txt": csv(SALES, (sold("pro", n % 5 + 1) for n in range(parts)))}


@shape("products in Apple's report", RECONCILE, "reconcile --apple apple.txt in -t table --month 2026-03")
def _(parts):
    return {
        "in": each(parts, product_id=lambda n: f"p{n}"),
        "apple.txt": csv(SALES, (sold(f"p{n}", 2, identifier=n) for n in range(parts))),
    }


@shape("Apple's reports", "reconcile --apple apple in -t json --month 2026-03", parts=100, most=2_000)
def _(parts):
    dates = [day(9000 + n) for n in range(parts)]
    return {
        "in": each(5),
        **{
            f"apple/{n}.txt": csv(SALES, [sold("pro", 1, f"{date[5:7]}/{date[8:]}/{date[:4]}", f"{date[5:7]}/{date[8:]}/{date[:4]}")])
            for n, date in enumerate(dates)
        },
    }


EVENTS = "Event Date\tEvent\tSubscription Name\tSubscription Apple ID\tSubscription Offer Type\tConsecutive Paid Periods\tQuantity"


@shape("Apple's events of subscriptions", "reconcile --apple apple.txt in -t json --month 2026-03")
def _(parts):
    return {"in": each(5), "apple.txt": csv(EVENTS, (f"2026-03-0{n % 9 + 1}\tSubscribe\tN{n}\t{n + 1}\t \t1\t1" for n in range(parts)))}


# MARK: Rows and partials


@shape("rows read again", "report all rows -t json", "report revenue rows -t json", "convert rows -t ndjson",
       prepared=["$TILLROLL convert in -o rows/ --quiet"])
def _(parts):
    return each(parts, product_id=lambda n: f"p{n % 99}") + events(parts)


@shape("files of rows", "report revenue rows -t json", parts=20, most=300,
       prepared=["for file in in/*; do $TILLROLL convert $file -o rows --append --quiet; done"])
def _(parts):
    return {f"in/{n}.json": responses(transaction(n)) for n in range(parts)}


@shape("partials", "merge parts.till -t json", parts=1,
       prepared=["$TILLROLL report all in --partial > parts.till"])
def _(parts):
    return each(parts, product_id=lambda n: f"p{n % 99}") + events(parts)


@shape("many partials", "merge parts -t json", parts=20, most=200,
       prepared=["mkdir parts; for file in in/*; do $TILLROLL report revenue $file --partial > parts/$(basename $file).till; done"])
def _(parts):
    return {f"in/{n}.json": responses(transaction(n)) for n in range(parts)}


@shape("a ledger that does not fit", "report revenue in --memory 64M -t json", parts=20_000, most=80_000)
def _(parts):
    return each(parts, product_id=lambda n: f"p{n % 99}", original_transaction_id=lambda n: str(n))
