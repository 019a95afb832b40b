import Testing
import TillInput
import TillTestSupport

/// Compares ``Framer/piece(in:_:longest:limit:isFinal:isCut:lookahead:)`` with a reader that has the whole text and
/// remembers nothing.
@Suite("Pieces of broken documents")
struct PieceEndsTests {
    private static let fragments = [
        ",", "]", "}", ")", "[", "{", "\"a\"", "\"name\":", "\"", "\\", ":", " ", "\n", ",\n", "{\"b\":[1]}",
        "{\"c\":\"}]\"}", "x",
        "]}", "],\"n\" :", "\n)", String(repeating: "y", count: 70),
    ]

    @Test(
        "The answer is that of a plain reader, with any part of the text, and whatever was asked before",
        arguments: Seeds.some(of: UInt64(0)..<20)
    )
    func equalsThePlainReader(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var counts: [String: Int] = [:]
        for round in 0..<20 {
            let elements = (0..<Int(random.next() % 6)).map { "{\"id\":\($0)}," }.joined()
            let tail = (0..<Int(random.next() % 12)).map { _ in
                Self.fragments[Int(random.next() % UInt64(Self.fragments.count))]
            }
            let text = Array("\(elements){\"id\":9}\(tail.joined())".utf8)
            let longest = random.next() % 2 == 0 ? .max : Int(random.next() % 60) + 10
            var known = TextLookahead()
            for document in Self.documents(text) {
                let expected = Self.plain(text, document, longest)
                counts[Self.name(expected), default: 0] += 1
                #expect(Self.piece(text, document, longest, &known) == expected, "\(round), \(document): \(text)")
                for limit in document.upperBound..<text.count {
                    var none = TextLookahead()
                    let part = Self.piece(text, document, longest, limit: limit, isFinal: false, &none)
                    #expect(part == .undecided || part == expected, "\(round), \(document) to \(limit)")
                    guard Self.isCut(text, limit) else { continue }
                    var cut = TextLookahead()
                    let answer = Self.piece(text, document, longest, limit: limit, isFinal: false, isCut: true, &cut)
                    #expect(answer == .undecided || answer == expected, "\(round), \(document) cut at \(limit)")
                }
            }
        }
        #expect(counts["none", default: 0] > 0 && counts["piece", default: 0] > 0, "\(counts)")
    }

    @Test("A document at the end of a chunk waits for the next byte only if the chunk is not cut before a document")
    func waitsForTheNextByte() {
        var lookahead = TextLookahead()
        let text = Array("{\"id\":1}\n".utf8)
        #expect(Self.piece(text, 0..<8, .max, isFinal: false, &lookahead) == .undecided)
        #expect(Self.piece(text, 0..<8, .max, isFinal: false, isCut: true, &lookahead) == .none)
        #expect(Self.piece(text, 0..<8, .max, &lookahead) == .none)
    }

    @Test("Many elements before a bracket that is never closed are read once, not once for each of them")
    func readsOnce() {
        let element = "{\"id\":1},"
        let text = Array(
            (String(repeating: element, count: 20_000) + "{" + String(repeating: "z", count: 100_000)).utf8
        )
        var lookahead = TextLookahead()
        for start in stride(from: 0, to: element.utf8.count * 20_000, by: element.utf8.count) {
            #expect(Self.piece(text, start..<start + element.utf8.count - 1, .max, &lookahead) == .none)
        }
        #expect(lookahead.bytesSeen <= 2 * text.count)
    }

    /// Whether a chunk may end here, by the byte behind it.
    private static func isCut(_ text: [UInt8], _ limit: Int) -> Bool {
        let bytes = Array(text[...limit])
        return text[limit - 1] == 0x0A && Framer.lastCut(in: bytes.span.bytes, limit: bytes.count) == limit
    }

    // MARK: The plain reader

    /// The elements of the list that the text begins with.
    private static func documents(_ text: [UInt8]) -> [Range<Int>] {
        var (result, start) = ([Range<Int>](), 0)
        while start < text.count, text[start] == 0x7B, let end = text[start...].firstIndex(of: 0x7D) {
            result.append(start..<end + 1)
            start = end + 2
        }
        return result
    }

    /// What is behind a document: closing brackets that nothing opened, or a member.
    private static func plain(_ text: [UInt8], _ document: Range<Int>, _ longest: Int) -> Framer.Piece {
        let window = document.lowerBound + min(256 << 10, longest)
        let space: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
        var index = document.upperBound
        func next() -> UInt8? {
            while index < text.count, space.contains(text[index]) { index += 1 }
            return index < min(text.count, window) ? text[index] : nil
        }
        /// One past the closing brackets from here on.
        func closing() -> Framer.Piece {
            index += 1
            var end = index
            while let byte = next(), byte == 0x7D || byte == 0x5D {
                index += 1
                end = index
            }
            return end <= window ? .upTo(end) : .none
        }
        while let byte = next() {
            if byte == 0x7D || byte == 0x29 && text[index - 1] != 0x0A { return closing() }
            var brackets = 0
            while let byte = next(), byte == 0x5D {
                brackets += 1
                index += 1
            }
            if brackets > 0, let byte = next(), byte == 0x7D || byte == 0x29 && text[index - 1] != 0x0A {
                return closing()
            }
            guard next() == 0x2C else { return .none }
            index += 1
            guard let value = next() else { return .none }
            if value == 0x22 { return member(text, index, window) }
            guard value == 0x7B, brackets == 0, let end = element(text, index) else { return .none }
            index = end
        }
        return .none
    }

    private static func member(_ text: [UInt8], _ start: Int, _ window: Int) -> Framer.Piece {
        let reach = min(text.count, start + 64)
        guard let quote = text[min(start + 1, reach)..<reach].firstIndex(of: 0x22),
            let colon = text[min(quote + 1, reach)..<reach].firstIndex(where: { $0 > 0x20 }), text[colon] == 0x3A
        else { return .none }
        return colon + 1 <= window ? .upTo(colon + 1) : .none
    }

    private static func element(_ text: [UInt8], _ start: Int) -> Int? {
        var (depth, isQuoted, index) = (0, false, start)
        while index < text.count {
            switch text[index] {
            case 0x5C where isQuoted: index += 1
            case 0x22: isQuoted.toggle()
            case 0x7B where !isQuoted, 0x5B where !isQuoted: depth += 1
            case 0x7D where !isQuoted, 0x5D where !isQuoted: depth -= 1
            default: break
            }
            index += 1
            if depth == 0 { return index }
        }
        return nil
    }

    private static func piece(
        _ text: [UInt8],
        _ document: Range<Int>,
        _ longest: Int,
        limit: Int? = nil,
        isFinal: Bool = true,
        isCut: Bool = false,
        _ lookahead: inout TextLookahead
    ) -> Framer.Piece {
        // Nothing behind the limit may be looked at.
        let bytes = text[..<(limit ?? text.count)] + Array(repeating: 0, count: ByteBuffer.padding)
        return Framer.piece(
            in: bytes.span.bytes,
            document,
            longest: longest,
            limit: limit ?? text.count,
            isFinal: isFinal,
            isCut: isCut,
            lookahead: &lookahead
        )
    }

    private static func name(_ piece: Framer.Piece) -> String {
        if case .upTo = piece { "piece" } else { "\(piece)" }
    }
}
