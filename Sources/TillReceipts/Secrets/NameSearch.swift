import CKernels
import TillInput

/// A name, or a part of one, behind which something private stands, in letters of any case.
package struct PrivateName: Sendable {
    /// In small letters.
    let letters: [UInt8]
    /// Where `_`, `-` or a space may stand between its words; 0 where it is one word.
    let joint: Int
    /// Which of its letters, with the next one, is looked for: a pair that is rare in receipts.
    let pair: Int
    /// Whether a longer word that begins with it is another name.
    package let isWhole: Bool

    package init(_ first: String, _ second: String = "", pair: Int, isWhole: Bool = false) {
        letters = Array((first + second).utf8)
        joint = second.isEmpty ? 0 : first.utf8.count
        self.pair = pair
        self.isWhole = isWhole
    }

    /// One past the name that begins at `start`; `nil` where it is not there.
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

/// Looks for any of some names in a text, whose letters may be escaped: `pass\u0077ord`, `%70assword`.
package struct NameSearch: Sendable {
    package struct Found {
        package var name: PrivateName
        package var range: Range<Int>
    }

    private let names: [PrivateName]
    /// The letters that names have: a bit for each, `a` the lowest.
    private let letters: UInt32
    private let firsts: [UInt16]
    private let seconds: [UInt16]

    /// With what an escape of a letter begins; of `%`, also one that is encoded once more.
    private static let escapes: [(UInt8, [UInt8])] = [
        (0x5C, [0x75, 0x78]), (0x25, [0x32, 0x34, 0x35, 0x36, 0x37]), (0x26, [0x23]),
    ]

    /// - Parameter names: of at most 13 pairs of letters.
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

    /// The next name that begins at `start` or behind it.
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

    /// The name of which a pair of letters, or an escaped letter, stands at `index`.
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

    /// The name whose first escaped letter stands at `index`.
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
