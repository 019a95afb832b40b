import TillColumns
import TillCore
import TillJSON
import TillRows

/// Results of a verification beside the purchases of a response that has no status itself.
///
///     {"verify":{"status":21007,"environment":"Sandbox"},"receipt":{"in_app":[ … ]}}
///     {"statusCode":21003,"receipt":{"in_app":[ … ]}}
///     {"is_sandbox":true,"latest_receipt_info":[ … ]}
///     {"receipt_data":"MIIT…","apple_status":21003}
///
/// A server writes its own names around a response, so a result is found by its values: a status of the object itself
/// only if verifyReceipt alone gives it, and a 0 in an object beside the purchases only with an environment.
extension VerifyFormat {
    /// Takes the status, the environment and the app from results beside the purchases, where the response has none. Of
    /// the members beside the response of a pair, only those about the environment count.
    mutating func applyOutcome(
        besideMembersAt start: Int,
        of document: borrowing JSONCursor,
        _ rows: inout RowBatch
    ) throws(Finding) {
        var cursor = copy document
        cursor.position = start
        var own = EnvelopeFacts()
        var results: [EnvelopeFacts] = []
        try cursor.expect(0x7B)
        var isFirst = true
        while let key = try cursor.nextKey(isFirst: &isFirst) {
            let value = copy cursor
            let token = try cursor.token()
            if !token.isContainer {
                own.note(memberBeside: cursor.raw(key), cursor.raw(token))
                continue
            }
            let known = responseKeys.number(of: key, in: cursor).map { responseKeys[$0] }
            if token.kind == .object, !envelope.pair.isPair, known == nil {
                cursor = value
                if let result = try Self.result(in: &cursor) { results.append(result) }
            } else {
                try cursor.skipContainer()
            }
            if known == nil || known == .request, envelope.rowEnvironment == nil,
                SandboxHost.isNamed(in: cursor.bytes.extracting(token.start..<cursor.position))
            {
                own.environment = own.environment ?? .sandbox
            }
        }
        own.fill(from: EnvelopeFacts.agreed(results))
        if !envelope.pair.isPair { envelope.status = envelope.status ?? own.status }
        if envelope.rowEnvironment == nil { envelope.environment = own.environment?.cell }
        guard envelope.bundleID == nil, let bundleID = own.bundleID else { return }
        envelope.bundleID = Int64(rows.dictionary.code(for: bundleID.span.bytes))
    }

    /// Takes the status of a verification that failed, and the environment, from members beside an encoded receipt. A
    /// result in an object beside it is a response to it (``Unwrapper/Search/pair()``).
    mutating func applyOutcome(
        besideReceiptAt start: Int,
        of document: borrowing JSONCursor
    ) throws(Finding) {
        var cursor = copy document
        cursor.position = start
        var own = EnvelopeFacts()
        try cursor.expect(0x7B)
        var isFirst = true
        while let (key, value) = try cursor.nextScalar(isFirst: &isFirst) {
            own.note(memberBeside: cursor.raw(key), cursor.raw(value))
        }
        if envelope.status == nil, let status = own.status, !VerifyStatus.isBooked(status) { envelope.status = status }
        if envelope.rowEnvironment == nil { envelope.environment = own.environment?.cell }
    }

    /// The members of an object that is a result of a verification; `nil` if it is none. The cursor is moved behind it.
    @_lifetime(cursor: copy cursor)
    private static func result(in cursor: inout JSONCursor) throws(Finding) -> EnvelopeFacts? {
        var facts = EnvelopeFacts()
        try cursor.expect(0x7B)
        var isFirst = true
        while let (key, token) = try cursor.nextScalar(isFirst: &isFirst) {
            if let member = TextMember(name: cursor.raw(key)) {
                let value = cursor.raw(token)
                facts.note(member, value)
                if member == .status, value.text(0..<value.byteCount) == "0" { facts.status = facts.status ?? 0 }
            }
        }
        // Many services answer with a 0.
        let isResult = facts.status == 0 ? facts.environment != nil : facts.status != nil
        return isResult ? facts : nil
    }
}

extension EnvelopeFacts {
    /// Takes a member of an object around or beside a document into the facts, if it is a status or an environment in
    /// any spelling.
    mutating func note(memberBeside name: RawSpan, _ value: RawSpan) {
        if let member = TextMember(name: name), member != .bundleID { note(member, value) }
        if environment == nil, value.beginsAsSandboxAddress { environment = .sandbox }
    }

    /// The facts on which results agree. A status counts if all results have the same one. Another fact counts if all
    /// results that have it agree.
    static func agreed(_ results: [EnvelopeFacts]) -> EnvelopeFacts {
        guard results.count > 1 else { return results.first ?? EnvelopeFacts() }
        func common<Value: Hashable>(_ values: [Value]) -> Value? { Set(values).count == 1 ? values.first : nil }
        var facts = EnvelopeFacts()
        facts.status = common(results.map(\.status)) ?? nil
        facts.environment = common(results.compactMap(\.environment))
        facts.bundleID = common(results.compactMap(\.bundleID))
        return facts
    }
}
