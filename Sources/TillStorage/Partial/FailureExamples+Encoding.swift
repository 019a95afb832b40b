import TillColumns
import TillCore
import TillLedger

extension FailureExamples {
    /// One place in a partial: of a failure, or of a response that waits for a success.
    struct Listed {
        enum Owner {
            case failure(FailureCode)
            case newest(FailureCode, at: Int64)
            case routed(UInt128, at: Int64?)
        }

        var owner: Owner
        var source: String
        var document: Int64
        var line: Int64
    }

    /// Every place, in an order that does not depend on that of hashing.
    var listed: [Listed] {
        let failures = codes.indices.flatMap { listed($0) }
        return failures + routed.sorted { $0.key < $1.key }.map { listed($1.place, .routed($0, at: $1.at)) }
    }

    /// The places of one code, by its number.
    ///
    /// - Parameter translation: from the texts of the ledger to those of the output, if they differ.
    func listed(_ number: Int, _ translation: TextTranslation? = nil) -> [Listed] {
        let code = translation?.failure(codes[number]) ?? codes[number]
        return places[number].map { listed($0, .failure(code)) }
            + newest[number].all.map { listed($0.place, .newest(code, at: $0.at)) }
    }

    private func listed(_ place: Place, _ owner: Listed.Owner) -> Listed {
        Listed(owner: owner, source: sources[place.source], document: place.document, line: place.line)
    }

    /// Reads the places of one block.
    mutating func decode(
        _ cursor: inout PartialCursor,
        textCount: Int,
        _ translation: TextTranslation,
        behind before: PlacesBefore
    ) throws(Finding) {
        for _ in 0..<(try cursor.count(ofSize: 6)) {
            let start = cursor.offset
            let owner: Listed.Owner
            switch try cursor.byte() {
            case 0: owner = .failure(try cursor.failureCode(below: textCount, translation))
            case 1: owner = .routed(try cursor.word(as: UInt128.self), at: nil)
            case 2: owner = .routed(try cursor.word(as: UInt128.self), at: try cursor.difference())
            case 3:
                let code = try cursor.failureCode(below: textCount, translation)
                owner = .newest(code, at: try cursor.difference())
            default: throw Finding("partial.value", at: start, "an example of an unknown kind")
            }
            let source = try cursor.text()
            let (document, line) = (try cursor.difference(), try cursor.difference())
            // Counts of this size can be added to those before them.
            let counts = 0...Int64(PartialCursor.largestCount)
            guard document > 0, counts.contains(document), counts.contains(line) else {
                throw Finding("partial.value", at: start, "a record has a number or a line below 1, or above 2^53")
            }
            let place = Place(
                source: number(of: source),
                document: document + before.documents,
                line: line == 0 ? 0 : line + before.lines
            )
            switch owner {
            case .failure(let code): note(code, at: place)
            case .newest(let code, let instant): note(newest: code, at: instant, place)
            case .routed(let pairKey, let instant): note(routed: pairKey, at: instant, place)
            }
        }
    }
}

extension PartialCursor {
    @_lifetime(self: copy self)
    fileprivate mutating func failureCode(
        below textCount: Int,
        _ translation: TextTranslation
    ) throws(Finding) -> FailureCode {
        let domain = translation.text(try code(below: textCount))
        return FailureCode(domain: domain, code: try optional())
    }
}

extension PartialWriter {
    mutating func write(_ listed: FailureExamples.Listed) {
        switch listed.owner {
        case .failure(let code):
            write(byte: 0)
            write(code: code.domain)
            write(optional: code.code)
        case .newest(let code, let instant):
            write(byte: 3)
            write(code: code.domain)
            write(optional: code.code)
            write(difference: instant)
        case .routed(let pairKey, let instant):
            write(byte: instant == nil ? 1 : 2)
            write(word: pairKey)
            if let instant { write(difference: instant) }
        }
        write(text: listed.source)
        write(difference: listed.document)
        write(difference: listed.line)
    }
}
