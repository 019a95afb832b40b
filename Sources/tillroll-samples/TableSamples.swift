/// Tables in CSV: an export of a database with receipts in a column, and the price list.
enum TableSamples {
    static func receipts(_ clientele: Clientele) throws -> SampleFile {
        let receipts = try ReceiptSamples(clientele: clientele).receipts().prefix(6).enumerated().map {
            index,
            receipt in
            index % 2 == 0 ? try receipt.base64 : quoted(try receipt.octets.mailBase64)
        }
        let responses = try VerifySamples(clientele).responses().prefix(2).map(quoted)
        let notes = [quoted("bought on the train; later, restored"), "", quoted(#"said "thank you""#)]
        let rows = (receipts + responses).enumerated().map { "\($0 + 1);\($1);\(notes[$0 % notes.count])" }
        return SampleFile(
            "csv/receipts.csv",
            text: "\u{FEFF}" + (["id;receipt;note"] + rows).map { $0 + "\r\n" }.joined()
        )
    }

    /// A dump of a database, with receipts on one line and wrapped, and a signed transaction.
    static func dump(_ clientele: Clientele) throws -> SampleFile {
        let receipts = ReceiptSamples(clientele: clientele).receipts().suffix(3)
        let signed = try JWSSamples(clientele: clientele).files().prefix(1).map { file in
            String(decoding: file.octets.prefix { $0 != 0x0A }, as: UTF8.self)
        }
        let cells =
            try receipts.enumerated().map { index, receipt in
                index == 1 ? try receipt.octets.pemBase64 : try receipt.base64
            } + signed
        let values = cells.enumerated().map { "(\($0 + 1),'\($1)','2026-03-02 10:15:00')" }
        return SampleFile(
            "text/dump.sql",
            lines: [
                "-- MySQL dump 10.13", "DROP TABLE IF EXISTS `receipts`;",
                "CREATE TABLE `receipts` (`id` int, `body` longtext, `at` datetime);",
                "INSERT INTO `receipts` VALUES \(values.joined(separator: ","));", "-- Dump completed",
            ]
        )
    }

    private static func quoted(_ text: String) -> String { "\"" + text.replacing("\"", with: "\"\"") + "\"" }

    /// In the columns that `--prices` reads.
    static var prices: SampleFile {
        let rows = Shop.apps.flatMap(\.products).flatMap { product in
            product.prices.map { price in
                [
                    product.id, "*", price.currency, price.amount, price.introductory, price.from, price.until,
                    product.type.priceListName,
                ]
                .joined(separator: ",")
            }
        }
        return SampleFile(
            "prices.csv",
            lines: ["product_id,territory,currency,price,intro_price,effective_from,effective_to,type"] + rows
        )
    }
}
