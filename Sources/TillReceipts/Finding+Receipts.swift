public import TillCore
import TillInput
import TillJSON

/// The defects of documents. Their offset counts from the start of the decoded document, or of the chunk for JSON that
/// nothing wraps.
extension Defect {
    // MARK: Documents

    public static let unrecognized = Defect(
        "sniff.unrecognized",
        "this is not a receipt, response or event that tillroll knows",
        cause: .unrecognized
    )
    public static let otherFormat = Defect(
        "sniff.other-format",
        "this is of another format than the one that --from asks for",
        cause: .otherFormat
    )
    public static let tooDeep = Defect(
        "document.depth",
        "more than \(DocumentReader.wrapLimit) wrappers inside one another (limit: wrapping depth)"
    )
    public static let tooLarge = Defect(
        "document.too-large",
        "the document is longer than --max-document allows (limit: document size)",
        cause: .tooLarge
    )
    public static let openArray = Defect(
        "json.truncated",
        "an array of documents is not closed; the input may be cut short"
    )
    public static let unsearched = Defect(
        "document.search",
        "more of the document, beside what was found in it, is too deep or too large to be searched (limit: search)"
    )
    public static let innerJSON = Defect("document.json", "a string that must contain JSON is not JSON")
    public static let trailing = Defect(
        "document.trailing",
        "the text that holds the document goes on with bytes that are no document"
    )
    public static let fragment = Defect(
        "document.fragment",
        "this is a piece of a response or receipt, without the status and the environment of the whole"
    )

    // MARK: JWS

    public static let segments = Defect(
        "jws.segments",
        "a compact JWS has three segments of base64url, with a period between them"
    )
    public static let header = Defect("jws.header", "the header of a JWS must be a JSON object")
    public static let payload = Defect(
        "jws.payload",
        "the payload of a JWS names no transaction, renewal, app transaction or notification"
    )

    // MARK: Receipts and events

    public static let empty = Defect("receipt.empty", "the document is empty")
    public static let type = Defect("receipt.type", "an object or array in place of a plain value, or the reverse")
    public static let integer = Defect(
        "receipt.integer",
        "a value that is not an integer, or one too large for its field"
    )
    public static let boolean = Defect("receipt.boolean", "a value that is neither true nor false")
    public static let date = Defect(
        "receipt.date",
        "a value that is not a date; a date and time need a zone, such as Z or Etc/GMT"
    )
    public static let dateRange = Defect(
        "receipt.date-range",
        "a date before the App Store opened (10 July 2008) or after the year 9999; the value is likely in seconds or microseconds"
    )
    public static let noPurchaseDate = Defect(
        "receipt.date-range",
        "a purchase without a date: its value means \"no date\""
    )
    public static let price = Defect("receipt.price", "a value that is not a price in thousandths of a unit")
    public static let utf8 = Defect("receipt.utf8", "text that is not UTF-8")
    public static let transaction = Defect(
        "receipt.transaction",
        "an object among the transactions that has no member of a transaction"
    )
    public static let purchaseInfo = Defect(
        "legacy.purchase-info",
        "a purchase that names neither its product nor its transaction"
    )
    public static let errorCode = Defect("event.error-code", "an error whose code is missing or no integer of 64 bits")

    // MARK: Delimited text

    public static let csvCells = Defect("csv.cells", "a row that has more or fewer cells than the header")
    public static let csvEmptyCell = Defect("csv.empty-cell", "a row with nothing in the column of receipts")
    public static let csvQuote = Defect("csv.quote", "a cell whose quotes are not closed, or closed before its end")

    // MARK: ASN.1 and PKCS#7

    public static let berTruncated = Defect("ber.truncated", "the bytes end inside an ASN.1 element")
    public static let pastParent = Defect("ber.past-parent", "an ASN.1 element is longer than the one that holds it")
    public static let lengthTooLong = Defect(
        "ber.length-too-long",
        "an ASN.1 length of more than four bytes (limit: length width)"
    )
    public static let longTag = Defect("ber.long-tag", "an ASN.1 tag number above 30, which no receipt uses")
    public static let nesting = Defect(
        "ber.depth",
        "more than \(BERCursor.depthLimit) ASN.1 elements inside one another (limit: depth)"
    )
    public static let unexpectedTag = Defect(
        "ber.unexpected-tag",
        "an ASN.1 element of another type than a receipt has here"
    )
    public static let contentType = Defect("pkcs7.content-type", "this is PKCS#7 but no signed data")
    public static let attribute = Defect("pkcs7.attribute", "a receipt attribute that is not type, version and value")
    public static let wideInteger = Defect("pkcs7.integer", "an ASN.1 integer of more than 64 bits")
}

extension Finding {
    /// A defect inside a string that contains another document, as a defect of that string.
    ///
    /// Offsets inside the string are not offsets in the document, so the offset of the string is used. A string that
    /// ends too early is a final error; it must not look like an incomplete document.
    func inside(_ token: JSONToken) -> Finding {
        isOfJSON ? Finding(.innerJSON, at: token.start) : at(token.start)
    }
}
