extension Framer {
    static let xmlEnd = Array("</plist>".utf8)

    /// Elements of a property list that hold text. In text, a line may begin with anything.
    private static let textElements = ["string", "data", "key", "integer", "real", "date"].map { Array("<\($0)>".utf8) }

    /// Bytes of a line that are needed to tell what begins there.
    private static let lineHeadByteCount = 300

    /// Where the XML property list at `start` ends: after its end tag, or, without an end tag, before the next line
    /// that begins a document, or else at the end of the input.
    ///
    /// After a tag that opens no text, only another tag may follow, so a line that begins another document ends the
    /// list. In text, only JSON or another property list ends it, because no receipt has these there.
    ///
    /// - Returns: `nil` where the end is not among the bytes yet.
    public static func endOfXML(in bytes: RawSpan, at start: Int, limit: Int, isFinal: Bool) -> Int? {
        var scan = XMLScan()
        var index = start
        while index < limit {
            switch bytes.byte(index) {
            case 0x3C:
                // The bytes behind `limit` are not part of the tag.
                if bytes.matches(xmlEnd, at: index), index + xmlEnd.count <= limit { return index + xmlEnd.count }
                scan.enterTag(in: bytes, at: index)
                index += 1
            case 0x3E:
                scan.leaveTag(in: bytes, at: index)
                index += 1
            case 0x0A:
                let line = index + 1
                guard isFinal || limit - line >= lineHeadByteCount else { return nil }
                if scan.isEnded(byLineAt: line, in: bytes, limit: limit) { return index }
                index = line
            default: index += 1
            }
        }
        return isFinal ? limit : nil
    }

    /// The state of reading an XML property list, by which a line can or cannot belong to it.
    private struct XMLScan {
        private var hasDocumentType = false
        private var hasRoot = false
        /// Where the last tag begins.
        private var tag = 0
        /// Whether the scan is inside that tag.
        private var isInTag = false
        /// Whether the last complete tag opened an element that holds text.
        private var isInText = false

        mutating func enterTag(in bytes: RawSpan, at index: Int) {
            hasDocumentType = hasDocumentType || bytes.matches(xmlBeginnings[1], at: index)
            hasRoot = hasRoot || bytes.matches(xmlBeginnings[2], at: index)
            (tag, isInTag) = (index, true)
        }

        mutating func leaveTag(in bytes: RawSpan, at index: Int) {
            guard isInTag else { return }
            isInTag = false
            isInText = textElements.contains { $0.count == index + 1 - tag && bytes.matches($0, at: tag) }
        }

        /// Whether the line at `line` begins another document.
        func isEnded(byLineAt line: Int, in bytes: RawSpan, limit: Int) -> Bool {
            var first = line
            while first < limit, [0x20, 0x09, 0x0D].contains(bytes.byte(first)) { first += 1 }
            guard first < limit, bytes.byte(first) != 0x0A else { return false }
            if bytes.byte(first) == 0x3C {
                return bytes.matches(xmlBeginnings[0], at: line)
                    || hasDocumentType && bytes.matches(xmlBeginnings[1], at: line)
                    || hasRoot
                        && (bytes.matches(xmlBeginnings[1], at: line) || bytes.matches(xmlBeginnings[2], at: line))
            }
            // A tag, a comment, a declaration and a text may span lines.
            if isInTag || isInText { return beginsJSON(bytes, line, limit) }
            return first == line && beginsDocument(bytes, line, limit)
        }

        private func beginsJSON(_ bytes: RawSpan, _ line: Int, _ limit: Int) -> Bool {
            var index = line
            if bytes.byte(index) == 0x5B { index += 1 }
            guard index + 1 < limit, bytes.byte(index) == 0x7B, bytes.byte(index + 1) == 0x22 else { return false }
            return start(in: bytes, at: index, limit: limit) == .json
        }

        private static let base64Beginnings = ["MI", "TU", "ew", "ey", "PD94", "PHBs"].map { Array($0.utf8) }

        private func beginsDocument(_ bytes: RawSpan, _ line: Int, _ limit: Int) -> Bool {
            switch start(in: bytes, at: line, limit: limit) {
            case .json, .propertyList, .pem: return true
            case .text where bytes.byte(line) == 0x5B: return true
            case .text:
                let head = line..<min(limit, line + lineHeadByteCount)
                let end = bytes.firstIndex(of: 0x0A, from: head.lowerBound, to: head.upperBound) ?? head.upperBound
                if beginsEntry(in: bytes, at: line, to: end) { return true }
                return Self.base64Beginnings.contains { bytes.matches($0, at: line) }
                    && Base64.head(of: bytes, in: line..<end, digits: 60) != nil
            case .xml, .der, .nothing: return false
            }
        }
    }
}
