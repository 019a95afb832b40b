import CLibXML2
import Testing

/// What libxml2 says about markup.
enum Markup {
    /// Errors of the strict parser; a page of tillroll is XML as well.
    static func xmlErrors(_ bytes: [UInt8]) -> [String] {
        errors(of: bytes) { memory, count in
            xmlReadMemory(memory, count, nil, "UTF-8", Int32(XML_PARSE_NONET.rawValue | XML_PARSE_NOWARNING.rawValue))
        }
    }

    /// Errors of the parser for HTML, which knows HTML 4: elements that came later are none.
    static func htmlErrors(_ bytes: [UInt8]) -> [String] {
        errors(of: bytes) { memory, count in
            htmlReadMemory(memory, count, nil, "UTF-8", Int32(HTML_PARSE_NONET.rawValue))
        }
        .filter { !$0.hasPrefix("\(XML_HTML_UNKNOWN_TAG.rawValue) ") }
    }

    /// The names of all elements and attributes, in document order.
    static func names(in bytes: [UInt8]) throws -> (elements: [String], attributes: [String]) {
        var elements: [String] = []
        var attributes: [String] = []
        try bytes.withUnsafeBytes { memory in
            let start = memory.baseAddress?.assumingMemoryBound(to: CChar.self)
            let options = Int32(XML_PARSE_NONET.rawValue | XML_PARSE_HUGE.rawValue)
            let reader = try #require(xmlReaderForMemory(start, Int32(memory.count), nil, "UTF-8", options))
            defer { xmlFreeTextReader(reader) }
            while xmlTextReaderRead(reader) == 1 {
                guard xmlTextReaderNodeType(reader) == Int32(XML_READER_TYPE_ELEMENT.rawValue) else { continue }
                elements.append(name(reader))
                while xmlTextReaderMoveToNextAttribute(reader) == 1 { attributes.append(name(reader)) }
            }
        }
        return (elements, attributes)
    }

    private static func name(_ reader: xmlTextReaderPtr) -> String {
        xmlTextReaderConstName(reader).map { String(cString: $0) } ?? ""
    }

    private final class Found {
        var errors: [String] = []
    }

    private static func errors(of bytes: [UInt8], parse: (UnsafePointer<CChar>?, Int32) -> xmlDocPtr?) -> [String] {
        let found = Found()
        let context = Unmanaged.passUnretained(found).toOpaque()
        xmlSetStructuredErrorFunc(context) { context, error in
            guard let context, let error else { return }
            let found = Unmanaged<Found>.fromOpaque(context).takeUnretainedValue()
            let message = error.pointee.message.map { String(cString: $0) } ?? ""
            found.errors.append("\(error.pointee.code) line \(error.pointee.line): \(message)")
        }
        defer { xmlSetStructuredErrorFunc(nil, nil) }
        let document = bytes.withUnsafeBytes { memory in
            parse(memory.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count))
        }
        if let document { xmlFreeDoc(document) } else { found.errors.append("0 nothing was parsed") }
        return found.errors
    }
}
