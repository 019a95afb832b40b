import TillColumns
public import TillCore

/// The failures that a ``FailureFilter`` chooses, each with its place, for an explanation.
///
/// All of them are counted. If there are more than ``limit``, the ones with the smallest positions are listed, in the
/// order of ``FailureExamples``. So the list depends neither on the order of reading nor on cuts. A 21007 is kept in
/// memory until it is known whether a success followed.
public struct ChosenFailures: Sendable {
    /// Failures that are listed: some 100 bytes each, and twice as many until the surplus is forgotten.
    public static let limit = 100_000
    /// The same where their documents are listed too.
    public static let limitWithDocuments = 1_000
    /// The most bytes of a document that are listed.
    public static let mostOfDocument = 1 << 14

    private struct Entry {
        var failure: FailureOccurrence
        var place: FailureExamples.Place
        var document: [UInt8]?
    }

    let filter: FailureFilter
    private let limit: Int
    /// Masks the secrets of a document; `nil` where documents are not listed.
    private let mask: (@Sendable ([UInt8]) -> [UInt8])?
    /// The documents of the current batch, by their number in it.
    private var documents: [[UInt8]] = []
    private var sources: [String] = []
    private var sourceNumbers: [String: Int] = [:]
    private var texts = TextDictionary()
    private var entries: [Entry] = []
    /// The number of failures of each code.
    private var counts: [FailureCode: Int] = [:]
    /// 21007s that a success may follow, with the fingerprints of their requests.
    private var waiting: [(request: UInt128, entry: Entry)] = []

    /// - Parameter mask: masks the secrets of a document; `nil` where documents are not listed.
    init(_ filter: FailureFilter, limit: Int? = nil, masking mask: (@Sendable ([UInt8]) -> [UInt8])? = nil) {
        (self.filter, self.mask) = (filter, mask)
        self.limit = limit ?? (mask == nil ? Self.limit : Self.limitWithDocuments)
    }

    /// Sets the documents of the next batch, by their number in it; needed only where documents are listed.
    package mutating func begin(documents: [[UInt8]]) { self.documents = documents }

    /// The beginning of a document of the current batch, without its secrets.
    private func document(_ ordinal: Int64?) -> [UInt8]? {
        guard let mask, let ordinal = ordinal.flatMap({ Int(exactly: $0) }), documents.indices.contains(ordinal) else {
            return nil
        }
        return Array(mask(documents[ordinal]).prefix(Self.mostOfDocument))
    }

    /// Notes a failure if the filter chooses it.
    ///
    /// - Parameters:
    ///   - attempt: the attempt that failed; needed only where the filter has an incident.
    ///   - routedRequest: the request of a 21007 that a success may follow.
    ///   - ordinal: the number of the document in its batch, if known.
    ///   - dictionary: of the texts of the failure.
    mutating func note(
        _ failure: FailureOccurrence,
        of attempt: FailureFilter.Attempt? = nil,
        routedRequest: UInt128? = nil,
        at place: (source: String, document: Int64, line: Int64),
        ordinal: Int64? = nil,
        _ dictionary: borrowing TextDictionary
    ) {
        guard filter.includes(failure, of: attempt, dictionary) else { return }
        let number = sourceNumbers[place.source] ?? sources.count
        if number == sources.count {
            sources.append(place.source)
            sourceNumbers[place.source] = number
        }
        let entry = Entry(
            failure: failure.translated { Self.code(of: $0, in: dictionary, enteredInto: &texts) },
            place: FailureExamples.Place(source: number, document: place.document, line: place.line),
            document: document(ordinal)
        )
        guard let routedRequest else { return append(entry) }
        waiting.append((routedRequest, entry))
        if mask != nil, waiting.count.isMultiple(of: 2 * limit) { forgetWaitingDocuments() }
    }

    /// Keeps the documents of as many waiting entries as may be listed.
    private mutating func forgetWaitingDocuments() {
        waiting.sort { $0.entry.place.precedes($1.entry.place, among: sources) }
        for index in waiting.indices.dropFirst(limit) { waiting[index].entry.document = nil }
    }

    private static func code(
        of text: Int32,
        in dictionary: borrowing TextDictionary,
        enteredInto texts: inout TextDictionary
    ) -> Int32 {
        text < 0 ? -1 : dictionary.withBytes(of: Int(text)) { Int32(texts.code(for: $0)) }
    }

    private mutating func append(_ entry: Entry) {
        counts[entry.failure.code, default: 0] += 1
        entries.append(entry)
        if entries.count == 2 * limit { forgetSurplus() }
    }

    /// Keeps the entries with the smallest places, and the texts of these entries and of the counts.
    private mutating func forgetSurplus() {
        sortByPlace()
        entries.removeLast(max(0, entries.count - limit))
        var kept = TextDictionary()
        let old = texts
        func translated(_ text: Int32) -> Int32 { Self.code(of: text, in: old, enteredInto: &kept) }
        for index in entries.indices { entries[index].failure = entries[index].failure.translated(translated) }
        for index in waiting.indices {
            waiting[index].entry.failure = waiting[index].entry.failure.translated(translated)
        }
        counts = Dictionary(
            uniqueKeysWithValues: counts.map { (FailureCode(domain: translated($0.domain), code: $0.code), $1) }
        )
        texts = kept
    }

    private mutating func sortByPlace() {
        entries.sort { $0.place.precedes($1.place, among: sources) }
    }

    /// Removes the 21007s with a later success.
    package mutating func forget(_ succeeded: AnsweredRequests) {
        waiting.removeAll { succeeded.follow($0.request, at: $0.entry.failure.at) }
    }

    /// Ends the choice. The 21007s that still wait are failures.
    mutating func settle(_ succeeded: AnsweredRequests) {
        forget(succeeded)
        for (_, entry) in waiting { append(entry) }
        waiting = []
        if entries.count > limit { forgetSurplus() } else { sortByPlace() }
    }
}

/// A failure of an explanation.
public struct ChosenFailure: Sendable {
    /// The domain and code of the failure, as in ``ChosenFailures/codes``.
    public let key: FailureKey
    /// The name of the class.
    public let failureClass: String
    /// In the order of ``FailureDimension``; `nil` if not known.
    public let values: [String?]
    /// The time of the failure; `nil` if its record has none.
    public let at: Timestamp?
    /// The position of its record; document 0 if its row has no number of a document.
    public let place: RecordPlace
    /// The beginning of its document without its secrets; `nil` where documents are not listed, or were read from rows.
    public let document: [UInt8]?
}

extension ChosenFailures {
    /// The number of chosen failures, listed or not.
    public var count: Int { counts.values.reduce(0, +) }

    /// The number of chosen failures of each domain and code, in order.
    public var codes: [(key: FailureKey, count: Int)] {
        counts.map { (key: key(of: $0), count: $1) }.sorted { $0.key < $1.key }
    }

    /// The listed failures, by source and document.
    public var listed: some Collection<ChosenFailure> {
        entries.lazy.map { entry in
            ChosenFailure(
                key: key(of: entry.failure.code),
                failureClass: texts.text(of: Int(entry.failure.failureClass)),
                values: FailureDimension.allCases.map { text(entry.failure.combination[$0]) },
                at: entry.failure.at.map { Timestamp(milliseconds: $0) },
                place: RecordPlace(entry.place, among: sources),
                document: entry.document
            )
        }
    }

    private func key(of code: FailureCode) -> FailureKey { FailureKey(domain: text(code.domain), code: code.code) }

    private func text(_ code: Int32) -> String? { code < 0 ? nil : texts.text(of: Int(code)) }
}
