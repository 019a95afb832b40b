import TillCore
import TillInput

/// The rule for dates: which values say that there is no date, and which dates no sale has.
///
///     0   1970-01-01T00:00:00Z            a number that was never set
///     0001-01-01T00:00:00Z, in text, milliseconds or seconds       Go, .NET, `Date.distantPast`
///     Long.MIN_VALUE, -1000000000-01-01T00:00:00Z, -999999999-01-01T00:00:00       Java
///
/// Such a value is absent. Only a purchase must have a date, so there it is a reject.
///
///     1772446500        seconds where milliseconds belong: 21 January 1970
///     794139300.5       seconds since 2001, as Swift's `Date` is encoded: 10 January 1970
///     1772446500000000  microseconds: a year of five digits
///
/// Dates of purchase, expiry, cancellation and signing before the opening of the App Store or after the year 9999 would
/// put the sale or its refund into no month that anybody reports, so the document is a reject. Dates of the first
/// purchase, of creation, of request and of renewal may be any up to the year 9999.
enum SaleDate {
    /// 2008-07-10T00:00:00Z.
    static let storeOpening: Int64 = 1_215_648_000_000
    /// 9999-12-31T23:59:59.999Z, the last instant that RFC 3339 can write.
    static let last: Int64 = 253_402_300_799_999

    /// 0002-01-01T00:00:00Z.
    private static let yearTwo: Int64 = -62_104_060_800_000
    /// The years 0 and 1 in seconds since 1970, or since 2001. Read as milliseconds they are twelve days of 1968.
    private static let secondsOfYearOne: Range<Int64> = -63_145_526_400 ..< -62_104_060_800

    /// Whether an instant in milliseconds, or in place of one, says that there is no date.
    static func isNone(_ milliseconds: Int64) -> Bool {
        milliseconds == 0 || milliseconds < yearTwo || secondsOfYearOne.contains(milliseconds)
    }

    /// A date of expiry, cancellation or signing.
    ///
    /// - Parameter offset: the offset of the value.
    @inline(__always)
    static func checked(_ milliseconds: Int64?, at offset: Int) throws(Finding) -> Int64? {
        guard let milliseconds, !(storeOpening...last).contains(milliseconds) else { return milliseconds }
        return try outside(milliseconds, at: offset)
    }

    /// The date of a purchase; it must not be missing.
    @inline(__always)
    static func checkedPurchase(_ milliseconds: Int64?, at offset: Int) throws(Finding) -> Int64 {
        guard let date = try checked(milliseconds, at: offset) else {
            throw Finding(.noPurchaseDate, at: offset)
        }
        return date
    }

    /// A date that is not of the sale itself.
    static func checkedOther(_ milliseconds: Int64?, at offset: Int) throws(Finding) -> Int64? {
        guard let milliseconds, !isNone(milliseconds) else { return nil }
        guard milliseconds <= last else { throw Finding(.dateRange, at: offset) }
        return milliseconds
    }

    @inline(never)
    private static func outside(_ milliseconds: Int64, at offset: Int) throws(Finding) -> Int64? {
        if isNone(milliseconds) { return nil }
        throw Finding(.dateRange, at: offset)
    }
}

extension RawSpan {
    /// Bytes of the longest text that ``otherDate`` reads.
    private static let longestDate = 64

    /// The milliseconds of a date in a notation other than RFC 3339, and 0 for a text that says that there is no date;
    /// `nil` for any other text.
    ///
    ///     /Date(1772446500000)/  /Date(-62135596800000+0000)/          .NET
    ///     0001-01-01T00:00:00  01/01/0001 00:00:00  1/1/0001 12:00:00 AM  Mon, 01 Jan 0001 00:00:00 GMT
    ///     -999999999-01-01T00:00:00  0000-00-00 00:00:00               Java, MySQL
    ///     None  null  NaT
    var otherDate: Int64? {
        guard byteCount <= Self.longestDate else { return nil }
        var letters: [UInt8] = []
        var numbers: [(value: Int64, digits: Int)] = []
        for index in 0..<byteCount {
            let byte = byte(index)
            if byte.isDigit {
                let continues = index > 0 && self.byte(index - 1).isDigit
                let begun = continues ? numbers.removeLast() : (value: 0, digits: 0)
                guard begun.digits < 18 else { return nil }
                numbers.append((begun.value * 10 + Int64(byte - 0x30), begun.digits + 1))
            } else if byte.isLetterOrDigit {
                letters.append(byte.lowercased)
            }
        }
        guard let first = numbers.first else {
            let isEmpty = (0..<byteCount).allSatisfy { byte($0) == 0x20 || byte($0) == 0x2D }
            return isEmpty || letters == Array("nat".utf8) || Placeholder.isWord(letters) ? 0 : nil
        }
        if byteCount > 6, byte(0) == 0x2F, letters == Array("date".utf8) {
            return byte(6) == 0x2D ? -first.value : first.value
        }
        if byte(0) == 0x2D, first.digits >= 9, numbers.dropFirst().prefix(2).map(\.value) == [1, 1] { return 0 }
        let january = Array("jan".utf8)
        if letters.indices.contains(where: { letters[$0...].starts(with: january) }) { numbers.insert((1, 2), at: 0) }
        guard numbers.count >= 3, let year = numbers[..<3].firstIndex(where: { $0.digits == 4 }) else { return nil }
        let value = numbers.remove(at: year).value
        guard value <= 1 || value == 1970 && numbers[2...].allSatisfy({ $0.value % 12 == 0 }) else { return nil }
        return numbers[..<2].allSatisfy { $0.value == min(value, 1) } ? 0 : nil
    }
}
