public import TillCore

/// The defects of a text that is not a property list. Their offset counts bytes from the start of the property list.
extension Defect {
    /// The bytes end inside a value.
    public static let plistTruncated = plist("plist.truncated", "the property list ends inside a value")
    /// A byte that the grammar does not allow at this place.
    public static let plistSyntax = plist("plist.syntax", "a byte that a property list does not allow here")
    /// Bytes other than white space and comments after the value.
    public static let plistTrailing = plist("plist.trailing", "more text follows the property list")
    /// A backslash that begins no valid escape, such as half a surrogate pair.
    public static let plistEscape = plist("plist.escape", "a backslash that begins no escape of a property list")
    /// Data that is not whole bytes in hexadecimal, or in XML not valid base64.
    public static let plistData = plist("plist.data", "data that is not whole bytes")
    /// Bytes that are not UTF-8.
    public static let plistUTF8 = plist("plist.utf8", "bytes that are not UTF-8")
    /// More than ``PropertyListLimits/depth`` values inside one another.
    public static let plistDepth = plist(
        "plist.depth",
        "more than \(PropertyListLimits.depth) values inside one another (limit: depth)"
    )
    /// More than ``PropertyListLimits/byteCount`` bytes.
    public static let plistTooLarge = plist(
        "plist.too-large",
        "a property list of more than \(PropertyListLimits.byteCount >> 20) MiB (limit: property list size)"
    )
    /// A string of more than ``PropertyListLimits/textLength`` bytes.
    public static let plistTooLong = plist(
        "plist.too-long",
        "a string of more than \(PropertyListLimits.textLength >> 20) MiB (limit: string length)"
    )
    /// More than ``PropertyListLimits/valueCount`` values.
    public static let plistTooMany = plist(
        "plist.too-many",
        "more than \(PropertyListLimits.valueCount) values (limit: value count)"
    )
    /// XML that is not well-formed.
    public static let plistXML = plist("plist.xml", "the XML is not well-formed")
    /// An XML element that a property list does not have here.
    public static let plistElement = plist("plist.element", "an XML element that a property list does not have here")
    /// An XML entity that is not predefined, or a place where one could be declared.
    public static let plistEntity = plist(
        "plist.entity",
        "an entity that XML does not predefine, or declarations that could hold one"
    )
    /// XML, where libxml2 is not installed.
    public static let plistLibrary = plist(
        "plist.library",
        "an XML property list, and libxml2, which reads them, is not installed"
    )

    private static func plist(_ code: String, _ reason: String) -> Defect {
        Defect(code, reason, cause: .invalidPropertyList)
    }
}

extension RawSpan {
    /// The bytes of a range as text.
    ///
    /// - Throws: `plist.too-long` past ``PropertyListLimits/textLength``, `plist.utf8` for bytes that are not UTF-8.
    func propertyListText(_ range: Range<Int>) throws(Finding) -> String {
        guard range.count <= PropertyListLimits.textLength else {
            throw Finding(.plistTooLong, at: range.lowerBound)
        }
        let octets = extracting(range).withUnsafeBytes(Array.init)
        do {
            return String(copying: try UTF8Span(validating: octets.span)).streamSafe
        } catch {
            throw Finding(.plistUTF8, at: range.lowerBound + error.byteOffsets.lowerBound)
        }
    }
}
