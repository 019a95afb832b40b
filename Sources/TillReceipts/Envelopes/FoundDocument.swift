import TillColumns
import TillRows

/// A document inside another text, with its context from that text.
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
        /// A client event.
        case event
        /// A log line about a failure.
        case logLine
        /// The document of a line of tillroll's `--rejects`.
        case rejected
        /// Text that a search omitted because of its limits.
        case unsearched
        /// Text with purchases of a response whose other members are not in it.
        case fragment
        case other
    }

    var kind: Kind
    /// The document. Of an object, these are the bytes as they stand in the text around it.
    var text: [UInt8]
    /// The members that hold it, outermost first.
    private(set) var members: [String] = []
    /// The layers that the search removed, outermost first; empty unless traces are kept.
    private(set) var layers: [SearchedLayer] = []
    /// The layers around the text that was searched, where traces are kept and this is not the first document in it.
    var outerLayers: [DocumentTrace.Layer] = []
    var envelope = EnvelopeFacts()
    /// Whether it is a response that has its request with it.
    var isPaired = false
    /// Whether it is decoded purchases of a response, or one of them, without its status.
    var isPartOfResponse = false
    /// The status, the environment and the app of a response that has no purchases. They apply to parts of a response
    /// beside it.
    var outcome: EnvelopeFacts?
    /// The other members of its line of `--rejects`.
    var earlier: EarlierReject?

    /// Whether it stands in an element of a list.
    var isOfList: Bool { members.contains { $0.hasPrefix("[") } }

    /// Puts the name of a member, or the number of an element, before those that lead to the document.
    mutating func prepend(_ member: String) {
        members.insert(member, at: 0)
        for index in layers.indices { layers[index].memberCount += 1 }
    }

    /// Puts a layer around the document, unless it is JSON that is the document itself.
    mutating func prepend(_ kind: DocumentTrace.Layer.Kind, _ bytes: [UInt8]) {
        if kind == .object, members.isEmpty, layers.isEmpty { return }
        layers.insert(SearchedLayer(kind: kind, bytes: bytes), at: 0)
    }
}

/// A layer that a search has removed.
struct SearchedLayer {
    var kind: DocumentTrace.Layer.Kind
    var bytes: [UInt8]
    /// How many of the members that lead to the document lead to the layer.
    var memberCount = 0
}

/// The context of a document in the objects around it.
struct EnvelopeFacts {
    /// The log time, in milliseconds since 1970.
    var loggedAt: Int64?
    /// How preferred the member is that says it; 0 is the most preferred.
    var timeRank = Int.max
    /// One of Apple's environments.
    var environment: Word?
    var bundleID: [UInt8]?
    /// A status of verifyReceipt. It holds for a part of a response, which tells none itself.
    var status: Int64?
    /// The name of the event, of a line about a failure.
    var failureName: String?
    /// The digest of the receipt beside a response to it. It holds for that response only.
    var pairKey: [UInt8]?

    /// Adds the values of an outer object that inner objects lack.
    mutating func fill(from outer: EnvelopeFacts) {
        loggedAt = loggedAt ?? outer.loggedAt
        environment = environment ?? outer.environment
        bundleID = bundleID ?? outer.bundleID
        status = status ?? outer.status
    }

    /// Sets when the documents since `mark` were written, and where their rows lack it, the environment and the app.
    func apply(to rows: inout RowBatch, from mark: RowBatch.Mark) {
        let bundleID = bundleID.map { Int64(rows.dictionary.code(for: $0.span.bytes)) }
        let pairKey = pairKey.map { Int64(rows.dictionary.code(for: $0.span.bytes)) }
        for row in mark.documents..<rows.documents.rowCount {
            rows.documents.fill(.pairKey, pairKey, row: row)
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
            if let failureName {
                rows.events.set(.event, Int64(rows.dictionary.code(for: failureName)), row: row)
            }
            rows.events.fill(.environment, environment?.cell, row: row)
            rows.events.fill(.bundleID, bundleID, row: row)
        }
    }
}
