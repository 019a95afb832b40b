import TillCore

/// Files that finance hands in besides the price list: exchange rates, tax, and catalogues of two apps.
enum FinanceSamples {
    static var files: [SampleFile] {
        [
            SampleFile("finance/rates.csv", lines: ["date,currency,per_eur"] + rates),
            SampleFile("finance/tax.csv", lines: ["territory,product,rate"] + tax),
            SampleFile("finance/eurofxref.xml", text: bank),
            SampleFile("finance/Lumen.storekit", text: storeKit),
            SampleFile("finance/metadata.xml", text: metadata),
            SampleFile(
                "finance/accounts.csv",
                lines: [
                    "account,name", "receivable,Assets:Receivable:Apple", "revenue,Income:App Store",
                    "deferred_revenue,Liabilities:Deferred revenue", "refunds,Income:App Store:Refunds",
                    "commission,Expenses:Commission", "tax,Income:App Store:Tax remitted by Apple",
                ]
            ),
        ]
    }

    /// Working days of January to March 2026; nothing is published on Saturdays and Sundays.
    private static var rates: [String] {
        // 1 January 2026 is a Thursday, day 3 of a week from 0 to 6.
        (0..<90).filter { (3 + $0) % 7 < 5 }.map { Timestamp.utc(2026, 1, 1).adding(days: $0) }.flatMap { day in
            rates(on: day).map { "\(day.dayText),\($0.currency),\($0.rate)" }
        }
    }

    /// By storefront, and by product where receipts name no storefront. The rates are made up.
    private static let tax = [
        "USA,,0", "CAN,,0", "DEU,,0.19", "FRA,,0.20", "GBR,,0.20", "JPN,,0.10", "CHE,,0.08", "SWE,,0.25", "AUS,,0.10",
        "MEX,,0.16", "BRA,,0.17", ",com.example.lumen.monthly,0", ",com.example.lumen.yearly,0",
        ",com.example.lumen.coins100,0", ",com.example.lumen.pro,0", ",de.beispiel.kochbuch.woche,0.19",
        ",de.beispiel.kochbuch.backen,0.19", ",de.beispiel.kochbuch.kurs,0.19", ",com.example.tabi.tickets,0.10",
        ",com.example.tabi.offlinemap,0.10", ",com.example.tabi.stamps,0.10",
    ]

    /// The price of a euro on a day.
    private static func rates(on day: Timestamp) -> [(currency: String, rate: String)] {
        let date = day.day.date
        let step = date.month * 31 + date.day
        return [("USD", "1.\(1600 + step * 7 % 90)"), ("JPY", "18\(step % 5).\(step * 3 % 100 + 100)")]
    }

    private static var bank: String {
        let days = [31, 30].map { Timestamp.utc(2026, 3, $0) }.map { day in
            let cubes = rates(on: day).map { "<Cube currency='\($0.currency)' rate='\($0.rate)'/>" }
            return "    <Cube time='\(day.dayText)'>\(cubes.joined())</Cube>"
        }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" \
            xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
              <gesmes:subject>Reference rates</gesmes:subject>
              <gesmes:Sender><gesmes:name>Nobody: made up for tillroll</gesmes:name></gesmes:Sender>
              <Cube>
            \(days.joined(separator: "\n"))
              </Cube>
            </gesmes:Envelope>

            """
    }

    private static let storeKit = """
        {
          "identifier" : "4C554D45",
          "version" : { "major" : 4, "minor" : 0 },
          "settings" : { "_locale" : "en_US", "_storefront" : "USA" },
          "products" : [
            { "productID" : "com.example.lumen.coins100", "type" : "Consumable", "displayPrice" : "0.99", \
        "referenceName" : "100 coins", "familyShareable" : false },
            { "productID" : "com.example.lumen.pro", "type" : "NonConsumable", "displayPrice" : "14.99", \
        "referenceName" : "Pro", "familyShareable" : true }
          ],
          "nonRenewingSubscriptions" : [ ],
          "subscriptionGroups" : [
            { "id" : "21000001", "name" : "Lumen", "subscriptions" : [
              { "productID" : "com.example.lumen.monthly", "type" : "RecurringSubscription", \
        "displayPrice" : "5.99", "recurringSubscriptionPeriod" : "P1M", \
        "introductoryOffer" : { "paymentMode" : "payAsYouGo", "displayPrice" : "2.99", \
        "numberOfPeriods" : 1, "subscriptionPeriod" : "P1M" } },
              { "productID" : "com.example.lumen.yearly", "type" : "RecurringSubscription", \
        "displayPrice" : "39.99", "recurringSubscriptionPeriod" : "P1Y", \
        "introductoryOffer" : { "paymentMode" : "payUpFront", "displayPrice" : "19.99", \
        "numberOfPeriods" : 1, "subscriptionPeriod" : "P1Y" } }
            ] }
          ]
        }

        """

    private static let metadata = """
        <?xml version="1.0" encoding="UTF-8"?>
        <package xmlns="http://apple.com/itunes/importer" version="software5.7">
          <software><software_metadata><in_app_purchases>
            <in_app_purchase>
              <product_id>com.example.tabi.tickets</product_id>
              <reference_name>Tickets</reference_name>
              <type>consumable</type>
              <products><product><cleared_for_sale>true</cleared_for_sale>
                <intervals>
                  <interval><start_date>2024-01-01</start_date><end_date>2025-01-01</end_date>\
        <wholesale_price_tier>1</wholesale_price_tier></interval>
                  <interval><start_date>2025-01-01</start_date><wholesale_price_tier>2</wholesale_price_tier></interval>
                </intervals>
              </product></products>
            </in_app_purchase>
            <in_app_purchase>
              <product_id>com.example.tabi.offlinemap</product_id>
              <reference_name>Map</reference_name>
              <type>non-consumable</type>
              <products><product><cleared_for_sale>true</cleared_for_sale>\
        <wholesale_price_tier>10</wholesale_price_tier></product></products>
            </in_app_purchase>
          </in_app_purchases></software_metadata></software>
        </package>

        """
}
