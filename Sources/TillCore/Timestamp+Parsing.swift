extension Timestamp {
    /// Reads a date as Apple's receipts and RFC 3339 write it, by position; `nil` for anything else.
    ///
    ///     2020-07-14T19:36:40Z            RFC 3339, receipts (attributes 12, 1704 …)
    ///     2020-07-14T19:36:40.125+01:00   fraction of any length, cut to milliseconds; offset
    ///     2020-07-22T18:33:15+0100        offset without a colon, as Xcode 12 wrote it
    ///     2020-07-14 19:36:40 +0000       offset behind a space, as Foundation and Ruby print dates
    ///     2020-07-14 19:36:40 Etc/GMT     verifyReceipt text; `GMT` and `UTC` likewise
    ///     2020-07-14 19:36:40 GMT+5:30    as Foundation names zones; `UTC+05:30` and `+05` likewise
    ///     ٢٠٢٠-٠٧-١٤T١٩:٣٦:٤٠Z            decimal digits of any script
    ///
    /// Other zone names give `nil`: `America/Los_Angeles` needs the tz database, and the same instant stands beside it
    /// in UTC. No locale takes part. Cost: one pass; no allocation unless there are digits of other scripts.
    public static func parse(_ bytes: RawSpan) -> Timestamp? {
        parseASCII(bytes) ?? bytes.withASCIIDigits.flatMap { parseASCII($0.span.bytes) }
    }

    private static func parseASCII(_ bytes: RawSpan) -> Timestamp? {
        guard let second = secondsAtStart(of: bytes) else { return nil }
        // The form of receipts, `…Z` and no fraction.
        if bytes.byteCount == 20, bytes.unsafeLoad(fromByteOffset: 19, as: UInt8.self) == 0x5A {
            return Timestamp(milliseconds: Int64(second) * 1000)
        }
        if bytes.byteCount == 24, let rest = millisecondsOfMinute(bytes.word(16)) {
            return Timestamp(milliseconds: Int64(second) * 1000 + rest % 1000)
        }
        var reader = DateReader(bytes: bytes)
        reader.position = 19
        guard let fraction = reader.fraction(), let offset = reader.zone() else { return nil }
        return Timestamp(milliseconds: Int64((second - offset * 60) * 1000 + fraction))
    }

    /// The milliseconds that end a text as logs write it, `:40.125Z`, the first byte lowest; `nil` for anything else.
    @inlinable
    static func millisecondsOfMinute(_ text: UInt64) -> Int64? {
        // The bytes of the form taken off, digits are left, and zeros in between.
        let digits = text ^ 0x5A30_3030_2E30_303A
        let others = ((digits &+ 0x7F76_7676_7F76_767F) | digits) & 0x8080_8080_8080_8080
        guard others == 0 else { return nil }
        func digit(_ index: UInt64) -> Int64 { Int64(digits >> (8 * index) & 0xFF) }
        let second = digit(1) * 10 + digit(2)
        guard second <= 60 else { return nil }
        return second * 1000 + digit(4) * 100 + digit(5) * 10 + digit(6)
    }

    /// Seconds since 1970 of the date and time at the beginning of a text, ignoring its time zone.
    ///
    ///     2 0 2 0 - 0 7 - │ 1 4 T 1 9 : 3 6 │ : 4 0        two words of eight and three bytes
    ///     2 0 2 0 · 0 7 · │ 1 4 · 1 9 · 3 6 │              with the bytes of the form taken off: digits, or more than 9
    private static func secondsAtStart(of bytes: RawSpan) -> Int? {
        guard bytes.byteCount >= 19 else { return nil }
        func byte(_ index: Int) -> UInt8 { bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self) }
        let day = bytes.word(0) ^ 0x2D30_302D_3030_3030
        let separator = byte(10)
        let time = (bytes.word(8) ^ 0x3030_3A30_3000_3030) & ~0xFF_0000
        let tens = byte(17) ^ 0x30
        let ones = byte(18) ^ 0x30
        let hasForm =
            day & 0xFF00_00FF_0000_0000 == 0 && time & 0xFF00_0000_0000 == 0 && byte(16) == 0x3A
            && (separator | 0x20 == 0x74 || separator == 0x20)
        let excess: UInt64 = 0x7676_7676_7676_7676
        let others = ((day &+ excess) | day | (time &+ excess) | time) & 0x8080_8080_8080_8080
        guard hasForm, others == 0, tens < 6 || tens == 6 && ones == 0, ones < 10 else { return nil }
        // Byte by byte ten times a digit and the next one: where a pair begins, that is its number.
        let (dayPairs, timePairs) = (day &* 10 &+ day >> 8, time &* 10 &+ time >> 8)
        func pair(_ pairs: UInt64, _ index: UInt64) -> Int { Int(pairs >> (8 * index) & 0xFF) }
        let (hour, minute) = (pair(timePairs, 3), pair(timePairs, 6))
        guard hour < 24, minute < 60,
            let days = days(
                century: pair(dayPairs, 0),
                yearOfCentury: pair(dayPairs, 2),
                month: pair(dayPairs, 5),
                day: pair(timePairs, 0)
            )
        else { return nil }
        return (days &* 24 &+ hour) &* 3600 &+ minute &* 60 &+ Int(tens) &* 10 &+ Int(ones)
    }

    /// Days from 1970-01-01 to a date whose year has four digits; `nil` where the calendar has no such day.
    ///
    /// Equals ``CivilDate/daysSinceEpoch`` and needs no division: the two halves of a year give the number of leap
    /// years before it.
    private static func days(century: Int, yearOfCentury: Int, month: Int, day: Int) -> Int? {
        let year = century &* 100 &+ yearOfCentury
        let isLeap = yearOfCentury & 3 == 0 && (yearOfCentury != 0 || century & 3 == 0)
        guard (1...12).contains(month), day >= 1 else { return nil }
        // February, then the others in two alternating halves of the year.
        let length = month == 2 ? (isLeap ? 29 : 28) : 30 &+ ((month ^ month >> 3) & 1)
        guard day <= length else { return nil }
        let leapYears = year >> 2 &- century &+ century >> 2
        // Days before the month if February had 30 days, and the correction for its real length.
        let beforeMonth = (367 &* month &- 362) / 12 &- (month > 2 ? 2 : isLeap ? 1 : 0)
        return 365 &* year &+ leapYears &+ beforeMonth &+ day &- 719_528
    }

    /// Reads a day alone, `2020-07-14`, as the midnight in UTC that begins it.
    public static func parseDay(_ bytes: RawSpan) -> Timestamp? {
        var reader = DateReader(bytes: bytes)
        guard let year = reader.digits(4), reader.take(0x2D), let month = reader.digits(2), reader.take(0x2D),
            let day = reader.digits(2), reader.isAtEnd
        else { return nil }
        let date = CivilDate(year: year, month: month, day: day)
        return date.isValid ? Timestamp(milliseconds: Int64(date.daysSinceEpoch) * millisecondsPerDay) : nil
    }
}

/// Parsers for the parts of a date. Each is optional to the caller, and none allocates.
private struct DateReader: ~Escapable {
    let bytes: RawSpan
    var position = 0

    @_lifetime(copy bytes)
    init(bytes: RawSpan) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { position == bytes.byteCount }

    var next: UInt8? {
        position < bytes.byteCount ? bytes.unsafeLoad(fromByteOffset: position, as: UInt8.self) : nil
    }

    @_lifetime(self: copy self)
    mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        position += 1
        return true
    }

    @_lifetime(self: copy self)
    mutating func digits(_ count: Int) -> Int? {
        guard position + count <= bytes.byteCount else { return nil }
        var value = 0
        for _ in 0..<count {
            guard let digit = next, (0x30...0x39).contains(digit) else { return nil }
            value = value * 10 + Int(digit - 0x30)
            position += 1
        }
        return value
    }

    /// Milliseconds of an optional `.fff…`; digits after the third are cut.
    @_lifetime(self: copy self)
    mutating func fraction() -> Int? {
        guard take(0x2E) else { return 0 }
        var (value, scale) = (0, 100)
        let start = position
        while let digit = next, (0x30...0x39).contains(digit) {
            value += Int(digit - 0x30) * scale
            scale /= 10
            position += 1
        }
        return position > start ? value : nil
    }

    /// Minutes east of Greenwich; the zone must end the text.
    @_lifetime(self: copy self)
    mutating func zone() -> Int? {
        if take(0x5A) || take(0x7A) { return isAtEnd ? 0 : nil }
        let isSpaced = take(0x20)
        // Behind a space, a sign and two digits may be any number.
        if next == 0x2B || next == 0x2D { return offset(needsMinutes: isSpaced) }
        guard isSpaced else { return nil }
        // In names that begin with Etc/GMT, a sign means the opposite.
        if take("Etc/GMT") { return isAtEnd ? 0 : nil }
        guard take("GMT") || take("UTC") else { return nil }
        let hasOneDigit =
            bytes.byteCount - position == 2 || position + 2 < bytes.byteCount && byte(position + 2) == 0x3A
        return isAtEnd ? 0 : offset(hourDigits: hasOneDigit ? 1 : 2, needsMinutes: false)
    }

    /// Minutes of a sign, hours, and minutes, which must end the text: `+02:00`, `+0200`, `+02`, `+2`.
    @_lifetime(self: copy self)
    private mutating func offset(hourDigits: Int = 2, needsMinutes: Bool) -> Int? {
        let isWest = next == 0x2D
        guard take(0x2B) || take(0x2D), let hours = digits(hourDigits), hours < 24 else { return nil }
        var minutes = 0
        if needsMinutes || !isAtEnd {
            _ = take(0x3A)
            guard let read = digits(2), isAtEnd, read < 60 else { return nil }
            minutes = read
        }
        return (isWest ? -1 : 1) * (hours * 60 + minutes)
    }

    private func byte(_ index: Int) -> UInt8 { bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self) }

    @_lifetime(self: copy self)
    private mutating func take(_ name: StaticString) -> Bool {
        guard bytes.byteCount - position >= name.utf8CodeUnitCount else { return false }
        for index in 0..<name.utf8CodeUnitCount where name.utf8Start[index] != byte(position + index) { return false }
        position += name.utf8CodeUnitCount
        return true
    }
}

extension RawSpan {
    /// Bytes of the longest text in which digits are looked for.
    private static var longestDate: Int { 128 }

    /// The text with ASCII digits in place of the decimal digits of other scripts (Unicode's general category Nd), and
    /// without marks of direction; `nil` for ASCII, for a text that is not UTF-8, and for more than 128 bytes.
    public var withASCIIDigits: [UInt8]? {
        guard byteCount <= Self.longestDate else { return nil }
        return withUnsafeBytes { bytes in
            guard bytes.contains(where: { $0 >= 0x80 }), let text = String(validating: bytes, as: UTF8.self) else {
                return nil
            }
            var result: [UInt8] = []
            for scalar in text.unicodeScalars {
                if scalar.properties.numericType == .decimal, let value = scalar.properties.numericValue {
                    result.append(UInt8(ascii: "0") + UInt8(value))
                } else if scalar.properties.generalCategory != .format {
                    result.append(contentsOf: String(scalar).utf8)
                }
            }
            return result
        }
    }

    /// Eight bytes, the first one lowest.
    @inlinable
    func word(_ index: Int) -> UInt64 {
        UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
    }
}
