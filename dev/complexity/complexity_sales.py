"""Transactions in many guises."""
from complexity_parts import DAY, EVERY, FORMATS, HOUR, MARCH, REVENUE, each, lines, response, responses, shape, subscription, transaction


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


@shape("products in every format", *(f"report all in -t {name}" for name in FORMATS), "report journal in -t ledger", most=8_000)
def _(parts):
    return each(parts, product_id=lambda n: f"com.example.product{n}")


@shape("months in every format", *(f"report revenue in -t {name}" for name in FORMATS), "report deferred in -t xlsx -o out.xlsx",
       "report deferred in -t html", "report journal in -t ledger", most=8_000)
def _(parts):
    return responses(*(subscription(n, 1000 + n, MARCH - n % 1200 * 30 * DAY, 365 * DAY) for n in range(parts)))


CURRENCIES = ["USD", "EUR", "GBP", "JPY", "SEK", "MXN", "CAD", "AUD", "CHF", "BRL"]


@shape("currencies and storefronts", REVENUE, "report revenue in --by storefront,currency,product_id -t json",
       "report revenue in --by storefront,hour -t csv", "report journal in -t json")
def _(parts):
    return lines(
        {"transactionId": str(n), "originalTransactionId": str(n), "bundleId": "a", "productId": f"p{n % 100}", "purchaseDate": MARCH + n * 60_000,
         "quantity": 1, "type": "Consumable", "price": 990 + n % 7, "currency": CURRENCIES[n % 10], "storefront": f"S{n % 200}",
         "environment": "Production", "inAppOwnershipType": "PURCHASED"}
        for n in range(parts)
    )


@shape("closed months", "report revenue in --closed closed.json -t json", "report revenue in --closed closed.json -t html",
       "report revenue in --compare closed.json -t json", most=8_000,
       prepared=["$TILLROLL report revenue early -t json > closed.json"])
def _(parts):
    def sales(last):
        return each(last, product_id=lambda n: f"p{n}", purchase_date_ms=lambda n: str(MARCH - n % 30 * 30 * DAY))

    return {"early": sales(parts // 2 + 1), "in": sales(parts)}


# The parser of the command line takes the square of its words, so there are few of them.
@shape("apps that are asked for", "report revenue in @bundle.flags -t json", parts=50, most=50)
def _(parts):
    return {
        "in": lines(response([transaction(n)], receipt={"bundle_id": f"a{n}", "in_app": []}) for n in range(parts)),
        "bundle.flags": "".join(f"--bundle-id\na{n}\n" for n in range(parts)),
    }


@shape("family and offers of one subscription", *EVERY)
def _(parts):
    return responses(
        *(
            subscription(n, 1000, MARCH + n * DAY, in_app_ownership_type="FAMILY_SHARED" if n % 2 else "PURCHASED",
                         promotional_offer_id=f"o{n}", is_trial_period="true" if n % 3 else "false")
            for n in range(parts)
        )
    )
