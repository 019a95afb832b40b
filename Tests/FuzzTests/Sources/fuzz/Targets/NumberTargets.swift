import TillColumns
import TillJSON
import TillPricing

@testable import TillCore
@testable import TillStorage

/// Small readers of one value, each beside a plain one.
enum NumberTargets {
    static let all = [
        FuzzTarget(name: "timestamp", isStructured: false, seeds: dates.map { [UInt8]($0) }) { bytes in
            let (ours, plain) = (Timestamp.parse(bytes.span.bytes)?.milliseconds, PlainDate.parse(bytes))
            require(
                ours == plain,
                "date \(String(decoding: bytes, as: UTF8.self)): \(ours as Any), plainly \(plain as Any)"
            )
        },
        FuzzTarget(name: "decimal", isStructured: false, seeds: decimals.map { [UInt8]($0) }, check: checkDecimal),
        FuzzTarget(name: "digits", isStructured: false, seeds: digits.map { [UInt8]($0) }, check: checkDigits),
        FuzzTarget(
            name: "identifier",
            isStructured: false,
            seeds: (digits + ["AB-12", "0017"]).map { [UInt8]($0) },
            check: checkIdentifier
        ),
        FuzzTarget(name: "rounding", isStructured: false, seeds: words, check: checkRounding),
        FuzzTarget(name: "calendar", isStructured: false, seeds: words, check: checkCalendar),
        FuzzTarget(name: "varint", isStructured: false, seeds: words, check: checkVariableNumbers),
        FuzzTarget(name: "currency", isStructured: false, seeds: ["USD", "JPY", "eur", "XTS"].map { [UInt8]($0) }) {
            bytes in
            let isCode = bytes.count == 3 && bytes.allSatisfy { $0 >= 0x41 && $0 <= 0x5A }
            let code = CurrencyCode(bytes: bytes.span.bytes)
            require((code != nil) == isCode, "currency \(bytes)")
            guard let code else { return }
            require(
                Array(code.description.utf8) == bytes && CurrencyCode(packed: code.packed) == code,
                "currency \(bytes)"
            )
            require(CurrencyCode(String(decoding: bytes, as: UTF8.self)) == code, "currency \(bytes)")
        },
    ]

    private static let dates = [
        "2026-03-02T10:15:00Z", "2026-03-02T10:15:00.125Z", "2024-02-29 23:59:60 Etc/GMT", "2020-07-22T18:33:15+0100",
        "1970-01-01T00:00:00-14:30",
        "0000-12-31t00:00:00.1234567z", "9999-12-31 23:59:59 GMT", "1900-02-29T00:00:00 UTC", "2026-11-30T24:00:00Z",
    ]
    private static let decimals = [
        "0", "9.99", "-0.01", "12345678.90", "1e5", "1.5E-3", "999999999999999999", "9223372036854775807",
        "-9223372036854775808", "0.000001",
        "+4.50", "00012.500", ".5", "5.", "1e400", "92233720368547.75807",
    ]
    private static let digits = [
        "0", "7", "1000000123456789", "99999999", "12345678901234567", "9223372036854775807", "9223372036854775808",
        "70000987654321", "00012",
    ]
    private static let words: [[UInt8]] = [
        Array(repeating: 0, count: 16), Array(repeating: 0xFF, count: 16), Array(0..<16),
        [5, 0, 0, 0, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0x80, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
        [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01],
    ]

    private static func checkDecimal(_ bytes: [UInt8]) {
        for (scale, excess) in [(6, ScaledDecimal.Excess.reject), (3, .truncate), (0, .reject)] {
            let plain = PlainDecimal.parse(bytes, scale: scale, truncates: excess == .truncate)
            guard case .value(let expected) = plain else { continue }
            let ours = ScaledDecimal.parse(bytes.span.bytes, scale: scale, excess: excess)
            require(
                ours == expected,
                "decimal \(String(decoding: bytes, as: UTF8.self)) at \(scale): \(ours as Any), plainly \(expected as Any)"
            )
        }
    }

    /// Runs of digits as JSON has them, at the beginning of the bytes and in the middle.
    private static func checkDigits(_ bytes: [UInt8]) {
        var expected: Int64? = bytes.isEmpty ? nil : 0
        for byte in bytes {
            guard byte >= 0x30, byte <= 0x39, let value = expected, value <= (Int64.max - Int64(byte - 0x30)) / 10
            else {
                expected = nil
                break
            }
            expected = value * 10 + Int64(byte - 0x30)
        }
        let filler = Array(repeating: UInt8(0x39), count: 40)
        for prefix in [0, 40] {
            let text = filler[..<prefix] + bytes + filler
            let ours = JSONCursor(Array(text).span.bytes, limit: prefix + bytes.count).values.decimal(
                prefix,
                prefix + bytes.count
            )
            require(
                ours == expected,
                "digits \(String(decoding: bytes, as: UTF8.self)): \(ours as Any), plainly \(expected as Any)"
            )
        }
    }

    /// The texts of ids, begun anew now and then; libFuzzer and sweeps have one thread.
    nonisolated(unsafe) private static var dictionary = TextDictionary()
    nonisolated(unsafe) private static var identifierCount = 0

    /// Ids come back as they were, and are ordered as their texts are.
    private static func checkIdentifier(_ bytes: [UInt8]) {
        guard let text = String(validating: bytes, as: UTF8.self) else { return }
        identifierCount += 1
        if identifierCount % 4096 == 0 { dictionary = TextDictionary() }
        let identifier = Identifier(bytes.span.bytes, in: &dictionary)
        require(identifier.text(in: dictionary).utf8.elementsEqual(bytes), "identifier \(text)")
        let other = Identifier([UInt8]("1000000123456789").span.bytes, in: &dictionary)
        require(
            identifier.precedes(other, in: dictionary) == Identifier.precedes(text, "1000000123456789"),
            "order of \(text) and 1000000123456789"
        )
    }

    private static func integer(_ bytes: [UInt8], at index: Int) -> Int64 {
        var value: UInt64 = 0
        for place in index..<index + 8 { value = value << 8 | UInt64(place < bytes.count ? bytes[place] : 0) }
        return Int64(bitPattern: value)
    }

    /// Half-even division against the remainder of numbers twice as wide.
    private static func checkRounding(_ bytes: [UInt8]) {
        let (number, divisor) = (integer(bytes, at: 0), integer(bytes, at: 8))
        // Divisors are powers of ten and numbers of days.
        guard divisor > 0, divisor < 1 << 62 else { return }
        let ours = Int128(number).dividedHalfEven(by: Int128(divisor))
        let (wide, whole) = (Int128(number), Int128(divisor))
        let floor = wide >= 0 ? wide / whole : -((-wide + whole - 1) / whole)
        let twice = (wide - floor * whole) * 2
        let expected = twice > whole || twice == whole && floor & 1 == 1 ? floor + 1 : floor
        require(ours == expected, "\(number) / \(divisor): \(ours), plainly \(expected)")
    }

    /// Days come back from their dates, and an instant from its text.
    private static func checkCalendar(_ bytes: [UInt8]) {
        let instant = Timestamp(milliseconds: integer(bytes, at: 0))
        let (date, millisecond) = instant.day
        let days = date.daysSinceEpoch
        require(
            Int128(days) * 86_400_000 + Int128(millisecond) == Int128(instant.milliseconds)
                && (0..<86_400_000).contains(millisecond),
            "instant \(instant.milliseconds)"
        )
        require(CivilDate(daysSinceEpoch: days + 1) != date && date.isValid, "day \(days)")
        guard (0...9999).contains(date.year) else { return }
        let text = Array(instant.description.utf8)
        require(PlainDate.parse(text) == instant.milliseconds, "text of instant \(instant.milliseconds)")
        require(Timestamp.parse(text.span.bytes) == instant, "instant \(instant.milliseconds) read again")
    }

    /// Numbers of variable length: what is written is read, and what is read is what a plain reader reads.
    private static func checkVariableNumbers(_ bytes: [UInt8]) {
        var cursor = PartialCursor(bytes.span.bytes, base: 0)
        let ours = try? cursor.number()
        var (expected, end): (UInt64?, Int) = (nil, 0)
        var value = UInt128(0)
        for (index, byte) in bytes.prefix(10).enumerated() {
            value |= UInt128(byte & 0x7F) << UInt128(7 * index)
            if byte < 0x80 {
                (expected, end) = (UInt64(exactly: value), index + 1)
                break
            }
        }
        require(ours == expected, "number of \(bytes): \(ours as Any), plainly \(expected as Any)")
        guard let expected else { return }
        require(cursor.offset == end, "end of the number of \(bytes)")
        var writer = PartialWriter()
        writer.write(number: expected)
        writer.write(difference: Int64(bitPattern: expected))
        var again = PartialCursor(writer.bytes.span.bytes, base: 0)
        require((try? again.number()) == expected, "\(expected) written and read")
        require(
            (try? again.difference()) == Int64(bitPattern: expected) && again.isAtEnd,
            "difference \(expected) written and read"
        )
    }
}
