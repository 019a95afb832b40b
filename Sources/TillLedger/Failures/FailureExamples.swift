import TillColumns
public import TillCore
import TillRows

/// The position of a record.
public struct RecordPlace: Hashable, Sendable {
    /// The source as it was named.
    public let source: String
    /// Counted from 1 within the source.
    public let document: Int64
    /// The line in which the document begins, from 1; `nil` if the source has no lines.
    public let line: Int64?
}

/// A record and its time.
public struct DatedPlace: Hashable, Sendable {
    /// The document of the record, and its line if the source has lines.
    public let place: RecordPlace
    /// The time of the failure; a record without a time has no ``DatedPlace``.
    public let at: Timestamp
}

/// The places of a few records of each failure, so that an engineer can look at one.
///
/// For each domain and code, the records with the smallest positions are kept. Positions are ordered by the name of the
/// source (bytewise), then by the number of the document. So the examples depend neither on the order of reading nor on
/// the split into chunks or partials. Equal positions are kept once. Memory: ``limit`` places for each code, and those
/// of ``NewestRecords`` where incidents are asked for.
public struct FailureExamples: Sendable {
    /// Records that are kept for each code.
    public static let limit = 10

    package struct Place: Hashable, Sendable {
        /// The number of the source.
        package var source: Int
        package var document: Int64
        /// From 1; 0 where not known.
        package var line: Int64

        package init(source: Int, document: Int64, line: Int64) {
            (self.source, self.document, self.line) = (source, document, line)
        }

        /// Lines are not compared, because the line follows from the document.
        func precedes(_ other: Place, among sources: [String]) -> Bool {
            guard source != other.source else { return document < other.document }
            return sources[source].utf8.lexicographicallyPrecedes(sources[other.source].utf8)
        }
    }

    package private(set) var sources: [String] = []
    private var sourceNumbers: [String: Int] = [:]
    package private(set) var codes: [FailureCode] = []
    /// The places of each code, smallest first.
    package private(set) var places: [[Place]] = []
    /// The newest records of each code.
    package private(set) var newest: [NewestRecords] = []
    /// The number of positions of all codes.
    private var placeCount = 0
    private var newestCount = 0
    private var numbers = IntegerMap<UInt128, Int32>()
    /// The latest 21007 of a request that a success may still follow; of several at one instant, the one with the
    /// smallest place. If a success followed this one, it also followed those before.
    package struct Routed: Hashable {
        package var place: Place
        /// In milliseconds; `nil` if not known, which is before all instants.
        package var at: Int64?
    }

    /// By the fingerprint of the request.
    package private(set) var routed: [UInt128: Routed] = [:]
    /// The source of the current batch, and its first document.
    private var current: (source: Int, firstDocument: Int64) = (0, 1)

    /// Sets the source of the next batch.
    mutating func begin(_ source: String, firstDocument: Int) {
        current = (number(of: source), Int64(firstDocument))
    }

    package mutating func number(of source: String) -> Int {
        if let number = sourceNumbers[source] { return number }
        sourceNumbers[source] = sources.count
        sources.append(source)
        return sources.count - 1
    }

    /// The place of document `ordinal` (from 0) of the current batch.
    func place(of ordinal: Int64, line: Int?) -> Place {
        Place(source: current.source, document: current.firstDocument + ordinal, line: Int64(line ?? 0))
    }

    /// Document 0 of the source of the current batch.
    var unknownPlace: Place { Place(source: current.source, document: 0, line: 0) }

    /// The number of a code, which is entered if it is new.
    private mutating func number(entering code: FailureCode) -> Int {
        let number = Int(numbers[code.packed, entering: Int32(codes.count)])
        if number == codes.count {
            codes.append(code)
            places.append([])
            newest.append(NewestRecords())
        }
        return number
    }

    /// Keeps a record if it is one of the newest of its code and hour. A record with an unknown time belongs to no
    /// incident.
    package mutating func note(newest code: FailureCode, at instant: Int64?, _ place: Place) {
        guard let instant else { return }
        let number = number(entering: code)
        let record = NewestRecords.Record(place, at: instant)
        newestCount += newest[number].note(record, among: sources)
    }

    /// Keeps a place if it is one of the smallest of its code.
    package mutating func note(_ code: FailureCode, at place: Place) {
        let number = number(entering: code)
        let kept = places[number]
        if kept.count == Self.limit, let last = kept.last, !precedes(place, last) { return }
        let index = kept.firstIndex { !precedes($0, place) } ?? kept.count
        guard index == kept.count || precedes(place, kept[index]) else { return }
        places[number].insert(place, at: index)
        if places[number].count > Self.limit { places[number].removeLast() } else { placeCount += 1 }
    }

    /// Keeps the place of a response that is a failure only if no success follows.
    package mutating func note(routed pairKey: UInt128, at instant: Int64?, _ place: Place) {
        if let known = routed[pairKey] {
            let (known, instant) = ((known.place, known.at ?? .min), instant ?? .min)
            guard instant > known.1 || instant == known.1 && precedes(place, known.0) else { return }
        }
        routed[pairKey] = Routed(place: place, at: instant)
    }

    /// Removes the places of 21007s with a later success.
    package mutating func forget(_ succeeded: AnsweredRequests) {
        routed = routed.filter { !succeeded.follow($0.key, at: $0.value.at) }
    }

    /// Bytes of memory. An array takes 32 besides its elements.
    var footprint: Int {
        let perCode = MemoryLayout<FailureCode>.stride + 2 * MemoryLayout<[Place]>.stride + 32
        // An hour with few records takes more than these: its array.
        let places = placeCount * MemoryLayout<Place>.stride + newestCount * 64 + routed.capacity * 80
        return (codes.capacity * perCode + numbers.capacity * 20 + places) * 3 / 2
    }

    /// Removes the records of failures, after they were written to a file.
    mutating func forgetFailures() {
        (codes, places, newest, numbers) = ([], [], [], IntegerMap())
        (placeCount, newestCount) = (0, 0)
    }

    /// Codes of the domains.
    var texts: Set<Int32> { Set(codes.lazy.map(\.domain).filter { $0 >= 0 }) }

    /// Takes the codes that its texts have in another dictionary.
    mutating func renumber(_ translation: TextTranslation) {
        numbers = IntegerMap()
        for number in codes.indices {
            codes[number] = translation.failure(codes[number])
            _ = numbers[codes[number].packed, entering: Int32(number)]
        }
    }

    private func precedes(_ left: Place, _ right: Place) -> Bool { left.precedes(right, among: sources) }

    /// Adds the examples of another ledger.
    mutating func merge(_ other: FailureExamples, _ translation: TextTranslation) {
        func own(_ place: Place, _ examples: inout FailureExamples) -> Place {
            var place = place
            place.source = examples.number(of: other.sources[place.source])
            return place
        }
        for (code, places) in zip(other.codes, other.places) {
            for place in places { note(translation.failure(code), at: own(place, &self)) }
        }
        for (code, newest) in zip(other.codes, other.newest) {
            for record in newest.all {
                note(newest: translation.failure(code), at: record.at, own(record.place, &self))
            }
        }
        for (pairKey, routed) in other.routed { note(routed: pairKey, at: routed.at, own(routed.place, &self)) }
    }
}

extension FailureExamples {
    /// The examples after the last response, when all successes are known. The 21007s of requests without a success are
    /// failures.
    func settled(_ succeeded: AnsweredRequests) -> FailureExamples {
        var examples = self
        examples.forget(succeeded)
        let code = FailureCode(status: VerificationTally.sandboxReceipt)
        for routed in examples.routed.values {
            examples.note(code, at: routed.place)
            examples.note(newest: code, at: routed.at, routed.place)
        }
        examples.routed = [:]
        return examples
    }
}

extension Ledger {
    mutating func noteExample(_ failure: FailureOccurrence, row: Int, in batch: borrowing RowBatch) {
        let attempt = chosen?.filter.incident == nil ? nil : attempt(failure, row: row, in: batch)
        guard let ordinal = batch.events[.document, row] else {
            return choose(failure, of: attempt, at: unknownPlace)
        }
        let place = place(of: ordinal, stored: batch.events[.source, row], in: batch)
        // A row of a table has the number of its document in the source of the table.
        let own = batch.events[.source, row] == nil ? ordinal : nil
        choose(failure, of: attempt, at: place, ordinal: own)
        note(failure, at: place)
    }

    mutating func noteExample(_ verification: FailedVerification, row: Int, in batch: borrowing RowBatch) {
        let attempt = FailureFilter.Attempt(app: verification.app, family: .verifyReceipt)
        guard let ordinal = batch.documents[.document, row] else {
            return choose(
                verification.failure,
                of: attempt,
                routedRequest: verification.routedRequest,
                at: unknownPlace
            )
        }
        let place = place(of: ordinal, stored: batch.documents[.source, row], in: batch)
        choose(
            verification.failure,
            of: attempt,
            routedRequest: verification.routedRequest,
            at: place,
            ordinal: batch.documents[.source, row] == nil ? ordinal : nil
        )
        if let request = verification.routedRequest {
            examples.note(routed: request, at: verification.failure.at, place)
        } else {
            note(verification.failure, at: place)
        }
    }

    /// The position of a row without a document: document 0 of the source that is read.
    private var unknownPlace: FailureExamples.Place { examples.unknownPlace }

    /// The attempt of an event that is a failure.
    private mutating func attempt(
        _ failure: FailureOccurrence,
        row: Int,
        in batch: borrowing RowBatch
    ) -> FailureFilter.Attempt {
        let kind = batch.events[.event, row].map { EventKind(name: batch.dictionary.text(of: Int($0))) }
        let isHarmless = [FailureClass.cancelled, .deferred].contains { $0.textCode == failure.failureClass }
        return FailureFilter.Attempt(
            app: mapping.code(batch.events[.bundleID, row], from: batch.dictionary, to: &texts),
            family: isHarmless ? nil : kind?.family
        )
    }

    private mutating func choose(
        _ failure: FailureOccurrence,
        of attempt: FailureFilter.Attempt?,
        routedRequest: UInt128? = nil,
        at place: FailureExamples.Place,
        ordinal: Int64? = nil
    ) {
        let source = examples.sources[place.source]
        let named = (source: source, document: place.document, line: place.line)
        chosen?.note(failure, of: attempt, routedRequest: routedRequest, at: named, ordinal: ordinal, texts)
    }

    private mutating func note(_ failure: FailureOccurrence, at place: FailureExamples.Place) {
        examples.note(failure.code, at: place)
        if needs.contains(.incidents) { examples.note(newest: failure.code, at: failure.at, place) }
    }

    /// The place of a document. Rows from Parquet have their own source and number.
    private mutating func place(
        of ordinal: Int64,
        stored source: Int64?,
        in batch: borrowing RowBatch
    ) -> FailureExamples.Place {
        guard let source else {
            let line = batch.firstLine.flatMap { first in batch.lines.line(of: Int(ordinal)).map { first + $0 } }
            return examples.place(of: ordinal, line: line)
        }
        let name = batch.dictionary.text(of: Int(source))
        return FailureExamples.Place(source: examples.number(of: name), document: ordinal, line: 0)
    }
}

extension FailureExamples {
    /// The positions of records of a failure, the smallest first.
    func places(of code: FailureCode, _ limit: Int) -> [RecordPlace] {
        guard limit > 0, let number = numbers[code.packed] else { return [] }
        return places[Int(number)].prefix(limit).map(recordPlace)
    }

    /// The positions of the newest records of some failures in some hours, the newest first.
    func newest(
        of keys: Set<FailureKey>,
        in hours: ClosedRange<Int>,
        _ limit: Int,
        _ texts: borrowing TextDictionary
    ) -> [DatedPlace] {
        var found: [DatedPlace] = []
        for (number, code) in codes.enumerated() {
            let domain = code.domain < 0 ? nil : texts.text(of: Int(code.domain))
            guard keys.contains(FailureKey(domain: domain, code: code.code)) else { continue }
            found += newest[number].newest(limit, in: hours).map { record in
                DatedPlace(place: recordPlace(record.place), at: Timestamp(milliseconds: record.at))
            }
        }
        return found.newest(limit)
    }

    private func recordPlace(_ place: Place) -> RecordPlace { RecordPlace(place, among: sources) }
}

extension RecordPlace {
    init(_ place: FailureExamples.Place, among sources: [String]) {
        self.init(source: sources[place.source], document: place.document, line: place.line > 0 ? place.line : nil)
    }
}

extension [DatedPlace] {
    /// The newest; of one instant, the first by source and document.
    func newest(_ limit: Int) -> [DatedPlace] {
        let ordered = sorted { left, right in
            if left.at != right.at { return left.at > right.at }
            let (one, other) = (left.place, right.place)
            if !one.source.utf8.elementsEqual(other.source.utf8) {
                return one.source.utf8.lexicographicallyPrecedes(other.source.utf8)
            }
            return one.document < other.document
        }
        return Array(ordered.prefix(limit))
    }
}

extension IncidentFindings {
    /// Takes the newest records of each incident.
    mutating func note(_ examples: FailureExamples, _ texts: borrowing TextDictionary, _ limit: Int) {
        for place in incidents.indices where incidents[place].hasOwnRecords {
            let (keys, hours) = (incidents[place].allCodes, incidents[place].hours)
            let added = examples.newest(of: keys, in: hours, limit, texts)
            incidents[place].examples = (incidents[place].examples + added).newest(limit)
        }
    }
}
