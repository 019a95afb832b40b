import TillColumns
import TillLedger

extension FailureExamples {
    /// One place as a partial has it: of a failure, or of a response that waits for a success.
    struct Listed {
        enum Owner {
            case failure(FailureCode)
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
    /// - Parameter translation: from the texts of the ledger to those of what is written, where these differ.
    func listed(_ number: Int, _ translation: TextTranslation? = nil) -> [Listed] {
        let code = translation?.failure(codes[number]) ?? codes[number]
        return places[number].map { listed($0, .failure(code)) }
    }

    private func listed(_ place: Place, _ owner: Listed.Owner) -> Listed {
        Listed(owner: owner, source: sources[place.source], document: place.document, line: place.line)
    }

    /// Takes in the places of one block.
    mutating func decode(
        _ cursor: inout PartialCursor,
        textCount: Int,
        _ translation: TextTranslation
    ) throws(PartialError) {
        for _ in 0..<(try cursor.count(ofSize: 6)) {
            let start = cursor.offset
            let owner: Listed.Owner
            switch try cursor.byte() {
            case 0:
                let domain = translation.text(try cursor.code(below: textCount))
                owner = .failure(FailureCode(domain: domain, code: try cursor.optional()))
            case 1: owner = .routed(try cursor.word(as: UInt128.self), at: nil)
            case 2: owner = .routed(try cursor.word(as: UInt128.self), at: try cursor.difference())
            default: throw PartialError(.value, at: start, "a record of what nobody knows")
            }
            let source = try cursor.text()
            let (document, line) = (try cursor.difference(), try cursor.difference())
            guard document > 0, line >= 0 else {
                throw PartialError(.value, at: start, "a record has a number or a line below 1")
            }
            let place = Place(source: number(of: source), document: document, line: line)
            switch owner {
            case .failure(let code): note(code, at: place)
            case .routed(let pairKey, let instant): note(routed: pairKey, at: instant, place)
            }
        }
    }
}

extension PartialWriter {
    mutating func write(_ listed: FailureExamples.Listed) {
        switch listed.owner {
        case .failure(let code):
            write(byte: 0)
            write(code: code.domain)
            write(optional: code.code)
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
