import TillColumns
import TillCore
import TillJSON
import TillRows

/// An answer of the App Store Server API that lists nothing, such as the refunds of a customer without any. It is a
/// document without rows, as a response with an empty `in_app` is.
///
///     {"signedTransactions":[],"revision":"…","hasMore":false}          a history, refunds, an order
///     {"environment":"Production","bundleId":"…","data":[]}             the status of subscriptions
///     {"notificationHistory":[],"hasMore":false}                        notifications
struct EmptyAnswer {
    private(set) var kind = Word.jws
    private var environment: Word?
    private var bundleID: JSONToken?

    /// Reads the object at the cursor; `nil` if it is no such answer.
    ///
    /// - Parameter isInside: whether the object is inside another one. Logs have objects with any members, so of an
    ///   environment only the words count that Apple writes.
    init?(at start: borrowing JSONCursor, isInside: Bool = false) throws(Finding) {
        var cursor = copy start
        var (isAnswer, hasEmptyData) = (false, false)
        try cursor.expect(0x7B)
        var isFirst = true
        while let key = try cursor.nextKey(isFirst: &isFirst) {
            let name = cursor.raw(key)
            let token = try cursor.token()
            if token.isContainer { try cursor.skipContainer() }
            let isEmpty =
                token.kind == .array
                && cursor.bytes.extracting(token.start + 1..<cursor.position - 1).firstNonSpaceIndex == nil
            if name.equals("signedTransactions"), isEmpty {
                isAnswer = true
            } else if name.equals("notificationHistory"), isEmpty {
                (isAnswer, kind) = (true, .notification)
            } else if name.equals("data"), isEmpty {
                hasEmptyData = true
            } else if name.equals("environment"), token.kind == .string {
                let word = cursor.raw(token)
                environment = isInside ? AppleWord.appleEnvironment(word) : AppleWord.environment(word)
            } else if name.equals("bundleId"), token.kind == .string, token.count > 0, !token.hasEscapes {
                bundleID = token
            }
        }
        // Other services have lists of data too.
        guard isAnswer || hasEmptyData && environment != nil && bundleID != nil else { return nil }
    }

    /// Appends its document.
    func append(to rows: inout RowBatch, from mark: RowBatch.Mark, of cursor: borrowing JSONCursor) {
        let bundleID = bundleID.map { Int64(rows.dictionary.code(for: cursor.raw($0))) }
        let facts = DocumentFacts(kind: kind, trust: .unsigned, environment: environment?.cell, bundleID: bundleID)
        rows.appendDocument(facts, from: mark)
    }
}
