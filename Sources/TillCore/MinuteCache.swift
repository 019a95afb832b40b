/// Parses the instants of a log, where most instants have the minute of the one before.
///
///     2 0 2 4 - 0 3 - │ 0 4 T 1 9 : 3 6 │ : 4 0 . 1 2 5 Z        three words of eight bytes
///     └──── equal to the one before ────┘ └── parsed ───┘
///
/// The result equals that of ``Timestamp/parse(_:)``. Cost: three comparisons where the minute is the same.
@frozen
public struct MinuteCache: Sendable {
    /// The text of the minute; `nil` before the first.
    @usableFromInline var minute: (UInt64, UInt64)?
    /// When the minute begins, in milliseconds.
    @usableFromInline var start: Int64 = 0

    /// Starts without a known minute, so that the first instant is parsed completely.
    @inlinable
    public init() {}

    /// The instant that a text names; `nil` if it names none.
    @inlinable
    public mutating func instant(of text: RawSpan) -> Timestamp? {
        if let instant = instantOfKnownMinute(text) { return instant }
        guard let instant = Timestamp.parse(text) else { return nil }
        if text.byteCount == 24, let rest = Timestamp.millisecondsOfMinute(text.word(16)) {
            (minute, start) = ((text.word(0), text.word(8)), instant.milliseconds - rest)
        }
        return instant
    }

    /// The instant that a text names if it has the minute of the one before; `nil` for any other text.
    @inlinable
    @inline(__always)
    public func instantOfKnownMinute(_ text: RawSpan) -> Timestamp? {
        guard text.byteCount == 24, let minute, minute == (text.word(0), text.word(8)) else { return nil }
        return Timestamp.millisecondsOfMinute(text.word(16)).map { Timestamp(milliseconds: start + $0) }
    }
}
