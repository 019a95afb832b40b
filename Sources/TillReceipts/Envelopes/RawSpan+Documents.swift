import CKernels
import TillCore
import TillInput
import TillJSON

extension RawSpan {
    /// The text of a JSON string that begins as a JWS and ends before its third segment; `nil` for any other value.
    var cutJWS: [UInt8]? {
        guard let start = firstNonSpaceIndex, hasPrefix("\"eyJ", at: start), byte(byteCount - 1) == 0x22 else {
            return nil
        }
        let text = extracting(start + 1..<byteCount - 1)
        return text.periodsOfJWS.map { $0 < 2 } ?? false ? text.copied : nil
    }

    /// The number of periods in a text of digits of base64, padding and periods; `nil` for any other.
    var periodsOfJWS: Int? {
        var (periods, index) = (0, endOfDigits(from: 0))
        while index < byteCount {
            switch byte(index) {
            case 0x2E: periods += 1
            case 0x3D: break
            default: return nil
            }
            index = endOfDigits(from: index + 1)
        }
        return periods
    }

    /// One past the run of base64 digits, in either alphabet and without padding, that begins at an index; the index
    /// itself where there is none.
    func endOfDigits(from start: Int) -> Int {
        precondition(start >= 0 && start <= byteCount)
        return withUnsafeBytes { memory in
            memory.baseAddress.map { till_end_of_digits($0, start, memory.count) } ?? start
        }
    }

    /// Whether a string begins as a document does: an object, base64 of a receipt of either generation, or a JWS.
    ///
    /// Base64 of DER begins with `MI`, that of an ASCII property list with `ew`; base64 of the former with `TU`.
    /// Ordinary text may begin so too, so the length and the alphabet are checked as well.
    package var beginsLikeDocument: Bool {
        guard let start = firstNonSpaceIndex else { return false }
        let body = extracting(start..<byteCount)
        if body.byte(0) == 0x7B { return body.byteCount > 2 }
        if CompactJWS.recognizes(body) { return true }
        guard body.byteCount >= 64 else { return false }
        let beginning = (body.byte(0), body.byte(1))
        guard beginning == (0x4D, 0x49) || beginning == (0x65, 0x77) || beginning == (0x54, 0x55) else { return false }
        return (0..<48).allSatisfy { index in
            switch body.byte(index) {
            case 0x41...0x5A, 0x61...0x7A, 0x30...0x39, 0x2B, 0x2F, 0x2D, 0x5F: true
            default: false
            }
        }
    }

    /// Whether base64 begins like a certificate or a key, which dumps contain too: a SEQUENCE that begins with a
    /// SEQUENCE or an INTEGER. A receipt begins with an object identifier.
    var isOtherDER: Bool { firstTagInSequence.map { $0 == 0x30 || $0 == 0x02 } ?? false }

    /// Whether base64 begins with `MI`, as that of a receipt, but with no SEQUENCE that begins with an object identifier.
    var isOpaque: Bool { beginsLikeDER && firstTagInSequence != 0x06 }

    private var beginsLikeDER: Bool { byteCount >= 16 && byte(0) == 0x4D && byte(1) == 0x49 }

    /// The tag of the first element of the SEQUENCE with which base64 begins; `nil` if it begins with none.
    private var firstTagInSequence: UInt8? {
        guard beginsLikeDER else { return nil }
        var octets: [UInt8] = []
        guard (try? Base64.decode(extracting(0..<16), into: &octets)) != nil, octets.count > 8 else { return nil }
        let width = octets[1] > 0x80 ? Int(octets[1] & 0x7F) : 0
        guard octets[0] == 0x30, width <= 4 else { return nil }
        return octets[2 + width]
    }

    /// Where the base64 with which the text begins ends, if it is whole, and other words follow: `MII… user=5`.
    var endOfBase64BeforeWords: Int? {
        var end = endOfDigits(from: 0)
        while end < byteCount, byte(end) == 0x3D { end += 1 }
        guard end >= 64, end < byteCount, [0x20, 0x09, 0x3B, 0x2C].contains(byte(end)),
            extracting(end + 1..<byteCount).firstNonSpaceIndex != nil
        else { return nil }
        var octets: [UInt8] = []
        guard (try? Base64.decode(extracting(0..<16), into: &octets)) != nil else { return nil }
        // A space may be a plus sign that a form has decoded.
        let isWhole = Framer.digitCount(ofSequence: octets).map { end >= $0 } ?? (end % 4 == 0)
        return isWhole ? end : nil
    }

    /// Where white space ends.
    var firstNonSpaceIndex: Int? { (0..<byteCount).first { byte($0) > 0x20 } }

    private var firstNonSpace: UInt8? { firstNonSpaceIndex.map { byte($0) } }

    /// Whether the raw text of a JSON string begins a JSON object.
    var beginsJSONObject: Bool { firstNonSpace == 0x7B }

    /// Whether the raw text of a JSON string begins a JSON object or array.
    var beginsJSONContainer: Bool { firstNonSpace == 0x7B || firstNonSpace == 0x5B }

    /// Whether the raw text of a JSON string may begin JSON, escapes before it undone.
    var mayBeginJSON: Bool { firstNonSpace == 0x5C || beginsJSONContainer }

    /// Whether JSON holds a string that begins as a JWS or the base64 of a receipt does.
    var mayHoldSigned: Bool {
        var index = 0
        while let quote = firstIndex(of: 0x22, from: index, to: byteCount) {
            index = quote + 1
            guard index + 3 <= byteCount else { return false }
            switch (byte(index), byte(index + 1), byte(index + 2)) {
            // eyJ, MI and ewo
            case (0x65, 0x79, 0x4A), (0x4D, 0x49, _), (0x65, 0x77, 0x6F): return true
            default: break
            }
        }
        return false
    }
}

extension JSONCursor {
    /// The texts and numbers of the object at the cursor as an ASCII property list; `nil` if it is not valid JSON.
    func asPropertyList() -> [UInt8]? {
        var cursor = copy self
        var list: [UInt8] = [0x7B]
        do {
            try cursor.expect(0x7B)
            var isFirst = true
            while let key = try cursor.nextKey(isFirst: &isFirst) {
                let value = try cursor.token()
                guard !value.isContainer else {
                    try cursor.skipContainer()
                    continue
                }
                guard value.kind != .null else { continue }
                let name = cursor.raw(key).text(0..<key.count)
                let isPurchase = ObjectMarks.Special.purchaseInfos.contains { $0.name == name }
                if isPurchase { list += "\"purchase-info\"".utf8 } else { cursor.appendQuoted(key, to: &list) }
                list.append(0x3D)
                cursor.appendQuoted(value, to: &list)
                list.append(0x3B)
            }
        } catch {
            return nil
        }
        list.append(0x7D)
        return list
    }

    private func appendQuoted(_ token: JSONToken, to list: inout [UInt8]) {
        var text: [UInt8] = []
        appendText(of: token, to: &text)
        list.append(0x22)
        for byte in text {
            if byte == 0x22 || byte == 0x5C { list.append(0x5C) }
            list.append(byte)
        }
        list.append(0x22)
    }

    /// Whether the value that begins at an index is a string that begins as a JWS or the base64 of a receipt does.
    func beginsSignedString(at start: Int) -> Bool {
        var index = start
        while byte(index) == 0x20 || byte(index) == 0x0A || byte(index) == 0x0D || byte(index) == 0x09 { index += 1 }
        guard byte(index) == 0x22 else { return false }
        return byte(index + 1) == 0x65 && byte(index + 2) == 0x79 && byte(index + 3) == 0x4A
            || byte(index + 1) == 0x4D && byte(index + 2) == 0x49 && byte(index + 3) == 0x49
    }

    /// What the members of the object at the cursor say beside the string `known`: whether one is an object or an array
    /// with values, or a string that begins as one, as a signed document or as a receipt; and whether one names an event.
    func others(besides known: JSONToken) throws(Finding) -> (holdDocuments: Bool, nameEvent: Bool) {
        var others = (holdDocuments: false, nameEvent: false)
        var cursor = copy self
        try cursor.expect(0x7B)
        var isFirst = true
        while let key = try cursor.nextKey(isFirst: &isFirst) {
            let token = try cursor.token()
            if token.isContainer {
                try cursor.skipContainer()
                if cursor.position - token.start > Unwrapper.shortestText { others.holdDocuments = true }
            } else if token.kind == .string {
                if cursor.raw(key).equals("event") { others.nameEvent = true }
                guard token.count > Unwrapper.shortestText else { continue }
                let text = cursor.raw(token)
                if text.byte(0) == 0x7B || text.byte(0) == 0x5B { others.holdDocuments = true }
                guard token.start != known.start else { continue }
                if cursor.beginsSignedString(at: token) || text.beginsLikeDocument { others.holdDocuments = true }
            }
        }
        return others
    }

    /// The text of the object at the cursor without the string `wrapped` and members whose strings begin as a document
    /// does; `nil` if it is not valid JSON.
    func withoutDocuments(besides wrapped: JSONToken) -> [UInt8]? {
        var cursor = copy self
        var text: [UInt8] = [0x7B]
        do {
            try cursor.expect(0x7B)
            var isFirst = true
            while let key = try cursor.nextKey(isFirst: &isFirst) {
                let token = try cursor.token()
                if token.isContainer { try cursor.skipContainer() }
                let isDocument = token.kind == .string && cursor.raw(token).beginsLikeDocument
                guard !isDocument, token.start != wrapped.start else { continue }
                if text.count > 1 { text.append(0x2C) }
                text += cursor.bytes.extracting(key.start - 1..<cursor.position).copied
            }
        } catch {
            return nil
        }
        text.append(0x7D)
        return text
    }

    /// The bytes in the array of numbers at the cursor, which is moved after it; `nil` if the array has other elements,
    /// or fewer than `count`. journald writes texts so, and Node its buffers.
    @_lifetime(self: copy self)
    mutating func takeOctets(atLeast count: Int) -> [UInt8]? {
        var octets: [UInt8] = []
        var index = position + 1
        while index < limit {
            while byte(index) <= 0x20, index < limit { index += 1 }
            var (value, digits) = (0, 0)
            while byte(index).isDigit, digits < 4 {
                value = value * 10 + Int(byte(index) - 0x30)
                digits += 1
                index += 1
            }
            guard digits > 0, let octet = UInt8(exactly: value) else { return nil }
            octets.append(octet)
            while byte(index) <= 0x20, index < limit { index += 1 }
            if byte(index) == 0x5D {
                guard octets.count >= count, index < limit else { return nil }
                position = index + 1
                return octets
            }
            guard byte(index) == 0x2C else { return nil }
            index += 1
        }
        return nil
    }

    /// Whether a string begins so.
    func beginsSignedString(at token: JSONToken) -> Bool {
        token.kind == .string && token.count > 3 && beginsSignedString(at: token.start - 1)
    }
}

extension [UInt8] {
    /// Whether the bytes are one JSON value, with white space around it at most.
    var isJSONValue: Bool {
        let padded = self + Array(repeating: 0, count: JSONCursor.padding)
        var cursor = JSONCursor(padded.span.bytes, limit: count)
        guard (try? cursor.skipValue()) != nil else { return false }
        cursor.skipWhitespace()
        return cursor.position == cursor.limit
    }
}
