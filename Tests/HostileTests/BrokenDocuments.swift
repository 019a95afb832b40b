import TillTestSupport

/// One document with one defect, and where it must be found.
struct BrokenDocument: Sendable, CustomStringConvertible {
    var name: String
    var bytes: [UInt8]
    var code: String
    /// Bytes from the start of the decoded document.
    var offset: Int
    var path: String

    var description: String { name }

    init(_ name: String, _ bytes: [UInt8], _ code: String, at offset: Int, path: String = "") {
        (self.name, self.bytes, self.code, self.offset, self.path) = (name, bytes, code, offset, path)
    }

    init(_ name: String, _ text: String, _ code: String, at offset: Int, path: String = "") {
        self.init(name, Array(text.utf8), code, at: offset, path: path)
    }
}

/// The defects, a table each: JSON, ASN.1, base64 and JWS, property lists.
enum BrokenDocuments {
    static let all = json + asn1 + encoded + propertyLists

    /// Objects and arrays inside one another, `depth` of them in all, the first three those of a response.
    static func nested(_ depth: Int) -> String {
        let inner = String(repeating: "[", count: depth - 3) + String(repeating: "]", count: depth - 3)
        return #"{"receipt":{"in_app":[],"x":["# + inner + "]},\"status\":0}"
    }

    private static let response = #"{"status":0,"receipt":{"in_app":[{"#

    static let json: [BrokenDocument] = [
        BrokenDocument("empty string", #"{"receipt-data":""}"#, "receipt.empty", at: 0, path: "receipt-data"),
        BrokenDocument("cut value", #"{"status":0,"environment":"Sand"#, "json.truncated", at: 31, path: "environment"),
        BrokenDocument(
            "NUL inside a string",
            "{\"status\":0,\"environment\":\"a\u{0}b\"}",
            "json.control-character",
            at: 28,
            path: "environment"
        ),
        BrokenDocument("NUL between tokens", "{\"status\":\u{0}0}", "json.syntax", at: 10, path: "status"),
        BrokenDocument("byte order mark inside", "{\"status\":\u{FEFF}0}", "json.syntax", at: 10, path: "status"),
        BrokenDocument(
            "not UTF-8 in a value",
            Array(#"{"status":0,"environment":""#.utf8) + [0xFF] + Array("\"}".utf8),
            "json.utf8",
            at: 27,
            path: "environment"
        ),
        BrokenDocument(
            "not UTF-8 in a key",
            Array(#"{"status":0,""#.utf8) + [0xC3, 0x28] + Array("\":1}".utf8),
            "json.utf8",
            at: 13,
            path: "status"
        ),
        BrokenDocument(
            "overlong UTF-8",
            Array(#"{"status":0,"x":""#.utf8) + [0xC0, 0xAF] + Array("\"}".utf8),
            "json.utf8",
            at: 17,
            path: ""
        ),
        BrokenDocument("status of 2⁶⁴", #"{"status":18446744073709551616}"#, "sniff.unrecognized", at: 0),
        BrokenDocument("status of 2³¹", #"{"status":2147483648}"#, "sniff.unrecognized", at: 0),
        BrokenDocument("status with a fraction", #"{"status":0.5}"#, "sniff.unrecognized", at: 0),
        BrokenDocument(
            "status with a huge exponent",
            #"{"status":1e999999999}"#,
            "sniff.unrecognized",
            at: 0
        ),
        BrokenDocument("number with a leading zero", #"{"status":01}"#, "json.number", at: 11, path: "status"),
        BrokenDocument("number that is none", #"{"status":-}"#, "json.number", at: 11, path: "status"),
        BrokenDocument("status that is an object", #"{"status":{}}"#, "sniff.unrecognized", at: 0),
        BrokenDocument(
            "quantity that is a list",
            response + #""quantity":[1]}]}}"#,
            "receipt.type",
            at: 45,
            path: "in_app[0] › quantity"
        ),
        BrokenDocument(
            "quantity past 32 bits",
            response + #""quantity":"99999999999"}]}}"#,
            "receipt.integer",
            at: 46,
            path: "in_app[0] › quantity"
        ),
        BrokenDocument(
            "date out of range",
            response + #""purchase_date_ms":"99999999999999999999"}]}}"#,
            "receipt.date",
            at: 54,
            path: "in_app[0] › purchase_date_ms"
        ),
        BrokenDocument(
            "date that is none",
            response + #""purchase_date":"2020-02-30 00:00:00 Etc/GMT"}]}}"#,
            "receipt.date",
            at: 51,
            path: "in_app[0] › purchase_date"
        ),
        BrokenDocument(
            "flag that is neither",
            response + #""is_trial_period":"maybe"}]}}"#,
            "receipt.boolean",
            at: 53,
            path: "in_app[0] › is_trial_period"
        ),
        BrokenDocument(
            "list that is a number",
            #"{"status":0,"latest_receipt_info":5}"#,
            "receipt.type",
            at: 34,
            path: "latest_receipt_info"
        ),
        BrokenDocument(
            "element that is a number",
            #"{"status":0,"latest_receipt_info":[5]}"#,
            "receipt.type",
            at: 35,
            path: "latest_receipt_info[0]"
        ),
        BrokenDocument(
            "element that is no transaction",
            #"{"status":0,"latest_receipt_info":[{}]}"#,
            "receipt.transaction",
            at: 35,
            path: "latest_receipt_info[0]"
        ),
        BrokenDocument("129 levels", nested(129), "json.depth", at: 154, path: "receipt"),
        BrokenDocument(
            "nothing but brackets",
            #"{"x":"# + String(repeating: "[", count: 200_000),
            "json.depth",
            at: 132
        ),
    ]

    static let asn1: [BrokenDocument] = {
        let whole = ReceiptDER.sample().der
        var pastParent = whole
        // The ContentInfo holds an OID of nine bytes, then [0], whose length is made to reach past its parent.
        pastParent[17] = 0xFF
        let deep = (0..<40).reduce(DER.octets([])) { inner, _ in DER.element(0x24, inner, lengthWidth: 4) }
        let payload: (([UInt8]) -> [UInt8]) = { ReceiptDER([$0]).der }
        return [
            BrokenDocument("length past the end", Array(whole.dropLast(10)), "ber.truncated", at: 0),
            BrokenDocument("length past the parent", pastParent, "ber.truncated", at: 15),
            BrokenDocument(
                "length of nine octets",
                // It is not DER, and so one line of text.
                [0x30, 0x89] + whole.dropFirst(2).filter { $0 != 0x0A },
                "sniff.unrecognized",
                at: 0
            ),
            BrokenDocument("strings inside one another", ReceiptDER.wrap(deep), "ber.depth", at: 208),
            BrokenDocument(
                "attribute of two members",
                payload(DER.sequence(DER.integer(2), DER.integer(1))),
                "pkcs7.attribute",
                at: 45
            ),
            BrokenDocument(
                "quantity of nine octets",
                payload(
                    ReceiptDER.purchase([ReceiptDER.attribute(1701, DER.element(2, Array(repeating: 1, count: 9)))])
                ),
                "pkcs7.integer",
                at: 70,
                path: "17[0] › 1701"
            ),
            BrokenDocument(
                "text that is not UTF-8",
                payload(ReceiptDER.attribute(2, [0x0C, 2, 0xC3, 0x28])),
                "receipt.utf8",
                at: 57,
                path: "2"
            ),
            BrokenDocument(
                "date that is none",
                payload(ReceiptDER.attribute(12, DER.ia5("2020-13-01T00:00:00Z"))),
                "receipt.date",
                at: 59,
                path: "12"
            ),
            BrokenDocument(
                "no signed data",
                DER.element(0x30, Array(ReceiptDER.data) + Array(repeating: 0, count: 200)),
                "sniff.unrecognized",
                at: 0
            ),
        ]
    }()

    static let encoded: [BrokenDocument] = [
        BrokenDocument("byte that is no base64", "MIIT*", "base64.character", at: 4),
        BrokenDocument("digit left over", "MIITA", "base64.truncated", at: 5),
        BrokenDocument("base64 of nothing known", "aGVsbG8=", "sniff.unrecognized", at: 0),
        BrokenDocument("JWS of two segments", "eyJhIjoxfQ.e30", "jws.segments", at: 14),
        BrokenDocument("JWS of nothing known", "eyJhbGciOiJFUzI1NiJ9.eyJhIjoxfQ.AA", "jws.payload", at: 0),
        BrokenDocument("words", "hello, world", "sniff.unrecognized", at: 0),
        BrokenDocument(
            "UTF-16",
            Array("\u{FEFF}".utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] })
                + "{\"status\":21003}".utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] },
            "sniff.unrecognized",
            at: 0
        ),
    ]

    static let propertyLists: [BrokenDocument] = [
        BrokenDocument("list without an end", "{ product-id = a; transaction-id = 1;", "plist.truncated", at: 37),
        BrokenDocument(
            "bytes that are not UTF-8",
            Array("{ product-id = \"".utf8) + [0xFF] + Array("\"; }".utf8),
            "plist.utf8",
            at: 16
        ),
        BrokenDocument("list in lists", "{ a = " + String(repeating: "(", count: 200) + "; }", "plist.depth", at: 69),
        BrokenDocument("XML without an end", "<plist><dict><key>product-id</key>", "plist.truncated", at: 34),
        BrokenDocument(
            "XML with an entity",
            "<!DOCTYPE plist [<!ENTITY a \"b\">]><plist><string>&a;</string></plist>",
            "plist.entity",
            at: 16
        ),
        BrokenDocument(
            "XML bytes that are not UTF-8",
            Array("<plist><string>".utf8) + [0xE9] + Array("</string></plist>".utf8),
            "plist.utf8",
            at: 15
        ),
        BrokenDocument(
            "XML in XML",
            "<plist>" + String(repeating: "<array>", count: 200) + String(repeating: "</array>", count: 200)
                + "</plist>",
            "plist.depth",
            at: 462
        ),
    ]
}
