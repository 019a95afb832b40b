import CKernels
import TillInput

/// A name, or a part of a name, of a private value. Case does not matter.
package struct PrivateName: Sendable {
    /// The letters in lower case, without a separator between words.
    let letters: [UInt8]
    /// The index of the first letter of the second word, before which `_`, `-` or a space may stand; 0 for a single
    /// word.
    let joint: Int
    /// The index of the first letter of the pair that ``NameSearch`` searches for. The pair should be rare in receipts.
    let pair: Int
    /// Whether it must be the end of a name: a name that goes on with letters after it is not private.
    package let isWhole: Bool
    /// Whether it is the name of a header, whose value takes the rest of its line.
    let isHeader: Bool

    /// - Parameters:
    ///   - first: a word in lower case.
    ///   - second: a further word in lower case, or nothing.
    package init(
        _ first: String,
        _ second: String = "",
        pair: Int,
        isWhole: Bool = false,
        isHeader: Bool = false
    ) {
        letters = Array((first + second).utf8)
        joint = second.isEmpty ? 0 : first.utf8.count
        self.pair = pair
        self.isWhole = isWhole
        self.isHeader = isHeader
    }

    /// One past the name that begins at `start`; `nil` if it does not stand there.
    func end(in text: RawSpan, at start: Int) -> Int? {
        var index = start
        for (number, letter) in letters.enumerated() {
            guard var next = text.character(at: index) else { return nil }
            if number == joint, number > 0, next.byte == 0x5F || next.byte == 0x2D || next.byte == 0x20 {
                guard let behind = text.character(at: next.range.upperBound) else { return nil }
                next = behind
            }
            guard next.byte.lowercased == letter else { return nil }
            index = next.range.upperBound
        }
        return index
    }
}

/// Searches a text for names. Their letters may be escaped: `pass\u0077ord`, `%70assword`.
///
/// Cost: one pass of a kernel (`SecretSearch.h`) that looks for one pair of letters of each name and for escaped
/// letters. Only there are names compared.
package struct NameSearch: Sendable {
    package struct Found {
        package var name: PrivateName
        package var range: Range<Int>
    }

    private let names: [PrivateName]
    /// The letters that occur in names: a bit for each, `a` the lowest.
    private let letters: UInt32
    /// The tables of `till_find_pair`, with a bit for each pair of letters and each kind of escape.
    private let firsts: [UInt16]
    private let seconds: [UInt16]

    /// The first byte of an escape of a letter, and the bytes that may follow it. After `%`, `2` begins `%25`, an
    /// escape that is escaped again.
    private static let escapes: [(UInt8, [UInt8])] = [
        (0x5C, [0x75, 0x78]), (0x25, [0x32, 0x34, 0x35, 0x36, 0x37]), (0x26, [0x23]),
    ]

    /// - Parameter names: at most 13 different pairs, because a table has 16 bits and the escapes use three.
    package init(_ names: [PrivateName]) {
        var (firsts, seconds) = ([UInt16](repeating: 0, count: 256), [UInt16](repeating: 0, count: 256))
        var bit: UInt16 = 1
        for (first, next) in Self.escapes {
            firsts[Int(first)] |= bit
            for byte in next { seconds[Int(byte)] |= bit }
            bit <<= 1
        }
        for pair in Set(names.map { [$0.letters[$0.pair], $0.letters[$0.pair + 1]] }) {
            for capital: UInt8 in [0, 0x20] {
                firsts[Int(pair[0] & ~capital)] |= bit
                seconds[Int(pair[1] & ~capital)] |= bit
            }
            bit <<= 1
        }
        (self.names, self.firsts, self.seconds) = (names, firsts, seconds)
        letters = names.reduce(0) { $1.letters.reduce($0) { $0 | 1 << UInt32($1 - 0x61) } }
    }

    /// The next name that begins at or after `start`.
    package func next(in text: RawSpan, from start: Int) -> Found? {
        var index = start
        while true {
            index = text.withUnsafeBytes { memory in
                memory.baseAddress.map { till_find_pair($0, index, memory.count, firsts, seconds) } ?? memory.count
            }
            guard index < text.byteCount else { return nil }
            if let found = name(in: text, around: index, from: start) { return found }
            index += 1
        }
    }

    /// The name whose pair of letters stands at `index`, or whose first escaped letter does.
    private func name(in text: RawSpan, around index: Int, from start: Int) -> Found? {
        let first = text.byte(index)
        guard first.isLetterOrDigit else { return escapedName(in: text, around: index, from: start) }
        let step = text.byte(index + 1) == 0 ? 2 : 1
        for name in names where name.letters[name.pair] == first.lowercased {
            let beginning = index - name.pair * step
            guard beginning >= start, let end = name.end(in: text, at: beginning) else { continue }
            return Found(name: name, range: beginning..<end)
        }
        return nil
    }

    /// The name whose first escaped letter stands at `index`. The letters before it are not escaped.
    private func escapedName(in text: RawSpan, around index: Int, from start: Int) -> Found? {
        guard let letter = text.character(at: index)?.byte.lowercased, (0x61...0x7A).contains(letter),
            letters & 1 << UInt32(letter - 0x61) != 0
        else { return nil }
        for name in names {
            for (number, expected) in name.letters.enumerated() where expected == letter && index - number >= start {
                let beginning = index - number
                guard let end = name.end(in: text, at: beginning), end > index else { continue }
                return Found(name: name, range: beginning..<end)
            }
        }
        return nil
    }
}
