extension Timestamp {
    /// Reads a date as Apple's receipts and RFC 3339 write it, by position; `nil` for anything else.
    ///
    ///     2020-07-14T19:36:40Z            RFC 3339, receipts (attributes 12, 1704 …)
    ///     2020-07-14T19:36:40.125+01:00   fraction of any length, cut to milliseconds; offset
    ///     2020-07-22T18:33:15+0100        offset without a colon, as Xcode 12 wrote it
    ///     2020-07-14 19:36:40 Etc/GMT     verifyReceipt text; `GMT` and `UTC` likewise
    ///
    /// Other zone names give `nil`: `America/Los_Angeles` needs the tz database, and the same instant stands beside it
    /// in UTC. No locale takes part. Cost: one pass, no allocation.
    public static func parse(_ bytes: RawSpan) -> Timestamp? {
        var reader = DateReader(bytes: bytes)
        guard let year = reader.digits(4), reader.take(0x2D), let month = reader.digits(2), reader.take(0x2D),
            let day = reader.digits(2), reader.takeSeparator(),
            let hour = reader.digits(2), reader.take(0x3A), let minute = reader.digits(2), reader.take(0x3A),
            let second = reader.digits(2), hour < 24, minute < 60, second <= 60
        else { return nil }
        let date = CivilDate(year: year, month: month, day: day)
        guard date.isValid, let fraction = reader.fraction(), let offset = reader.zone() else { return nil }
        let seconds = (date.daysSinceEpoch * 24 + hour) * 3600 + minute * 60 + second - offset * 60
        return Timestamp(milliseconds: Int64(seconds * 1000 + fraction))
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

/// The few tokens that a date is made of, each optional to the caller, none allocating.
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
    mutating func takeSeparator() -> Bool {
        take(0x54) || take(0x74) || take(0x20)
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
        let isWest = next == 0x2D
        if take(0x2B) || take(0x2D) {
            guard let hours = digits(2) else { return nil }
            _ = take(0x3A)
            guard let minutes = digits(2), isAtEnd, hours < 24, minutes < 60 else { return nil }
            return (isWest ? -1 : 1) * (hours * 60 + minutes)
        }
        guard take(0x20) else { return nil }
        for name: StaticString in ["Etc/GMT", "GMT", "UTC"] where endsWith(name) { return 0 }
        return nil
    }

    private func endsWith(_ name: StaticString) -> Bool {
        guard bytes.byteCount - position == name.utf8CodeUnitCount else { return false }
        for index in 0..<name.utf8CodeUnitCount
        where name.utf8Start[index] != bytes.unsafeLoad(fromByteOffset: position + index, as: UInt8.self) {
            return false
        }
        return true
    }
}
