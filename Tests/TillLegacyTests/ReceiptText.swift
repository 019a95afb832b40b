import TillCore
import TillTestSupport

/// Makes the text of receipts.
enum ReceiptText {
    static let purchase = [
        ("product-id", "com.example.pro"), ("transaction-id", "1000000060683708"),
        ("original-transaction-id", "1000000059318468"), ("quantity", "1"), ("bid", "com.example"), ("bvrs", "8"),
        ("purchase-date-ms", "1355899272408"), ("purchase-date", "2012-12-19 06:41:12 Etc/GMT"),
    ]

    static func list(_ entries: [(String, String)]) -> String {
        "{\n" + entries.map { "\t\"\($0.0)\" = \"\($0.1)\";\n" }.joined() + "}"
    }

    static func xml(_ entries: [(String, String)]) -> String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">\n<dict>\n"
            + entries.map { "\t<key>\($0.0)</key>\n\t<string>\($0.1)</string>\n" }.joined() + "</dict>\n</plist>"
    }

    /// A receipt around a purchase, from the sandbox and signed with nothing.
    static func receipt(_ purchase: [(String, String)] = purchase, _ outer: [(String, String)]? = nil) -> String {
        let outer = outer ?? [("signature", "AgAA"), ("environment", "Sandbox")]
        return list([("purchase-info", base64(list(purchase)))] + outer)
    }

    static func base64(_ text: String) -> String { ReceiptDER.base64(Array(text.utf8)) }

    /// Base64 of a text in lines of `width`, each but the last ended by `lineEnd`.
    static func base64(_ text: String, at width: Int, _ lineEnd: String) -> String {
        ReceiptDER.base64(Array(text.utf8), width: width, lineEnd: lineEnd)
    }
}

extension Reading {
    /// The codes of the rejects, with path and inner offset: `receipt.date purchase-info › purchase_date_ms +17`.
    var findings: [String] { rejects.map { "\($0.code) \($0.path) +\($0.innerOffset)" } }
}
