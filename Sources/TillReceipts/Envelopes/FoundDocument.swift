import TillColumns
import TillRows

/// A document inside another text, and what the text around it says of it.
struct FoundDocument {
    enum Kind {
        /// A JWS.
        case signed
        /// A receipt in its own notation: base64, PEM, a property list.
        case receipt
        /// A verifyReceipt request.
        case request
        /// A verifyReceipt response.
        case response
        /// A line of a log that tells of a failure.
        case logLine
        /// What a line of tillroll's `--rejects` is about.
        case rejected
        case other
    }

    var kind: Kind
    /// The document. Of an object, these are the bytes as they stand in the text around it.
    var text: [UInt8]
    /// The members that hold it, outermost first.
    var members: [String] = []
    var envelope = EnvelopeFacts()
    /// What the line of `--rejects` says that holds it.
    var earlier: EarlierReject?
}

/// What the objects around a document say of it.
struct EnvelopeFacts {
    /// When it was written, in milliseconds since 1970.
    var loggedAt: Int64?
    /// How preferred the member is that says it; 0 is the most preferred.
    var timeRank = Int.max
    /// One of Apple's environments.
    var environment: Word?
    var bundleID: [UInt8]?

    /// Takes over from an object further out what those within do not say.
    mutating func fill(from outer: EnvelopeFacts) {
        loggedAt = loggedAt ?? outer.loggedAt
        environment = environment ?? outer.environment
        bundleID = bundleID ?? outer.bundleID
    }

    /// Sets when the documents since `mark` were written, and where their rows lack it, the environment and the app.
    func apply(to rows: inout RowBatch, from mark: RowBatch.Mark) {
        let bundleID = bundleID.map { Int64(rows.dictionary.code(for: $0.span.bytes)) }
        for row in mark.documents..<rows.documents.rowCount {
            if let loggedAt { rows.documents.set(.loggedAt, loggedAt, row: row) }
            rows.documents.fill(.environment, environment?.cell, row: row)
            rows.documents.fill(.bundleID, bundleID, row: row)
        }
        for row in mark.transactions..<rows.transactions.rowCount {
            rows.transactions.fill(.environment, environment?.cell, row: row)
            rows.transactions.fill(.bundleID, bundleID, row: row)
        }
        for row in mark.renewals..<rows.renewals.rowCount {
            rows.renewals.fill(.environment, environment?.cell, row: row)
            rows.renewals.fill(.bundleID, bundleID, row: row)
        }
        for row in mark.events..<rows.events.rowCount {
            rows.events.fill(.at, loggedAt, row: row)
            rows.events.fill(.environment, environment?.cell, row: row)
            rows.events.fill(.bundleID, bundleID, row: row)
        }
    }
}
