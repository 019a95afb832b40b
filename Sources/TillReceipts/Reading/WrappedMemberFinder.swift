import TillJSON

/// Finds the document in a JSON object that belongs to no format and only wraps one (quirks 4 and 7).
///
///     {"Store":"AppleAppStore","TransactionID":"2000…","Payload":"MIIT…"}             Unity IAP
///     {"code":"jws.header","reason":"…","raw":"{…","raw_encoding":"utf8"}             a reject of tillroll
///     {"headers":{…},"body":"{\"status\":0,…}"}                                       recorded traffic
///     {"_id":"x","receipt":{"status":0,"receipt":{…}}}                                a record of a database
///
/// The members `Payload`, and `raw` of a reject, are known by name. In any other object the document is the one string that begins
/// as a document does, or the one object whose members say that it is a document or wraps one. Where there are several, nothing
/// says which of them is meant, and the object is not recognized.
struct WrappedMemberFinder {
    /// The member of a reject that is the document as it came.
    static let raw = "raw"

    /// Objects inside one another that are searched.
    private static let depthLimit = 8

    private struct Candidate {
        var key: JSONToken
        var value: JSONToken
    }

    /// The string or object that is the document, and the name of its member.
    struct Found {
        var value: JSONToken
        var member: String
    }

    /// The document that the object at the cursor wraps, and the cursor stands behind the object; `nil` where there is none, and the
    /// cursor stays.
    @_lifetime(cursor: copy cursor)
    func find(
        in cursor: inout JSONCursor,
        detector: inout FormatDetector,
        depth: Int = 0
    ) throws(JSONError) -> Found? {
        let start = cursor.position
        var named: Candidate?
        var raw: Candidate?
        var isReject = false
        var found: [Candidate] = []
        try cursor.expect(0x7B)
        var isFirst = true
        while try cursor.nextMember(isFirst: &isFirst) {
            let key = try cursor.string()
            try cursor.expect(0x3A)
            let value = try cursor.token()
            if value.kind == .object, depth < Self.depthLimit, found.count < 2 {
                var inner = copy cursor
                var isFound = try detector.find(in: inner, ignoresAmbiguous: true) != nil
                if !isFound { isFound = try find(in: &inner, detector: &detector, depth: depth + 1) != nil }
                if isFound {
                    found.append(Candidate(key: key, value: value))
                }
            }
            if value.isContainer { try cursor.skipContainer() }
            guard value.kind == .string, value.count > 0 else { continue }
            let candidate = Candidate(key: key, value: value)
            let name = cursor.raw(key)
            if name.equals("Payload") { named = candidate }
            if name.equals("raw") { raw = candidate }
            if name.equals("raw_encoding") { isReject = true }
            if found.count < 2, cursor.raw(value).beginsLikeDocument { found.append(candidate) }
        }
        let only = found.count == 1 ? found.first : nil
        guard let chosen = isReject ? raw : named ?? only else {
            cursor.position = start
            return nil
        }
        var name: [UInt8] = []
        cursor.appendText(of: chosen.key, to: &name)
        return Found(value: chosen.value, member: String(decoding: name, as: UTF8.self))
    }
}

extension RawSpan {
    /// Whether a string begins as a document does: an object, base64 of a receipt of either generation, or a JWS.
    ///
    /// Base64 of DER begins with `MI`, that of an ASCII property list with `ew`; base64 of the former with `TU`.
    /// Ordinary text may begin so as well, hence the length and the alphabet are looked at too.
    package var beginsLikeDocument: Bool {
        guard let start = (0..<byteCount).first(where: { byte($0) > 0x20 }) else { return false }
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
}
