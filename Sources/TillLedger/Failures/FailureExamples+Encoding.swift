import TillColumns

extension FailureExamples {
    /// One place as a partial has it: of a failure, or of a response that waits for a success.
    struct Listed {
        enum Owner {
            case failure(Key)
            case routed(UInt128)
        }

        var owner: Owner
        var source: String
        var document: Int64
        var line: Int64
    }

    /// Every place, in an order that does not depend on that of hashing.
    var listed: [Listed] {
        func listed(_ place: Place, _ owner: Listed.Owner) -> Listed {
            Listed(owner: owner, source: sources[place.source], document: place.document, line: place.line)
        }
        let failures = zip(keys, places).flatMap { key, places in places.map { listed($0, .failure(key)) } }
        return failures + routed.sorted { $0.key < $1.key }.map { listed($1, .routed($0)) }
    }

    /// Takes in the places of one block.
    mutating func decode(
        _ cursor: inout PartialCursor,
        textCount: Int,
        _ translation: TextTranslation
    ) throws(PartialError) {
        for _ in 0..<(try cursor.count(ofSize: 6)) {
            let start = cursor.offset
            let isRouted = try cursor.flag()
            let key =
                isRouted
                ? nil
                : Key(domain: translation.text(try cursor.code(below: textCount)), code: try cursor.optional())
            let pairKey: UInt128 = isRouted ? try cursor.word(as: UInt128.self) : 0
            let source = try cursor.text()
            let (document, line) = (try cursor.difference(), try cursor.difference())
            guard document > 0, line >= 0 else {
                throw PartialError(.value, at: start, "a record has a number or a line below 1")
            }
            let place = Place(source: number(of: source), document: document, line: line)
            if let key { note(key, at: place) } else { note(routed: pairKey, at: place) }
        }
    }
}

extension PartialWriter {
    mutating func write(_ listed: FailureExamples.Listed) {
        switch listed.owner {
        case .failure(let key):
            write(byte: 0)
            write(code: key.domain)
            write(optional: key.code)
        case .routed(let pairKey):
            write(byte: 1)
            write(word: pairKey)
        }
        write(text: listed.source)
        write(difference: listed.document)
        write(difference: listed.line)
    }
}
