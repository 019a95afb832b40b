import CLibXML2
import TillCore

/// The elements and texts of an XML document, one after the other, through libxml2's `xmlTextReader`.
///
/// No entity is replaced, no DTD is loaded, neither network nor files are touched; a document that brings a document
/// type of its own is refused, so entities cannot be declared. Depth and text are bounded by libxml2's own limits.
struct XMLEvents: ~Copyable {
    enum Event {
        /// An element begins. An element without content also gets an ``end`` event.
        case start(name: String, namespace: String?, attributes: [String: String])
        case text(String)
        case end(name: String)
    }

    private let xml: till_xml_functions
    private let reader: xmlTextReaderPtr
    /// libxml2 reads from it until the reader is freed.
    private let bytes: UnsafeMutableBufferPointer<CChar>
    private var pendingEnd: String?
    private let code: String

    /// libxml2, opened when the first document is read; `nil` where it is not installed.
    private static let library: till_xml_functions? = {
        var functions = till_xml_functions()
        return till_xml_open(&functions) == nil ? functions : nil
    }()

    // No XML_PARSE_NOENT, _DTDLOAD, _DTDATTR or _HUGE: nothing is replaced or loaded, and libxml2 keeps its own limits.
    private static let options = XML_PARSE_NONET.rawValue | XML_PARSE_NOERROR.rawValue | XML_PARSE_NOWARNING.rawValue

    /// - Parameter code: the code of a document that cannot be read.
    init(_ octets: [UInt8], code: String) throws(Finding) {
        guard let xml = Self.library else {
            throw Finding(code, at: 1, "it is XML, and libxml2, which reads it, is not installed")
        }
        let bytes = UnsafeMutableBufferPointer<CChar>.allocate(capacity: max(1, octets.count))
        for (index, octet) in octets.enumerated() { bytes[index] = CChar(bitPattern: octet) }
        xml.xmlResetLastError()
        guard octets.count <= Int32.max,
            let reader = xml.xmlReaderForMemory(bytes.baseAddress, Int32(octets.count), nil, nil, Int32(Self.options))
        else {
            bytes.deallocate()
            throw Finding(code, at: 1, "it cannot be read as XML")
        }
        self.code = code
        self.xml = xml
        self.reader = reader
        self.bytes = bytes
    }

    deinit {
        xml.xmlFreeTextReader(reader)
        bytes.deallocate()
    }

    /// The line of the last event's element, from 1. The parser itself may have read further.
    var line: Int {
        let known = xml.xmlTextReaderCurrentNode(reader).map { Int(xml.xmlGetLineNo($0)) } ?? -1
        return max(1, known > 0 ? known : Int(xml.xmlTextReaderGetParserLineNumber(reader)))
    }

    /// The next event; `nil` at the end.
    mutating func next() throws(Finding) -> Event? {
        if let name = pendingEnd {
            pendingEnd = nil
            return .end(name: name)
        }
        while true {
            switch xml.xmlTextReaderRead(reader) {
            case 1: break
            case 0: return nil
            default: throw failure()
            }
            switch xmlReaderTypes(rawValue: UInt32(bitPattern: xml.xmlTextReaderNodeType(reader))) {
            case XML_READER_TYPE_ELEMENT: return start()
            case XML_READER_TYPE_END_ELEMENT: return .end(name: Self.text(xml.xmlTextReaderConstLocalName(reader)))
            case XML_READER_TYPE_TEXT, XML_READER_TYPE_CDATA:
                return .text(Self.text(xml.xmlTextReaderConstValue(reader)))
            case XML_READER_TYPE_DOCUMENT_TYPE, XML_READER_TYPE_ENTITY, XML_READER_TYPE_ENTITY_REFERENCE:
                throw Finding(code, at: line, "document types and entities are not read")
            default: continue
            }
        }
    }

    private mutating func start() -> Event {
        let name = Self.text(xml.xmlTextReaderConstLocalName(reader))
        let namespace = xml.xmlTextReaderConstNamespaceUri(reader).map { Self.text($0) }
        if xml.xmlTextReaderIsEmptyElement(reader) == 1 { pendingEnd = name }
        var attributes: [String: String] = [:]
        while xml.xmlTextReaderMoveToNextAttribute(reader) == 1 {
            attributes[Self.text(xml.xmlTextReaderConstName(reader))] = Self.text(xml.xmlTextReaderConstValue(reader))
        }
        _ = xml.xmlTextReaderMoveToElement(reader)
        return .start(name: name, namespace: namespace, attributes: attributes)
    }

    private func failure() -> Finding {
        guard let error = xml.xmlGetLastError(), let message = error.pointee.message else {
            return Finding(code, at: line, "it is not well-formed XML")
        }
        let text = String(cString: message).split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        return Finding(code, at: max(1, Int(error.pointee.line)), "it is not well-formed XML: \(text)")
    }

    /// libxml2 returns UTF-8; a missing text becomes an empty one.
    private static func text(_ pointer: UnsafePointer<xmlChar>?) -> String {
        pointer.map { String(cString: $0).streamSafe } ?? ""
    }
}
