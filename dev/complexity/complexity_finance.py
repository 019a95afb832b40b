"""Price lists, rates, catalogues and Apple's reports; rows and partials that are read again."""
import json

from complexity_parts import DAY, FORMATS, MARCH, csv, day, each, events, responses, shape, transaction

# Bytes of memory for each byte of a price list: some 2 KB for a row.
PRICE_LIST = 48
PRICED = "report revenue in --prices prices.csv -t json"
PRICES = "product_id,territory,currency,price,intro_price,effective_from,effective_to,type"


@shape("prices of one product", PRICED, "prices check prices.csv", most=60_000, memory=PRICE_LIST)
def _(parts):
    return {"in": each(5), "prices.csv": csv(PRICES, (f"pro,*,USD,{1 + n % 9}.99,,{day(n)},{day(n + 1)},consumable" for n in range(parts)))}


@shape("prices of many products", PRICED, "prices check prices.csv", "prices check prices.csv --against in", memory=PRICE_LIST)
def _(parts):
    return {
        "in": each(parts, product_id=lambda n: f"com.example.p{n}x"),
        "prices.csv": csv(PRICES, (f"com.example.p{n},*,USD,4.99,,2000-01-01,,consumable" for n in range(parts))),
    }


@shape("prices that overlap", PRICED, "prices check prices.csv", most=8_000, memory=PRICE_LIST)
def _(parts):
    return {"in": each(5), "prices.csv": csv(PRICES, (f"pro,*,USD,4.99,,{day(n)},,consumable" for n in range(parts)))}


@shape("sales at many prices", PRICED, memory=PRICE_LIST)
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


@shape("a catalogue of many products", "report revenue in --catalogue products.storekit -t json", memory=16)
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


@shape("Apple's events of subscriptions", "reconcile --apple apple.txt in -t json --month 2026-03", memory=16)
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


@shape("Apple's report in every format", *(f"reconcile --apple apple.txt in --month 2026-03 -t {name}" for name in FORMATS), most=8_000)
def _(parts):
    return {
        "in": each(parts, product_id=lambda n: f"p{n}"),
        "apple.txt": csv(SALES, (sold(f"p{n}", n % 3 + 1, identifier=n) for n in range(parts))),
    }


FINANCIAL = (
    "Start Date\tEnd Date\tUPC\tISRC/ISBN\tVendor Identifier\tQuantity\tPartner Share\tExtended Partner Share\tPartner Share Currency\t"
    "Sales or Return\tApple Identifier\tArtist/Show/Developer/Author\tTitle\tLabel/Studio/Network/Developer/Publisher\tGrid\t"
    "Product Type Identifier\tISAN/Other Identifier\tCountry Of Sale\tPre-order Flag\tPromo Code\tCustomer Price\tCustomer Currency"
)


@shape("Apple's financial report", "reconcile --apple apple.txt in -t json --fiscal FY26-06", "reconcile --apple apple.txt in -t json --fiscal FY26-06 --by storefront")
def _(parts):
    return {
        "in": each(5),
        "apple.txt": csv(
            FINANCIAL,
            (f"03/01/2026\t03/28/2026\t\t\tp{n}\t{n % 5 + 1}\t0.69\t{(n % 5 + 1) * 69 / 100:.2f}\tUSD\tS\t{n}\tA\tp{n}\t\t\tIA1\t\tUS\t\t\t0.99\tUSD"
             for n in range(parts)),
        ),
    }


SUBSCRIBERS = (
    "Event Date\tApp Name\tApp Apple ID\tSubscription Name\tSubscription Apple ID\tSubscription Group ID\tSubscription Offer Type\t"
    "Customer Price\tCustomer Currency\tCountry\tSubscriber ID\tRefund\tPurchase Date\tUnits"
)


@shape("Apple's subscribers", "reconcile --apple apple.txt in -t json", memory=16)
def _(parts):
    return {
        "in": each(5),
        "apple.txt": csv(SUBSCRIBERS, (f"2026-02-12\tL\t1\tN{n % 99}\t{n % 99 + 1}\t2\t \t1.49\tEUR\tDE\t{n}\t \t \t1" for n in range(parts))),
    }


@shape("a payout file", "reconcile --apple apple.txt in -t json --month 2026-03 --payout payout.csv")
def _(parts):
    return {
        "in": each(parts, product_id=lambda n: f"p{n}"),
        "apple.txt": csv(SALES, (sold(f"p{n}", 1, identifier=n) for n in range(parts))),
    }


@shape("prices of one product in territories", PRICED, "prices check prices.csv", most=8_000, memory=PRICE_LIST)
def _(parts):
    return {
        "in": each(5),
        "prices.csv": csv(PRICES, (f"pro,{'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[n % 26]}{'ABCDEFGHIJ'[n // 26 % 10]}A,USD,4.99,,{day(n // 260)},{day(n // 260 + 1)},consumable" for n in range(parts))),
    }


@shape("defects of a price list", "prices check prices.csv", memory=PRICE_LIST)
def _(parts):
    return {"in": each(1), "prices.csv": csv(PRICES, (f"p{n},*,XYZ,4.99x,,{day(n)},,nothing" for n in range(parts)))}


@shape("cells of one row of a price list", "prices check prices.csv")
def _(parts):
    return {"in": each(1), "prices.csv": csv(PRICES, [",".join(["x"] * parts), '"' + "a" * parts])}


@shape("rates of many currencies", "report revenue in --prices prices.csv --fx rates.csv --base-currency EUR -t json", most=8_000)
def _(parts):
    codes = ["USD", "GBP", "JPY", "SEK", "MXN", "CAD", "AUD", "CHF", "BRL", "NOK"]
    return {
        "in": each(5),
        "prices.csv": csv(PRICES, ["pro,*,USD,4.99,,1990-01-01,,consumable"]),
        "rates.csv": csv("date,currency,per_eur", (f"{day(n // 10)},{codes[n % 10]},1.{n % 89 + 10}" for n in range(parts))),
    }


@shape("rates of the ECB", "report revenue in --prices prices.csv --fx rates.xml --base-currency EUR -t json", most=8_000)
def _(parts):
    cubes = "".join(f'<Cube time="{day(9000 - n)}"><Cube currency="USD" rate="1.{n % 89 + 10}"/></Cube>' for n in range(parts))
    return {
        "in": each(5),
        "prices.csv": csv(PRICES, ["pro,*,USD,4.99,,1990-01-01,,consumable"]),
        "rates.xml": '<?xml version="1.0"?><gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" '
        f'xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref"><Cube>{cubes}</Cube></gesmes:Envelope>',
    }


@shape("commissions of one product", "report revenue in --prices prices.csv --commission commission.csv -t json", most=8_000)
def _(parts):
    return {
        "in": each(parts, purchase_date_ms=lambda n: str(946684800000 + n * DAY)),
        "prices.csv": csv(PRICES, ["pro,*,USD,4.99,,1990-01-01,,consumable"]),
        "commission.csv": csv("product_id,from,until,commission", (f"pro,{day(n)},{day(n)},0.{n % 30 + 1:02}" for n in range(parts))),
    }


@shape("subscription groups of a catalogue", "report subscriptions in --catalogue products.storekit -t json", "prices check products.storekit", memory=16)
def _(parts):
    groups = [
        {"id": str(n), "name": f"G{n}", "subscriptions": [
            {"productID": f"p{n}", "type": "RecurringSubscription", "recurringSubscriptionPeriod": "P1M", "displayPrice": "0.99", "referenceName": f"N{n}"}]}
        for n in range(parts)
    ]
    return {
        "in": each(5),
        "products.storekit": json.dumps(
            {"identifier": "A", "version": {"major": 4, "minor": 0}, "settings": {"_locale": "en_US", "_storefront": "USA"},
             "products": [], "nonRenewingSubscriptions": [], "subscriptionGroups": groups}
        ),
    }


@shape("partials in every format", *(f"merge parts.till -t {name}" for name in FORMATS), "merge parts.till --partial", parts=500, most=8_000,
       prepared=["$TILLROLL report all in --partial > parts.till"])
def _(parts):
    return each(parts, product_id=lambda n: f"p{n}") + events(parts, error=lambda n: {"domain": "D", "code": n})


@shape("closed partials", "merge parts.till -t json", "merge parts.till --partial", "report all in --partial --closed", parts=500,
       prepared=["$TILLROLL report all in --partial --closed > parts.till"])
def _(parts):
    return each(parts, product_id=lambda n: f"p{n}") + events(parts, error=lambda n: {"domain": "D", "code": n})


@shape("many closed partials", "merge parts -t json", parts=20, most=200,
       prepared=["mkdir parts; for file in in/*; do $TILLROLL report revenue $file --partial --closed > parts/$(basename $file).till; done"])
def _(parts):
    return {f"in/{n}.json": responses(transaction(n)) for n in range(parts)}


@shape("tables as CSV and Parquet", "convert in -t csv --table transactions", "convert in -t csv --table events --safe", "convert in -o rows/ --replace",
       "convert in -o one.parquet --table transactions --compression gzip", "convert in -o days/ --replace --partition-by purchase_month")
def _(parts):
    return each(parts, product_id=lambda n: f"=p{n}", app_account_token=lambda n: f"{n:032x}", purchase_date_ms=lambda n: str(MARCH - n % 900 * DAY)) + events(parts)
