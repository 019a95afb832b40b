/// Why a document cannot be decoded, and the offset of the defect.
public struct DecodeError: Error, Hashable, Sendable {
    /// Stable names, `area.defect`; they appear in reject rows and golden files.
    public enum Code: String, Sendable, CaseIterable {
        case unrecognized = "sniff.unrecognized"
        case otherFormat = "sniff.other-format"
        case tooDeep = "document.depth"
        case tooLarge = "document.too-large"
        case unsearched = "document.search"
        case innerJSON = "document.json"
        case trailing = "document.trailing"
        case fragment = "document.fragment"
        case segments = "jws.segments"
        case header = "jws.header"
        case payload = "jws.payload"
        case empty = "receipt.empty"
        case type = "receipt.type"
        case integer = "receipt.integer"
        case boolean = "receipt.boolean"
        case date = "receipt.date"
        case dateRange = "receipt.date-range"
        case price = "receipt.price"
        case utf8 = "receipt.utf8"
        case transaction = "receipt.transaction"
        case purchaseInfo = "legacy.purchase-info"
        case errorCode = "event.error-code"
        case csvCells = "csv.cells"
        case csvEmptyCell = "csv.empty-cell"
        case csvQuote = "csv.quote"
        case truncated = "ber.truncated"
        case pastParent = "ber.past-parent"
        case lengthTooLong = "ber.length-too-long"
        case longTag = "ber.long-tag"
        case nesting = "ber.depth"
        case unexpectedTag = "ber.unexpected-tag"
        case contentType = "pkcs7.content-type"
        case attribute = "pkcs7.attribute"
        case wideInteger = "pkcs7.integer"
    }

    /// The kind of defect; ``reason`` tells it in words.
    public var code: Code
    /// The offset in the bytes that the decoder was given: those of the decoded document, or of the chunk for JSON that
    /// nothing wraps.
    public var offset: Int

    /// Makes an error; `offset` is a position in the bytes that the decoder was given.
    public init(_ code: Code, at offset: Int) {
        self.code = code
        self.offset = offset
    }

    /// One sentence for a person.
    public var reason: String {
        switch code {
        case .unrecognized: "this is not a receipt, response or event that tillroll knows"
        case .otherFormat: "this is of another format than the one that --from asks for"
        case .tooDeep: "more than \(DocumentReader.wrapLimit) wrappers inside one another (limit: wrapping depth)"
        case .tooLarge: "the document is longer than --max-document allows (limit: document size)"
        case .unsearched:
            "more of the document, beside what was found in it, is too deep or too large to be searched (limit: search)"
        case .innerJSON: "a string that must contain JSON is not JSON"
        case .trailing: "bytes behind the document, in the text that holds it, that are no document"
        case .fragment: "this is a piece of a response or receipt, without the status and the environment of the whole"
        case .segments: "a compact JWS has three segments of base64url, with a period between them"
        case .header: "the header of a JWS must be a JSON object"
        case .payload: "the payload of a JWS names no transaction, renewal, app transaction or notification"
        case .empty: "the document is empty"
        case .type: "an object or array in place of a plain value, or the reverse"
        case .integer: "a value that is not an integer, or one too large for its field"
        case .boolean: "a value that is neither true nor false"
        case .date: "a value that is not a date; a date and time need a zone, such as Z or Etc/GMT"
        case .dateRange:
            "a date before the App Store opened (10 July 2008) or after the year 9999; the value is likely in seconds or microseconds"
        case .price: "a value that is not a price in thousandths of a unit"
        case .utf8: "text that is not UTF-8"
        case .transaction: "an object among the transactions that has no member of a transaction"
        case .purchaseInfo: "a purchase that names neither its product nor its transaction"
        case .errorCode: "an error whose code is missing or no integer of 64 bits"
        case .csvCells: "a row that has more or fewer cells than the header"
        case .csvEmptyCell: "a row with nothing in the column of receipts"
        case .csvQuote: "a cell whose quotes are not closed, or closed before its end"
        case .truncated: "the bytes end inside an ASN.1 element"
        case .pastParent: "an ASN.1 element is longer than the one that holds it"
        case .lengthTooLong: "an ASN.1 length of more than four bytes (limit: length width)"
        case .longTag: "an ASN.1 tag number above 30, which no receipt uses"
        case .nesting: "more than \(BERCursor.depthLimit) ASN.1 elements inside one another (limit: depth)"
        case .unexpectedTag: "an ASN.1 element of another type than a receipt has here"
        case .contentType: "this is PKCS#7 but no signed data"
        case .attribute: "a receipt attribute that is not type, version and value"
        case .wideInteger: "an ASN.1 integer of more than 64 bits"
        }
    }
}
