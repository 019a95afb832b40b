package import TillCore

/// The rule of a time zone file for the years after its last transition, a POSIX TZ string as RFC 8536 §3.3 extends it.
///
///     rule   = name offset [name [offset] "," date "," date]      CET-1CEST,M3.5.0,M10.5.0/3
///     name   = 3*ALPHA / "<" 3*(ALPHA / DIGIT / "+" / "-") ">"
///     offset = ["+" / "-"] hours [":" minutes [":" seconds]]      west of Greenwich is positive
///     date   = ("M" month "." week "." day / "J" day / day) ["/" offset]
package struct PosixTimeZone: Sendable {
    private enum Day: Sendable {
        /// Weekday 0…6 (Sunday is 0) of a week of a month; week 5 is the last one.
        case weekday(month: Int, week: Int, day: Int)
        /// 1…365, 29 February not counted.
        case julian(Int)
        /// 0…365, 29 February counted.
        case ordinal(Int)
    }

    private struct Change: Sendable {
        let day: Day
        /// Seconds of local time after midnight; may be negative or more than a day.
        let second: Int
    }

    private let standard: Int
    private let summer: (offset: Int, start: Change, end: Change)?

    package init(_ text: String, of zone: String) throws(Finding) {
        var reader = Reader(bytes: Array(text.utf8))
        guard reader.name(), let west = reader.offset(hours: 24) else { throw Self.error(text, zone) }
        standard = -west
        guard !reader.isAtEnd else {
            summer = nil
            return
        }
        guard reader.name() else { throw Self.error(text, zone) }
        let offset = reader.next == 0x2C ? standard + 3600 : reader.offset(hours: 24).map { -$0 }
        guard let offset, let start = reader.change(), let end = reader.change(), reader.isAtEnd else {
            throw Self.error(text, zone)
        }
        summer = (offset, start, end)
    }

    private static func error(_ text: String, _ zone: String) -> Finding {
        Finding("tz.rule", "\(zone): cannot read its rule \(text.prefix(80).debugDescription)")
    }

    func offset(at second: Int64) -> Int {
        guard let summer else { return standard }
        let day = Int((second + Int64(standard)).dividedFloor(by: 86_400))
        let year = CivilDate(daysSinceEpoch: day).year
        // Starts are in standard time, ends in summer time.
        let start = Self.second(of: summer.start, in: year) - Int64(standard)
        let end = Self.second(of: summer.end, in: year) - Int64(summer.offset)
        let isSummer = start <= end ? start <= second && second < end : second < end || start <= second
        return isSummer ? summer.offset : standard
    }

    /// Local seconds since 1970 at which a change is due.
    private static func second(of change: Change, in year: Int) -> Int64 {
        let newYear = CivilDate(year: year, month: 1, day: 1).daysSinceEpoch
        let day: Int
        switch change.day {
        case .ordinal(let number): day = newYear + number
        case .julian(let number):
            let isLeap = CivilDate(year: year, month: 2, day: 29).isValid
            day = newYear + number - (isLeap && number >= 60 ? 0 : 1)
        case .weekday(let month, let week, let weekday):
            let first = CivilDate(year: year, month: month, day: 1).daysSinceEpoch
            // 1970-01-01 was a Thursday.
            let firstWeekday = Int((Int64(first) + 4) - (Int64(first) + 4).dividedFloor(by: 7) * 7)
            let next = month == 12 ? (year + 1, 1) : (year, month + 1)
            let end = CivilDate(year: next.0, month: next.1, day: 1).daysSinceEpoch
            var found = first + (weekday - firstWeekday + 7) % 7 + (week - 1) * 7
            if found >= end { found -= 7 }
            day = found
        }
        return Int64(day) * 86_400 + Int64(change.second)
    }

    private struct Reader {
        let bytes: [UInt8]
        var position = 0

        init(bytes: [UInt8]) {
            self.bytes = bytes
        }

        var next: UInt8? { position < bytes.count ? bytes[position] : nil }
        var isAtEnd: Bool { position == bytes.count }

        mutating func take(_ byte: UInt8) -> Bool {
            guard next == byte else { return false }
            position += 1
            return true
        }

        mutating func name() -> Bool {
            let isQuoted = take(0x3C)
            let start = position
            while let byte = next {
                let isLetter = (0x41...0x5A).contains(byte & 0xDF)
                guard isLetter || isQuoted && ((0x30...0x39).contains(byte) || byte == 0x2B || byte == 0x2D) else {
                    break
                }
                position += 1
            }
            guard position - start >= 3 else { return false }
            return !isQuoted || take(0x3E)
        }

        mutating func number(_ range: ClosedRange<Int>) -> Int? {
            let start = position
            var value = 0
            while let byte = next, (0x30...0x39).contains(byte), position - start < 3 {
                value = value * 10 + Int(byte - 0x30)
                position += 1
            }
            return position > start && range.contains(value) ? value : nil
        }

        mutating func offset(hours: Int) -> Int? {
            let isNegative = take(0x2D)
            if !isNegative { _ = take(0x2B) }
            guard var value = number(0...hours).map({ $0 * 3600 }) else { return nil }
            for unit in [60, 1] where take(0x3A) {
                guard let part = number(0...59) else { return nil }
                value += part * unit
            }
            return isNegative ? -value : value
        }

        mutating func change() -> Change? {
            guard take(0x2C) else { return nil }
            let day: Day
            if take(0x4D) {
                guard let month = number(1...12), take(0x2E), let week = number(1...5), take(0x2E),
                    let weekday = number(0...6)
                else { return nil }
                day = .weekday(month: month, week: week, day: weekday)
            } else if take(0x4A) {
                guard let number = number(1...365) else { return nil }
                day = .julian(number)
            } else {
                guard let number = number(0...365) else { return nil }
                day = .ordinal(number)
            }
            guard take(0x2F) else { return Change(day: day, second: 7200) }
            return offset(hours: 167).map { Change(day: day, second: $0) }
        }
    }
}
