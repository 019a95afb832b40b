/// The page that lists the samples.
enum Readme {
    static let text = """
        # Samples

        Small inputs to try `tillroll` on. All of it is made up: neither the apps nor the purchases exist, and
        signatures are made with test keys, which tillroll trusts only with `--anchor test-roots.pem`. \
        `make samples` writes this folder, this page included, from a fixed seed; to change a sample, change
        `Sources/tillroll-samples`.

        | file | content |
        | --- | --- |
        | `studio/transactions.ndjson` | two years of a studio with three apps, eleven countries and ten currencies, as \
        decoded payloads of StoreKit 2: trials, renewals, refunds, whole and in part |
        | `studio/events.ndjson` | the last two weeks of its client log; from 31 March 2026 0:00 UTC on, purchases fail in \
        version 5.2.0 of one app on iOS 18.4 |
        | `finance/studio-rates.csv` | exchange rates of all working days of the two years of `studio/`, units for one euro, made up, for \
        `--fx` |
        | `finance/Studio.storekit` | names, types and periods of the products of `studio/`, for `--catalogue` |
        | `verify/responses.ndjson` | one response per line: trials, introductory prices, renewals, restores, refunds, \
        family sharing, an upgrade, the sandbox; the same customers again and again; failed verifications |
        | `verify/pretty.json` | one response over many lines, with numbers, booleans and null where strings are usual |
        | `verify/array.json` | three responses in one JSON array |
        | `pkcs7/receipts.ndjson` | app receipts as a client posts them, each in `receipt-data`; some of the customers \
        are in `verify/` as well |
        | `pkcs7/receipts.b64` | app receipts as bare base64, one per line |
        | `pkcs7/xcode-ber.b64` | a receipt that Xcode wrote: indefinite lengths, a payload in pieces, the transaction \
        id 0 |
        | `legacy/receipts.b64` | iOS 6 transaction receipts in base64, one per line: a consumable, and a restored \
        subscription |
        | `legacy/receipt.plist` | such a receipt as an ASCII property list, from the sandbox |
        | `legacy/receipt-xml.plist` | such a receipt as an XML property list, refunded |
        | `jws/signed.jws` | compact JWS, one per line: transactions with their prices, renewal info, app \
        transactions; signed with a test key |
        | `jws/payloads.ndjson` | such payloads already decoded; their signatures can no longer be checked |
        | `jws/xcode.jws` | a transaction that Xcode signed: one certificate, fractions of milliseconds, the id 0 |
        | `notification/v2.ndjson` | App Store Server Notifications, version 2, as Apple posts them: purchases, \
        renewals, refunds, a refund undone, a summary, a token, a test, one delivered twice; signed with a test key |
        | `notification/v2-decoded.json` | the first of them decoded, with its nested payloads still signed |
        | `notification/v1.ndjson` | notifications of version 1, old and new shapes, each with a made-up shared secret \
        that no output may contain |
        | `events/events.ndjson` | ten days of a client log; on 9 March between 14:00 and 15:00 UTC version 4.2.0 of \
        one app fails far more often than before |
        | `events/client.log` | lines of client logs: Xamarin, descriptions of `NSError` on one line and over several, \
        the payment queue in os_log, codes of JavaScript wrappers |
        | `csv/receipts.csv` | a table with a byte order mark and semicolons, whose column `receipt` contains \
        receipts, on one line or wrapped, and responses in quotes |
        | `text/dump.sql` | a dump of a database for `--from text`: three receipts, one of them wrapped, and a signed \
        transaction amid other text |
        | `broken/mixed.ndjson` | 41 documents of all kinds, 8 of them unreadable: truncated JSON, an HTML page, a \
        lone brace, a bad escape, a character that base64 lacks, a length that runs past its parent, plain text, \
        invalid UTF-8 |
        | `odd/payloads.ndjson` | decoded payloads for `report anomalies`: a charge booked twice, one account paid for \
        by several, copies that differ, 25 units, dates that cannot be; and a grace period |
        | `prices.csv` | the price list of these samples: USD, EUR and JPY, a price that changes on 15 February \
        2026, and no line for `com.example.tabi.stamps` |
        | `finance/rates.csv` | exchange rates by day, units for one euro, made up, for `--fx` |
        | `finance/tax.csv` | the tax in prices by storefront, and by product where receipts name no storefront; made up, \
        for `--tax` |
        | `finance/eurofxref.xml` | the same rates of two days as the European Central Bank writes them |
        | `finance/Lumen.storekit` | a StoreKit configuration of Xcode: types, periods and prices of one app, for \
        `--catalogue` |
        | `finance/accounts.csv` | names of accounts, for `--accounts` |
        | `finance/metadata.xml` | Transporter's metadata of another app: types, durations, families and price tiers |
        | `apple/sales/S_M_80012345_202603.txt` | Apple's Summary Sales of March 2026, for `reconcile`: a sale that is \
        missing in `verify/`, another price, and rows of an app |
        | `apple/sales/S_M_80012345_202604.txt` | the same of April, with a sale of March |
        | `apple/financial/80012345_0326_ZZ.txt` | Apple's consolidated financial report of the fiscal month FY26-06, with \
        the totals below it |
        | `apple/detail/80012345_0326_Z1.txt` | the same month as Financial Detail, with the lines above the header and the \
        block below the rows |
        | `apple/subscriptions/Subscription_80012345_20260228.txt` | Apple's Subscription report of a day: active \
        subscriptions by subscription and country |
        | `apple/subscriptions/Subscription_Event_80012345_20260212.txt` | Apple's Subscription Event report of a day |
        | `apple/subscriptions/Subscriber_80012345_20260212.txt` | Apple's Subscriber report of the same day, a row for each \
        payment |
        | `queries/units-by-month.sql` | DuckDB, on rows that `convert` has written: units sold by month and product |
        | `queries/refunds-by-month.sql` | DuckDB, on rows that `convert` has written: refunds by the month in which \
        they were made |
        | `queries/restore-rate.sql` | DuckDB, on rows that `convert` has written: restore rate without subscriptions |
        | `queries/failures-by-hour.sql` | DuckDB, on rows that `convert` has written: failures by hour and code, of \
        verifications and of events |
        | `queries/active-subscriptions.sql` | DuckDB, on rows that `convert` has written: subscriptions active \
        at the end of the data |
        | `test-roots.pem` | the roots of the test keys that signed all this, for `--anchor`; they prove nothing |

        """

    static func lists(_ file: SampleFile) -> Bool { text.contains("| `\(file.path)` |") }
}
