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

    @inlinable
    public init() {}

    /// The instant that a text names; `nil` if it names none.
    @inlinable
    public mutating func instant(of text: RawSpan) -> Timestamp? {
        guard text.byteCount == 24 else { return Timestamp.parse(text) }
        let minute = (text.word(0), text.word(8))
        let rest = Timestamp.millisecondsOfMinute(text.word(16))
        if let rest, let latest = self.minute, latest == minute { return Timestamp(milliseconds: start + rest) }
        guard let instant = Timestamp.parse(text) else { return nil }
        if let rest { (self.minute, start) = (minute, instant.milliseconds - rest) }
        return instant
    }
}
