/// Why text is not a property list, and where.
public struct PropertyListError: Error, Hashable, Sendable {
    /// The raw values are stable: they appear in the rows of rejects.
    public enum Code: String, Sendable, CaseIterable {
        /// The bytes end inside a value.
        case truncated = "plist.truncated"
        /// A byte that the grammar does not allow at this place.
        case syntax = "plist.syntax"
        /// Bytes other than white space and comments after the value.
        case trailing = "plist.trailing"
        /// A backslash that begins no valid escape, such as half a surrogate pair.
        case escape = "plist.escape"
        /// Data that is not whole bytes in hexadecimal, or in XML not valid base64.
        case data = "plist.data"
        /// Bytes that are not UTF-8.
        case utf8 = "plist.utf8"
        /// More than ``PropertyListLimits/depth`` values inside one another.
        case depth = "plist.depth"
        /// More than ``PropertyListLimits/byteCount`` bytes.
        case tooLarge = "plist.too-large"
        /// A string of more than ``PropertyListLimits/textLength`` bytes.
        case tooLong = "plist.too-long"
        /// More than ``PropertyListLimits/valueCount`` values.
        case tooMany = "plist.too-many"
        /// XML that is not well-formed.
        case xml = "plist.xml"
        /// An XML element that a property list does not have here.
        case element = "plist.element"
        /// An XML entity that is not predefined, or a place where one could be declared.
        case entity = "plist.entity"
        /// XML, where libxml2 is not installed.
        case library = "plist.library"
    }

    /// The kind of defect; ``reason`` tells it in words.
    public var code: Code
    /// Bytes from the start of the property list.
    public var offset: Int

    /// Makes an error; `offset` counts bytes from the start of the property list.
    public init(_ code: Code, at offset: Int) {
        self.code = code
        self.offset = offset
    }

    /// One clause for a person.
    public var reason: String {
        switch code {
        case .truncated: "the property list ends inside a value"
        case .syntax: "a byte that a property list does not allow here"
        case .trailing: "something stands behind the property list"
        case .escape: "a backslash that begins no escape of a property list"
        case .data: "data that is not whole bytes"
        case .utf8: "bytes that are not UTF-8"
        case .depth: "more than \(PropertyListLimits.depth) values inside one another (limit: depth)"
        case .tooLarge:
            "a property list of more than \(PropertyListLimits.byteCount >> 20) MiB (limit: property list size)"
        case .tooLong: "a string of more than \(PropertyListLimits.textLength >> 20) MiB (limit: string length)"
        case .tooMany: "more than \(PropertyListLimits.valueCount) values (limit: value count)"
        case .xml: "the XML is not well-formed"
        case .element: "an XML element that a property list does not have here"
        case .entity: "an entity that XML does not predefine, or declarations that could hold one"
        case .library: "an XML property list, and libxml2, which reads them, is not installed"
        }
    }
}

extension RawSpan {
    /// The bytes of a range as text.
    ///
    /// - Throws: `tooLong` past ``PropertyListLimits/textLength``, `utf8` for bytes that are not UTF-8.
    func propertyListText(_ range: Range<Int>) throws(PropertyListError) -> String {
        guard range.count <= PropertyListLimits.textLength else {
            throw PropertyListError(.tooLong, at: range.lowerBound)
        }
        let octets = extracting(range).withUnsafeBytes(Array.init)
        do {
            return String(copying: try UTF8Span(validating: octets.span))
        } catch {
            throw PropertyListError(.utf8, at: range.lowerBound + error.byteOffsets.lowerBound)
        }
    }
}
