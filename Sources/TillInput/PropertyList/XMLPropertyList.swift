import CLibXML2
public import TillCore

/// Reads an XML property list with `xmlTextReader` of libxml2, node by node.
///
///     <?xml …?> <!DOCTYPE plist PUBLIC … "http://…/PropertyList-1.0.dtd">     the DTD is never fetched
///     <plist version="1.0">
///       <dict> <key>transaction-id</key> <string>1000000046178817</string> … </dict>
///     </plist>
///
/// Elements are `dict`, `array`, `string`, `data`, `integer`, `real`, `date`, `true` and `false`. The last five become
/// strings (``PropertyListValue``). The bytes are read as UTF-8, whatever the declaration says. libxml2 may not use the
/// network. A document that declares an entity, or refers to one that XML does not predefine, is an error
/// (``XMLMarkup``).
public struct XMLPropertyList {
    private let xml: till_xml_functions
    private var tags: [XMLMarkup.Tag]
    /// Start tags that were read.
    private var tagCount = 0
    /// Dictionaries and arrays that are open, outermost first.
    private var open: [Container] = []
    /// The open element that holds text.
    private var leaf: Leaf?
    /// Whether the `plist` element has begun.
    private var isInside = false
    private var result: PropertyListValue?
    private var valueCount = 0

    private struct Container {
        var offset: Int
        var isDictionary: Bool
        var key: String?
        var entries: [PropertyListValue.Entry] = []
        var elements: [PropertyListValue] = []

        var value: PropertyListValue {
            PropertyListValue(isDictionary ? .dictionary(entries) : .array(elements), at: offset)
        }
    }

    /// An element that holds text.
    private struct Leaf {
        var name: String
        var offset: Int
        var text = ""
    }

    /// Reads the property list that fills `bytes`.
    public static func parse(_ bytes: RawSpan) throws(Finding) -> PropertyListValue {
        guard bytes.byteCount <= PropertyListLimits.byteCount else {
            throw Finding(.plistTooLarge, at: PropertyListLimits.byteCount)
        }
        let octets = bytes.withUnsafeBytes(Array.init)
        do {
            _ = try UTF8Span(validating: octets.span)
        } catch {
            throw Finding(.plistUTF8, at: error.byteOffsets.lowerBound)
        }
        let tags = try XMLMarkup(bytes).tags
        guard let xml = library else { throw Finding(.plistLibrary) }
        var list = XMLPropertyList(xml, tags)
        try list.read(octets)
        guard let result = list.result else { throw list.error(.plistElement) }
        return result
    }

    private init(_ xml: till_xml_functions, _ tags: [XMLMarkup.Tag]) {
        self.xml = xml
        self.tags = tags
    }

    /// The last start tag that was read.
    private var tag: XMLMarkup.Tag {
        tagCount > 0 && tagCount <= tags.count ? tags[tagCount - 1] : XMLMarkup.Tag(start: 0, end: 0)
    }

    private func error(_ defect: Defect) -> Finding { Finding(defect, at: tag.start) }
}

// MARK: - The reader

extension XMLPropertyList {
    /// libxml2, opened at its first use; `nil` where it is not installed.
    private static let library: till_xml_functions? = {
        var functions = till_xml_functions()
        return till_xml_open(&functions) == nil ? functions : nil
    }()

    // Without XML_PARSE_NOENT, _DTDLOAD, _DTDATTR and _HUGE, libxml2 replaces no entity, loads no DTD, and keeps its
    // own limits.
    private static let options =
        XML_PARSE_NONET.rawValue | XML_PARSE_NOERROR.rawValue | XML_PARSE_NOWARNING.rawValue
        | XML_PARSE_IGNORE_ENC.rawValue

    private mutating func read(_ octets: [UInt8]) throws(Finding) {
        var failure: Finding?
        octets.withUnsafeBytes { buffer in
            let start = buffer.bindMemory(to: CChar.self).baseAddress
            guard let reader = xml.xmlReaderForMemory(start, Int32(buffer.count), nil, "UTF-8", Int32(Self.options))
            else {
                failure = Finding(.plistXML)
                return
            }
            defer { xml.xmlFreeTextReader(reader) }
            xml.xmlResetLastError()
            do throws(Finding) {
                while true {
                    switch xml.xmlTextReaderRead(reader) {
                    case 1: try take(reader)
                    case 0: return
                    default: throw Finding(.plistXML, at: errorOffset(in: buffer))
                    }
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    /// The offset of the last error, from its line and column.
    private func errorOffset(in buffer: UnsafeRawBufferPointer) -> Int {
        guard let error = xml.xmlGetLastError() else { return 0 }
        var (line, start) = (1, 0)
        while line < error.pointee.line, let lineFeed = buffer[start...].firstIndex(of: 0x0A) {
            line += 1
            start = lineFeed + 1
        }
        return min(start + max(0, Int(error.pointee.int2) - 1), buffer.count)
    }

    private mutating func take(_ reader: xmlTextReaderPtr) throws(Finding) {
        let type = xmlReaderTypes(rawValue: UInt32(bitPattern: xml.xmlTextReaderNodeType(reader)))
        switch type {
        case XML_READER_TYPE_ELEMENT:
            tagCount += 1
            let name = Self.text(xml.xmlTextReaderConstLocalName(reader))
            let isEmpty = xml.xmlTextReaderIsEmptyElement(reader) == 1
            try start(name)
            if isEmpty { try end(name) }
        case XML_READER_TYPE_END_ELEMENT: try end(Self.text(xml.xmlTextReaderConstLocalName(reader)))
        case XML_READER_TYPE_TEXT, XML_READER_TYPE_CDATA:
            guard leaf != nil else { throw Finding(.plistSyntax, at: tag.end) }
            leaf?.text += Self.text(xml.xmlTextReaderConstValue(reader))
        case XML_READER_TYPE_WHITESPACE, XML_READER_TYPE_SIGNIFICANT_WHITESPACE:
            leaf?.text += Self.text(xml.xmlTextReaderConstValue(reader))
        case XML_READER_TYPE_ENTITY_REFERENCE, XML_READER_TYPE_ENTITY: throw error(.plistEntity)
        default: break
        }
    }

    /// A text of libxml2, which is UTF-8; empty for NULL.
    private static func text(_ pointer: UnsafePointer<xmlChar>?) -> String {
        pointer.map { String(cString: $0).streamSafe } ?? ""
    }
}

// MARK: - The tree

extension XMLPropertyList {
    private mutating func start(_ name: String) throws(Finding) {
        guard leaf == nil else { throw error(.plistElement) }
        switch name {
        case "plist":
            guard !isInside, result == nil else { throw error(.plistElement) }
            isInside = true
        case "dict", "array":
            try expectValue()
            guard open.count < PropertyListLimits.depth else { throw error(.plistDepth) }
            open.append(Container(offset: tag.start, isDictionary: name == "dict"))
        case "key":
            guard let container = open.last, container.isDictionary, container.key == nil else {
                throw error(.plistElement)
            }
            leaf = Leaf(name: name, offset: tag.end)
        case "string", "data", "integer", "real", "date", "true", "false":
            try expectValue()
            leaf = Leaf(name: name, offset: tag.end)
        default: throw error(.plistElement)
        }
    }

    /// Counts a value and checks that it may stand here: one in `plist`, any number in an array, one after each key.
    private mutating func expectValue() throws(Finding) {
        valueCount += 1
        guard valueCount <= PropertyListLimits.valueCount else { throw error(.plistTooMany) }
        if let container = open.last {
            guard !container.isDictionary || container.key != nil else { throw error(.plistElement) }
        } else {
            guard isInside, result == nil else { throw error(.plistElement) }
        }
    }

    private mutating func end(_ name: String) throws(Finding) {
        if var finished = leaf {
            leaf = nil
            guard finished.text.utf8.count <= PropertyListLimits.textLength else {
                throw Finding(.plistTooLong, at: finished.offset)
            }
            finished.text = finished.text.streamSafe
            if finished.name == "key" {
                open[open.count - 1].key = finished.text
            } else {
                put(PropertyListValue(try content(of: finished), at: finished.offset))
            }
        } else if let container = open.popLast() {
            // A key without a value. The error is at the last start tag, which is that of the key.
            guard container.key == nil else { throw error(.plistElement) }
            put(container.value)
        }
    }

    private func content(of leaf: Leaf) throws(Finding) -> PropertyListValue.Content {
        switch leaf.name {
        case "string": return .string(leaf.text)
        case "true", "false": return .string(leaf.name)
        case "data":
            // Indentation is removed first, because ``Base64`` can take a space for a `+`.
            let digits = leaf.text.utf8.filter { $0 > 0x20 }
            var octets: [UInt8] = []
            do {
                try Base64.decode(digits.span.bytes, into: &octets)
            } catch {
                throw Finding(.plistData, at: leaf.offset)
            }
            return .data(octets)
        default:
            let isSpace: (Character) -> Bool = { $0 == " " || $0.isNewline || $0 == "\t" }
            let start = leaf.text.drop(while: isSpace)
            return .string(String(start.reversed().drop(while: isSpace).reversed()))
        }
    }

    private mutating func put(_ value: PropertyListValue) {
        guard let last = open.indices.last else {
            result = value
            return
        }
        if open[last].isDictionary, let key = open[last].key {
            open[last].entries.append(PropertyListValue.Entry(key: key, value: value))
            open[last].key = nil
        } else {
            open[last].elements.append(value)
        }
    }
}
