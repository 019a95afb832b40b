public import TillColumns
import TillCore
public import TillLedger

/// Writes sums as the bytes of a closed partial (`docs/partials.md`).
///
/// The bytes depend on the sums alone: entries of tables are in the order of their bytes, and texts are numbered as
/// those of the ledger are.
public struct SumWriter: SumCoder {
    private var writer = PartialWriter()
    /// From the texts of the ledger to those of the partial; `nil` while the used texts are collected.
    private var translation: TextTranslation?
    private var used: Set<Int32> = []

    private init() {}

    /// Writes the values that `visit` passes to a coder.
    ///
    /// - Parameters:
    ///   - texts: those of the sums' ledger.
    ///   - written: the texts of the partial; missing ones are added.
    public static func bytes(
        _ texts: TextDictionary,
        into written: inout TextDictionary,
        _ visit: (inout SumWriter) throws -> Void
    ) throws -> [UInt8] {
        var search = SumWriter()
        try visit(&search)
        var translation = TextTranslation(count: texts.count)
        for code in search.used.sorted() {
            translation.codes[Int(code)] = texts.withBytes(of: Int(code)) { Int32(written.code(for: $0)) }
        }
        var writer = SumWriter()
        writer.translation = translation
        try visit(&writer)
        return writer.writer.bytes
    }

    public var isReading: Bool { false }
    public var readsFile: Bool { false }

    public mutating func add(_ count: inout Int) { writer.write(difference: Int64(count)) }
    public mutating func add(_ number: inout Int64) { writer.write(difference: number) }
    public mutating func add(_ millionths: inout Int128) { write(millionths) }
    public mutating func amount(_ millionths: inout Int128) { write(millionths) }
    public mutating func value(_ number: inout Int64) { writer.write(difference: number) }
    public mutating func value(_ number: inout Int64?) { writer.write(optional: number) }
    public mutating func value(_ word: inout UInt128) { writer.write(word: word) }
    public mutating func value(_ text: inout String) { writer.write(text: text) }

    public mutating func textCode(_ code: inout Int64) {
        let number = Int32(truncatingIfNeeded: code)
        if number >= 0 { used.insert(number) }
        writer.write(code: translation?.text(number) ?? number)
    }

    public mutating func elements(_ count: Int) -> Int {
        writer.write(count: count)
        return count
    }

    public mutating func table<Key: Hashable, Value: Summed>(
        _ table: inout [Key: Value],
        blank: Key,
        _ visitKey: (inout Key, inout SumWriter) throws -> Void
    ) throws {
        let before = writer.take()
        var entries: [[UInt8]] = []
        for entry in table {
            var (key, value) = entry
            try visitKey(&key, &self)
            try value.visitSums(&self)
            entries.append(writer.take())
        }
        writer.write(written: before)
        writer.write(count: entries.count)
        for entry in entries.sorted(by: { $0.lexicographicallyPrecedes($1) }) { writer.write(written: entry) }
    }

    public func refusal(_ reason: String) -> any Error { Finding("partial.value", at: writer.bytes.count, reason) }

    /// Writes an amount as a difference, seven bits a byte, the lowest first. Most amounts take a fifth of the bytes of
    /// a word.
    private mutating func write(_ millionths: Int128) {
        var rest = UInt128(bitPattern: millionths &<< 1 ^ millionths >> 127)
        while rest >= 0x80 {
            writer.write(byte: UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        writer.write(byte: UInt8(rest))
    }
}
