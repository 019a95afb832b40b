import TillColumns
import TillCore
import TillInput
import TillJSON
import TillRows

/// Turns JSON values in any spelling into cells.
///
/// Apple and the proxies between write one field as a string here and as a number or null there (quirks 46, 47), so
/// every reader takes all of them. `null` and the empty string are absent. Objects and arrays are errors.
struct FieldReader {
    /// Holds a string while its escapes are undone.
    private var scratch: [UInt8] = []
    private var minutes = MinuteCache()

    /// Text, as a code in the dictionary. A number or a boolean keeps its spelling.
    mutating func text(
        _ token: JSONToken,
        in json: JSONBytes,
        _ dictionary: inout TextDictionary
    ) throws(Finding) -> Int64? {
        guard try isPresent(token) else { return nil }
        guard token.hasEscapes else { return Int64(dictionary.code(for: json.raw(token))) }
        unescape(token, in: json)
        return Int64(dictionary.code(for: scratch.span.bytes))
    }

    /// A storefront. Apple's name is used for Kosovo.
    mutating func storefront(
        _ token: JSONToken,
        in json: JSONBytes,
        _ dictionary: inout TextDictionary
    ) throws(Finding) -> Int64? {
        if let cell = json.raw(token).kosovoCell(in: &dictionary) { return cell }
        return try text(token, in: json, &dictionary)
    }

    /// The text of an error, without device identifiers.
    mutating func message(
        _ token: JSONToken,
        in json: JSONBytes,
        _ dictionary: inout TextDictionary
    ) throws(Finding) -> Int64? {
        guard try isPresent(token) else { return nil }
        guard token.hasEscapes || MessageRedaction.mayApply(to: json.raw(token)) else {
            return Int64(dictionary.code(for: json.raw(token)))
        }
        unescape(token, in: json)
        let redacted = MessageRedaction.redacted(scratch.span.bytes)
        return redacted.isEmpty ? nil : Int64(dictionary.code(for: redacted.span.bytes))
    }

    /// U+FFFD, which stands for half a surrogate pair.
    private static let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]

    /// An id: digits become a number at once, and any other text is read by ``RowBatch/identifier(_:isNumber:)``.
    /// An id with half a surrogate pair is absent: two ids must not become one because each has lost a character.
    mutating func identifier(_ token: JSONToken, in json: JSONBytes, _ rows: inout RowBatch) throws(Finding) -> Int64? {
        // Digits first, since nearly all ids are numbers; no other kind of value consists of digits.
        if let number = json.decimal(token.start, token.end), token.count == 1 || json.byte(token.start) != 0x30 {
            return number
        }
        guard try isPresent(token) else { return nil }
        guard token.hasEscapes else { return rows.identifier(json.raw(token), isNumber: token.kind == .number) }
        unescape(token, in: json)
        if scratch.span.bytes.firstIndex(of: Self.replacement, from: 0, to: scratch.count) != nil { return nil }
        return rows.identifier(scratch.span.bytes)
    }

    /// An integer, from a number or a string of one.
    func integer(_ token: JSONToken, in json: JSONBytes) throws(Finding) -> Int64? {
        if let number = json.decimal(token.start, token.end) { return number }
        guard try isPresent(token) else { return nil }
        guard let number = number(token, in: json) else { throw Finding(.integer, at: token.start) }
        return number
    }

    /// The integer that a number or a text is; `nil` for any other value.
    func number(_ token: JSONToken, in json: JSONBytes) -> Int64? {
        if let number = json.decimal(token.start, token.end) { return number }
        // Codes of errors are negative more often than not.
        if json.byte(token.start) == 0x2D, let number = json.decimal(token.start + 1, token.end) { return -number }
        guard token.kind == .number || token.kind == .string else { return nil }
        return withText(of: token, in: json) { ScaledDecimal.parse($0, scale: 0) }
    }

    /// A quantity; a value that is not an integer, or does not fit 32 bits, is absent and counted.
    func quantity(_ token: JSONToken, in json: JSONBytes, _ reading: inout ReadingCounts) -> Int64? {
        guard let value = try? code(token, in: json) else { return missing(token, &reading) }
        return value
    }

    /// A value of an enumeration, by its number or by its name in Apple's libraries. Any other value is absent, and
    /// counted; objects and arrays are errors.
    func enumerated(
        _ enumeration: AppleWord.Enumeration,
        _ token: JSONToken,
        in json: JSONBytes,
        _ reading: inout ReadingCounts
    ) throws(Finding) -> Int64? {
        if token.count == 1, json.byte(token.start).isDigit, enumeration != .autoRenewStatus {
            return Int64(json.byte(token.start) - 0x30)
        }
        guard try isPresent(token) else { return nil }
        if let number = number(token, in: json), let code = Int32(exactly: number),
            enumeration != .autoRenewStatus || (0...1).contains(code)
        {
            return Int64(code)
        }
        return withText(of: token, in: json) { AppleWord.number(of: $0, in: enumeration) } ?? missing(token, &reading)
    }

    /// Counts a value that was given and cannot be read; `null` and the empty string mean that no value was given.
    private func missing(_ token: JSONToken, _ reading: inout ReadingCounts) -> Int64? {
        if token.kind != .null, token.kind != .string || token.count > 0 { reading.unread += 1 }
        return nil
    }

    /// The price, in thousandths of a unit. A price below 0 is a defect: money that goes back is a refund.
    func paidPrice(_ token: JSONToken, in json: JSONBytes) throws(Finding) -> Int64? {
        let price = try integer(token, in: json)
        if let price, price < 0 { throw Finding(.price, at: token.start) }
        return price
    }

    /// An integer of 32 bits: one of Apple's codes, or a quantity. StoreKit's quantities end at ten. A larger number
    /// than 32 bits is not a quantity, and must not make a sum overflow.
    func code(_ token: JSONToken, in json: JSONBytes) throws(Finding) -> Int64? {
        // Most quantities and statuses have one digit.
        if token.count == 1, json.byte(token.start).isDigit { return Int64(json.byte(token.start) - 0x30) }
        guard let number = try integer(token, in: json) else { return nil }
        guard Int32(exactly: number) != nil else { throw Finding(.integer, at: token.start) }
        return number
    }

    /// A flag: `true`, `"true"`, `1` and `"1"`, and their opposites; `"True"` is how Python and C# write it.
    func flag(_ token: JSONToken, in json: JSONBytes) throws(Finding) -> Int64? {
        guard try isPresent(token) else { return nil }
        guard let flag = withText(of: token, in: json, Self.flag) else { throw Finding(.boolean, at: token.start) }
        return flag
    }

    private static func flag(_ text: RawSpan) -> Int64? {
        switch (text.byteCount, text.byte(0) | 0x20) {
        case (1, 0x31): 1
        case (1, 0x30): 0
        case (4, 0x74) where text.equals("true") || text.equals("True"): 1
        case (5, 0x66) where text.equals("false") || text.equals("False"): 0
        default: nil
        }
    }

    /// Milliseconds since 1970, from a number or a string of one; fractions are cut (quirk 35). A value for no date is
    /// absent (``SaleDate``).
    func milliseconds(_ token: JSONToken, in json: JSONBytes) throws(Finding) -> Int64? {
        try SaleDate.checkedOther(try number(ofDate: token, in: json), at: token.start)
    }

    private func number(ofDate token: JSONToken, in json: JSONBytes) throws(Finding) -> Int64? {
        if let number = json.decimal(token.start, token.end) { return number }
        guard try isPresent(token) else { return nil }
        let number = withText(of: token, in: json) { ScaledDecimal.parse($0, scale: 0, excess: .truncate) }
        guard let number = number ?? otherDate(token, in: json) else { throw Finding(.date, at: token.start) }
        return number
    }

    /// The date of a text in another notation than Apple's and RFC 3339's, or a number in digits of another script.
    @inline(never)
    private func otherDate(_ token: JSONToken, in json: JSONBytes) -> Int64? {
        guard token.kind == .string else { return nil }
        return withText(of: token, in: json) { text in
            guard let digits = text.withASCIIDigits else { return text.otherDate }
            return ScaledDecimal.parse(digits.span.bytes, scale: 0, excess: .truncate) ?? digits.span.bytes.otherDate
        }
    }

    /// An instant from milliseconds or from text; a value that is all digits is milliseconds (quirk 33), and a value for
    /// no date is absent.
    mutating func instant(_ token: JSONToken, in json: JSONBytes) throws(Finding) -> Int64? {
        try SaleDate.checkedOther(try anyInstant(token, in: json), at: token.start)
    }

    private mutating func anyInstant(_ token: JSONToken, in json: JSONBytes) throws(Finding) -> Int64? {
        // A longer text is a date, unless it is a number that is no time at all.
        if token.count <= 16, let number = json.decimal(token.start, token.end) { return number }
        guard try isPresent(token) else { return nil }
        if token.kind == .string, let date = date(token, in: json) { return date.milliseconds }
        return try number(ofDate: token, in: json)
    }

    /// A date of purchase, expiry, cancellation or signing, from milliseconds (``SaleDate``).
    @inline(__always)
    func saleMilliseconds(_ token: JSONToken, in json: JSONBytes) throws(Finding) -> Int64? {
        try SaleDate.checked(try number(ofDate: token, in: json), at: token.start)
    }

    /// A date of expiry, cancellation or signing, from milliseconds or from text (``SaleDate``).
    @inline(__always)
    mutating func saleInstant(_ token: JSONToken, in json: JSONBytes) throws(Finding) -> Int64? {
        try SaleDate.checked(try anyInstant(token, in: json), at: token.start)
    }

    /// A date of purchase, from milliseconds or from text; `nil` for null. Any other value that means "no date" is a defect.
    mutating func purchaseInstant(_ token: JSONToken, in json: JSONBytes) throws(Finding) -> Int64? {
        if token.kind == .null { return nil }
        return try SaleDate.checkedPurchase(try anyInstant(token, in: json), at: token.start)
    }

    /// The date that a value's text is; PHP writes `Etc\/GMT`.
    private mutating func date(_ token: JSONToken, in json: JSONBytes) -> Timestamp? {
        guard token.hasEscapes else { return minutes.instant(of: json.raw(token)) }
        unescape(token, in: json)
        return Timestamp.parse(scratch.span.bytes)
    }

    /// The instant in a member that a dump adds: RFC 3339, milliseconds, or seconds.
    ///
    /// The unit of a number is detected from its magnitude. Any other value is ignored: the member is not Apple's, so
    /// it is no defect of the document.
    mutating func loggedInstant(_ token: JSONToken, in json: JSONBytes) -> Int64? {
        guard token.kind == .string || token.kind == .number, token.count > 0 else { return nil }
        if let number = json.decimal(token.start, token.end), Self.milliseconds.contains(number) {
            return number >= SaleDate.storeOpening ? number : nil
        }
        if let date = date(token, in: json) { return Self.writable(date.milliseconds) }
        return instant(byMagnitude: token, in: json).flatMap(Self.known)
    }

    /// The instant of a client event: RFC 3339, or a number whose unit is detected from its magnitude. `nil` for a
    /// number that means no time since the App Store opened, and for what RFC 3339 cannot write.
    mutating func eventInstant(_ token: JSONToken, in json: JSONBytes) throws(Finding) -> Int64? {
        // The form of nearly all logs.
        if token.kind == .string, !token.hasEscapes, let date = minutes.instantOfKnownMinute(json.raw(token)),
            date.milliseconds >= SaleDate.storeOpening, Self.milliseconds.contains(date.milliseconds)
        {
            return date.milliseconds
        }
        guard let instant = try anyInstant(token, in: json), !SaleDate.isNone(instant) else { return nil }
        if instant >= SaleDate.storeOpening, Self.milliseconds.contains(instant) { return instant }
        guard let number = self.instant(byMagnitude: token, in: json) else { return Self.writable(instant) }
        return Self.milliseconds.contains(instant) ? nil : Self.known(number)
    }

    /// The instant; `nil` after the year 9999, and for a value that means "no date".
    private static func writable(_ milliseconds: Int64) -> Int64? {
        SaleDate.isNone(milliseconds) || milliseconds > SaleDate.last ? nil : milliseconds
    }

    /// The instant that a number means: in seconds since 2001, as Swift encodes a `Date`, if it would lie before the
    /// App Store opened. `nil` if it then still lies before.
    private static func known(_ milliseconds: Int64) -> Int64? {
        guard milliseconds < SaleDate.storeOpening else { return milliseconds <= SaleDate.last ? milliseconds : nil }
        let since2001 = milliseconds + 978_307_200_000
        return since2001 >= SaleDate.storeOpening ? since2001 : nil
    }

    /// Numbers that are milliseconds: from March 1973 to the year 5138. Smaller ones are seconds, greater ones micro-
    /// or nanoseconds.
    private static let milliseconds: Range<Int64> = 100_000_000_000..<100_000_000_000_000

    /// The instant that a number is, its unit told by its magnitude.
    private func instant(byMagnitude token: JSONToken, in json: JSONBytes) -> Int64? {
        let whole = json.decimal(token.start, token.end).flatMap { $0 < Self.milliseconds.lowerBound ? nil : $0 }
        let text = json.raw(token)
        guard
            var number = whole ?? ScaledDecimal.parse(text, scale: 3, excess: .truncate)
                // Thousandths of a nanosecond do not fit 64 bits.
                ?? ScaledDecimal.parse(text, scale: 0, excess: .truncate)
        else { return nil }
        while number.magnitude >= Self.milliseconds.upperBound.magnitude { number /= 1000 }
        return number
    }

    /// A decimal price in thousandths of the currency's unit; it may have the noise of a binary fraction. Any other
    /// value is absent, and counted.
    func price(_ token: JSONToken, in json: JSONBytes, _ reading: inout ReadingCounts) -> Int64? {
        guard token.kind == .number || token.kind == .string else { return missing(token, &reading) }
        return withText(of: token, in: json) { ScaledDecimal.parse($0, scale: 3, excess: .dropNoise) }
            ?? missing(token, &reading)
    }

    /// The row's spelling of a word in `known`, else the unchanged text.
    mutating func word(
        _ token: JSONToken,
        in json: JSONBytes,
        _ dictionary: inout TextDictionary,
        _ known: (RawSpan) -> Word?
    ) throws(Finding) -> Int64? {
        guard try isPresent(token) else { return nil }
        if let word = withText(of: token, in: json, known) { return word.cell }
        return try text(token, in: json, &dictionary)
    }

    /// Whether a value is there: neither `null` nor the empty string. Objects and arrays are errors.
    func isPresent(_ token: JSONToken) throws(Finding) -> Bool {
        switch token.kind {
        case .string: return token.count > 0
        case .null: return false
        case .number, .true, .false: return true
        case .object, .array: throw Finding(.type, at: token.start)
        }
    }

    /// Whether a value is a word of Apple's, by its letters in lower case (``AppleWord``).
    func isWord(_ letters: StaticString, _ token: JSONToken, in json: JSONBytes) -> Bool {
        withText(of: token, in: json) { AppleWord.isWord($0, letters) }
    }

    /// Whether the text of a value is this one.
    func isText(_ text: StaticString, _ token: JSONToken, in json: JSONBytes) -> Bool {
        withText(of: token, in: json) { $0.equals(text) }
    }

    /// Whether a member is the table in a row of events that `convert` wrote, whose errors and prices are in columns.
    func isTableOfEvents(_ table: JSONToken?, in json: JSONBytes) -> Bool {
        guard let table, table.kind == .string else { return false }
        return isText("events", table, in: json)
    }

    /// Gives the text of a value to `body`, its escapes undone.
    @inline(__always)
    private func withText<Result>(of token: JSONToken, in json: JSONBytes, _ body: (RawSpan) -> Result) -> Result {
        guard token.hasEscapes else { return body(json.raw(token)) }
        // Escapes in a number or a word are rare, but JSON allows them.
        var text: [UInt8] = []
        json.appendText(of: token, to: &text)
        return body(text.span.bytes)
    }

    private mutating func unescape(_ token: JSONToken, in json: JSONBytes) {
        scratch.removeAll(keepingCapacity: true)
        json.appendText(of: token, to: &scratch)
    }
}

extension JSONCursor {
    /// Moves to the `{` of an object; a value of another kind is an error where it stands.
    @_lifetime(self: copy self)
    mutating func requireObject() throws(Finding) {
        if byte(position) == 0x7B { return }
        let token = try token()
        guard token.kind == .object else { throw Finding(.type, at: token.start) }
    }
}

extension RawSpan {
    /// The cell of Kosovo under Apple's name, XKS, if a storefront is Kosovo under another name; else `nil`.
    func kosovoCell(in dictionary: inout TextDictionary) -> Int64? {
        equals("XK") || equals("XKX") ? Int64(dictionary.code(for: "XKS")) : nil
    }
}
