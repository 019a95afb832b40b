import TillCore

/// Reads cells that `[UInt8].append(_: Cell)` packed.
///
///     absent          0
///     text            1 length bytes          decimal   6 number
///     code, count     2 number, 3 number      instant   7 milliseconds
///     money           4 currency number       list      8 count (length bytes)…
///     ratio           5 part whole                    records   9 count (length text, count (length name, cell)…)…
///
///     A record that is an object and no list has the complement of its count.
///
///     flag           10 number                word     11 code, words
///
/// Numbers are zigzag-encoded, in groups of seven bits, the lowest group first. Every group but the last has bit 7 set.
struct PackedCells {
    private let bytes: [UInt8]
    private(set) var position: Int

    init(_ bytes: [UInt8], from position: Int) {
        self.bytes = bytes
        self.position = position
    }

    fileprivate enum Tag: UInt8 {
        case absent, text, code, count, money, ratio, decimal, instant, list, records, flag, word
    }

    mutating func next() -> Cell {
        switch tag() {
        case .absent: .absent
        case .text: .text(text())
        case .word: .word(text(), text())
        case .code: .code(number())
        case .count: .count(number())
        case .money: money()
        case .ratio: .ratio(number(), of: number())
        case .decimal: .decimal(millionths: number())
        case .instant: .instant(Timestamp(milliseconds: number()))
        case .list: .list((0..<Int(number())).map { _ in text() })
        case .flag: .flag(number() != 0)
        case .records: .records((0..<Int(number())).map { _ in record() })
        }
    }

    /// Skips a cell.
    mutating func skip() {
        switch tag() {
        case .absent: break
        case .text: skipText()
        case .word:
            skipText()
            skipText()
        case .code, .count, .decimal, .instant, .flag: skipNumber()
        case .money, .ratio:
            skipNumber()
            skipNumber()
        case .list: for _ in 0..<Int(number()) { skipText() }
        case .records: for _ in 0..<Int(number()) { _ = record() }
        }
    }

    private mutating func record() -> CellRecord {
        let (text, count) = (text(), Int(number()))
        let members = (0..<(count < 0 ? ~count : count)).map { _ in CellRecord.Member(self.text(), next()) }
        return CellRecord(members, text: text, isAlone: count < 0)
    }

    private mutating func tag() -> Tag {
        position += 1
        return Tag(rawValue: bytes[position - 1]) ?? .absent
    }

    private mutating func money() -> Cell {
        let currency = CurrencyCode(packed: UInt32(truncatingIfNeeded: number()))
        return .money(Money(millionths: number(as: Int128.self), currency: currency))
    }

    private mutating func number() -> Int64 { number(as: Int64.self) }

    private mutating func number<Word: FixedWidthInteger & SignedInteger>(as _: Word.Type) -> Word {
        // The first nine groups fit a word, whose shifts are cheap, and nearly every number has no more.
        var (low, place): (UInt64, UInt64) = (0, 0)
        while place < 63 {
            let group = bytes[position]
            position += 1
            low |= UInt64(group & 0x7F) << place
            guard group >= 0x80 else { return Word(truncatingIfNeeded: Int64(low >> 1) ^ -Int64(low & 1)) }
            place += 7
        }
        var (word, shift) = (Word.Magnitude(truncatingIfNeeded: low), Word.Magnitude(63))
        while true {
            let group = bytes[position]
            position += 1
            word |= Word.Magnitude(group & 0x7F) << shift
            guard group >= 0x80 else {
                return Word(truncatingIfNeeded: word >> 1) ^ -Word(truncatingIfNeeded: word & 1)
            }
            shift += 7
        }
    }

    private mutating func text() -> String {
        let count = Int(number())
        defer { position += count }
        return String(decoding: bytes[position..<position + count], as: UTF8.self)
    }

    private mutating func skipNumber() {
        while bytes[position] >= 0x80 { position += 1 }
        position += 1
    }

    private mutating func skipText() {
        let count = Int(number())
        position += count
    }
}

extension [UInt8] {
    /// Packs a cell and appends it.
    mutating func append(_ cell: Cell) {
        switch cell {
        case .absent: append(tag: .absent)
        case .text(let text):
            append(tag: .text)
            append(text: text)
        case .word(let code, let words):
            append(tag: .word)
            append(text: code)
            append(text: words)
        case .code(let code): append(tag: .code, code)
        case .count(let count): append(tag: .count, count)
        case .money(let money):
            append(tag: .money, Int64(money.currency.packed))
            append(number: money.millionths)
        case .ratio(let part, let whole):
            append(tag: .ratio, part)
            append(number: Int128(whole))
        case .decimal(let millionths): append(tag: .decimal, millionths)
        case .instant(let instant): append(tag: .instant, instant.milliseconds)
        case .list(let items):
            append(tag: .list, Int64(items.count))
            for item in items { append(text: item) }
        case .flag(let flag): append(tag: .flag, flag ? 1 : 0)
        case .records(let records):
            append(tag: .records, Int64(records.count))
            for record in records {
                append(text: record.text)
                append(number: Int128(record.isAlone ? ~record.members.count : record.members.count))
                for member in record.members {
                    append(text: member.name)
                    append(member.cell)
                }
            }
        }
    }

    private mutating func append(tag: PackedCells.Tag) { append(tag.rawValue) }

    private mutating func append(tag: PackedCells.Tag, _ number: Int64) {
        append(tag.rawValue)
        append(number: Int128(number))
    }

    private mutating func append(text: String) {
        append(number: Int128(text.utf8.count))
        var text = text
        text.withUTF8 { append(contentsOf: $0) }
    }

    private mutating func append(number: Int128) {
        guard let number = Int64(exactly: number), number.magnitude < 1 << 62 else { return append(long: number) }
        var word = UInt64(bitPattern: number << 1 ^ number >> 63)
        while word >= 0x80 {
            append(UInt8(truncatingIfNeeded: word) | 0x80)
            word >>= 7
        }
        append(UInt8(truncatingIfNeeded: word))
    }

    private mutating func append(long number: Int128) {
        var word = UInt128(truncatingIfNeeded: number << 1 ^ number >> 127)
        while word >= 0x80 {
            append(UInt8(truncatingIfNeeded: word) | 0x80)
            word >>= 7
        }
        append(UInt8(truncatingIfNeeded: word))
    }
}
