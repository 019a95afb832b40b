import TillCore

/// The rule for dates of purchase, expiry, cancellation and signing: none is before the opening of the App Store, or
/// after the year 9999.
///
///     1772446500        seconds where milliseconds belong: 21 January 1970
///     794139300.5       seconds since 2001, as Swift's `Date` is encoded: 10 January 1970
///     1772446500000000  microseconds: a year of five digits
///
/// Such a date would put the sale or its refund into no month that anybody reports, so the document is a reject. A
/// cancellation of 0 is none, though: programs write it where there was no refund. Dates of the first purchase, of
/// creation, of request and of renewal may be earlier, because Xcode writes the year 1 for the first (quirk 31); the
/// years 0 to 9999 are allowed.
enum SaleDate {
    /// 2008-07-10T00:00:00Z.
    static let storeOpening: Int64 = 1_215_648_000_000
    /// 9999-12-31T23:59:59.999Z, the last instant that RFC 3339 can write.
    static let last: Int64 = 253_402_300_799_999
    /// The instants that RFC 3339 can write, from 0000-01-01T00:00:00Z.
    static let writable = -62_167_219_200_000...last

    /// Foundation's `Date.distantPast`, in milliseconds: as Xcode writes it, and as the calendar of RFC 3339 counts
    /// that day.
    private static let distantPast: [Int64] = [-62_135_769_600_000, -62_135_596_800_000]

    /// The date, which is absent where it is `Date.distantPast`.
    ///
    /// - Parameter offset: where the value stands.
    @inline(__always)
    static func checked(_ milliseconds: Int64?, at offset: Int) throws(Finding) -> Int64? {
        guard let milliseconds, !(storeOpening...last).contains(milliseconds) else { return milliseconds }
        return try outside(milliseconds, at: offset)
    }

    /// A date that is none of the sale itself, which is absent where it is 0: programs write it for a date that they do
    /// not have.
    static func checkedOther(_ milliseconds: Int64?, at offset: Int) throws(Finding) -> Int64? {
        guard let milliseconds, milliseconds != 0 else { return nil }
        guard writable.contains(milliseconds) else { throw Finding(.dateRange, at: offset) }
        return milliseconds
    }

    /// The date of a cancellation, which is absent where it is 0, too.
    static func checkedCancellation(_ milliseconds: Int64?, at offset: Int) throws(Finding) -> Int64? {
        milliseconds == 0 ? nil : try checked(milliseconds, at: offset)
    }

    @inline(never)
    private static func outside(_ milliseconds: Int64, at offset: Int) throws(Finding) -> Int64? {
        if distantPast.contains(milliseconds) { return nil }
        throw Finding(.dateRange, at: offset)
    }
}
