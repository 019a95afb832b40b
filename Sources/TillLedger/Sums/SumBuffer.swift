import TillCore

/// Joins sums of parts of one ledger in memory: the sums of one part are written to a buffer, and the sums of the other
/// part read it.
///
///     one part ─write→ buffer ─read→ sums of both parts
///
/// Codes of texts stay as they are, because both parts have the texts of the ledger. Cost: 16 bytes for each value.
public struct SumBuffer: SumCoder {
    private var numbers: [Int128] = []
    private var texts: [String] = []
    private var numbersRead = 0
    private var textsRead = 0
    public private(set) var isReading = false
    public var readsFile: Bool { false }

    /// Whether values are only counted.
    private let countsOnly: Bool
    private var count = 0

    private init(countsOnly: Bool = false) { self.countsOnly = countsOnly }

    /// The number of values that joining passes through a buffer.
    public static func count(of sums: some SumHolder) throws -> Int {
        var (counted, buffer) = (sums, SumBuffer(countsOnly: true))
        try counted.visitSums(&buffer)
        return buffer.count
    }

    /// Adds the sums of another part.
    public static func join<Sums: SumHolder>(_ other: Sums, into sums: inout Sums) throws {
        var (written, buffer) = (other, SumBuffer())
        try written.visitSums(&buffer)
        buffer.isReading = true
        try sums.visitSums(&buffer)
        guard buffer.numbersRead == buffer.numbers.count, buffer.textsRead == buffer.texts.count else {
            throw buffer.refusal("sums are left")
        }
    }

    public func refusal(_ reason: String) -> any Error { Finding.unjoinable(reason) }

    // MARK: Numbers

    /// Writes a number, or reads the next.
    private mutating func pass<Number: FixedWidthInteger>(_ number: Number) throws -> Number {
        guard isReading else {
            count += 1
            if !countsOnly { numbers.append(Int128(truncatingIfNeeded: number)) }
            return number
        }
        guard numbersRead < numbers.count else { throw refusal("a number is missing") }
        defer { numbersRead += 1 }
        return Number(truncatingIfNeeded: numbers[numbersRead])
    }

    private mutating func addNext(to sum: inout some FixedWidthInteger) throws {
        let number = try pass(sum)
        guard isReading else { return }
        let (total, overflow) = sum.addingReportingOverflow(number)
        guard !overflow else { throw refusal("a sum is too large") }
        sum = total
    }

    public mutating func add(_ count: inout Int) throws { try addNext(to: &count) }
    public mutating func add(_ number: inout Int64) throws { try addNext(to: &number) }
    public mutating func add(_ millionths: inout Int128) throws { try addNext(to: &millionths) }
    public mutating func value(_ number: inout Int64) throws { number = try pass(number) }
    public mutating func value(_ word: inout UInt128) throws { word = try pass(word) }
    public mutating func textCode(_ code: inout Int64) throws { code = try pass(code) }
    public mutating func amount(_ millionths: inout Int128) throws { millionths = try pass(millionths) }
    public mutating func elements(_ count: Int) throws -> Int { try pass(count) }

    public mutating func value(_ number: inout Int64?) throws {
        let isKnown = try pass(number == nil ? 0 : 1) == 1
        number = isKnown ? try pass(number ?? 0) : nil
    }

    // MARK: Texts and tables

    public mutating func value(_ text: inout String) throws {
        guard isReading else {
            count += 1
            if !countsOnly { texts.append(text) }
            return
        }
        guard textsRead < texts.count else { throw refusal("a text is missing") }
        text = texts[textsRead]
        textsRead += 1
    }

    public mutating func table<Key: Hashable, Value: Summed>(
        _ table: inout [Key: Value],
        blank: Key,
        _ visitKey: (inout Key, inout SumBuffer) throws -> Void
    ) throws {
        let count = try elements(table.count)
        guard isReading else {
            for entry in table {
                var (key, value) = entry
                try visitKey(&key, &self)
                try value.visitSums(&self)
            }
            return
        }
        for _ in 0..<count {
            var key = blank
            try visitKey(&key, &self)
            try table[key, default: Value()].visitSums(&self)
        }
    }
}
