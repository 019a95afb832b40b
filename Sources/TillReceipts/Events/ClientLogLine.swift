package import TillCore
import TillInput

/// A line or string of a client log about a failure, or an error dump over several lines (`docs/formats.md`).
///
///     2026-03-02 10:15:00.120+0100 Shop[214] User CANCELLED FailedTransaction Code=2 Cannot connect to iTunes Store
///     Error Domain=SKErrorDomain Code=0 "…" UserInfo={NSUnderlyingError=0x2812 {Error Domain=ASDErrorDomain Code=500 …}}
///     <SKPaymentQueue: 0x2810>: Payment completed with error: Error Domain=SKErrorDomain Code=2 "…" UserInfo={…}
///     [StoreKit] ESSSERVERERRORDOMAIN5020: Forgot your password?
///     The operation couldn’t be completed. (SKErrorDomain error 2.)
///
/// Text before an entry is skipped, except for a date at its beginning. Of several errors the first counts, but a dump
/// takes precedence. Errors in the braces of a dump, or in parentheses after an error, are underlying errors.
package struct ClientLogLine {
    /// One error of a chain.
    package struct LoggedError: Hashable {
        /// `nil` if the line has only a code.
        package var domain: String?
        /// `nil` if the line was cut before it.
        package var code: Int64?
    }

    /// The time of the entry; `nil` without a time zone.
    package var at: Timestamp?
    /// From the outermost to the deepest.
    package var errors: [LoggedError]
    /// Whether the text before the error speaks of a restore.
    var isOfRestore = false
    /// The message of the outermost error, without device identifiers.
    package var message: String?

    /// How far into a text an entry is looked for.
    private static let searchLimit = 64 << 10
    static let failedTransaction = Array("FailedTransaction Code=".utf8)

    /// Whether a text holds such an entry; it may be any string.
    ///
    /// JSON holds one only as a value. Text without a space among its first bytes is base64, unless it is short. A text
    /// without an entry costs a search for a few letters and no memory.
    static func recognizes(_ text: RawSpan) -> Bool {
        guard text.byteCount > 0, text.byte(0) != 0x7B, text.byte(0) != 0x22 else { return false }
        let head = min(text.byteCount, 256)
        guard text.byteCount == head || text.firstIndex(of: 0x20, from: 0, to: head) != nil else { return false }
        let end = min(text.byteCount, searchLimit)
        return text.firstIndex(of: Framer.errorDumpMark, from: 0, to: end) != nil
            || text.firstIndex(of: failedTransaction, from: 0, to: end) != nil
            || WrappedErrorCode.find(in: text, to: end) != nil
            || ErrorMentionSearch(text, to: end).first(from: 0) != nil
    }

    /// Reads an entry.
    ///
    /// An error's own description is preferred to the text around it.
    package init(_ text: RawSpan) throws(Finding) {
        guard text.isUTF8 else { throw Finding(.utf8) }
        let end = min(text.byteCount, Self.searchLimit)
        at = Self.date(text)
        errors = []
        let dump = text.firstIndex(of: Framer.errorDumpMark, from: 0, to: end)
        let messageRange: Range<Int>?
        if let dump {
            if let mention = ErrorMentionSearch(text, to: dump).first(from: 0),
                let contents = text.contents(behind: mention.end, to: end), contents.contains(dump)
            {
                messageRange = readChain(text, from: mention, to: end)
            } else {
                var reader = ErrorDumpReader(text, at: dump)
                reader.readChain()
                (errors, messageRange) = (reader.errors, reader.message)
                guard errors.first?.code != nil else { throw Finding(.errorCode) }
            }
        } else {
            messageRange = try readFirst(text, to: end)
        }
        isOfRestore = RestoreWord.isIn(text.extracting(0..<(dump ?? messageRange?.lowerBound ?? end)))
        message = messageRange.flatMap { Self.message(text, $0) }
    }

    /// Reads the first error of a text without a dump; gives where what it says stands.
    private mutating func readFirst(_ text: RawSpan, to end: Int) throws(Finding) -> Range<Int> {
        let mark = text.firstIndex(of: Self.failedTransaction, from: 0, to: end)
        let code = mark.map { $0 + Self.failedTransaction.count }
        let wrapped = WrappedErrorCode.find(in: text, to: end)
        let mention = ErrorMentionSearch(text, to: end).first(from: 0)
        if let mention, !mention.isOfSDK || code == nil && wrapped == nil, mention.end < code ?? .max,
            mention.end < wrapped?.end ?? .max
        {
            return readChain(text, from: mention, to: end)
        }
        if let code, code < wrapped?.end ?? .max {
            guard let number = text.integer(at: code) else { throw Finding(.errorCode, at: code) }
            errors = [LoggedError(domain: nil, code: number.value)]
            return number.end..<text.endOfLine(from: number.end)
        }
        guard let wrapped else { throw Finding(.unrecognized) }
        errors = [LoggedError(domain: wrapped.domain, code: wrapped.code)]
        return wrapped.end..<text.endOfLine(from: wrapped.end)
    }

    /// Reads an error and those in the parentheses behind it, each in those of the one before; gives the text behind
    /// it.
    ///
    ///     StoreKitError.networkError(URLError(_nsError: Error Domain=NSURLErrorDomain Code=-1009 "…"))
    private mutating func readChain(_ text: RawSpan, from mention: ErrorMention, to end: Int) -> Range<Int> {
        errors = [mention.error]
        var contents = text.contents(behind: mention.end, to: end)
        var behind = contents?.upperBound ?? mention.end
        while let range = contents, errors.count < FailureClasses.chainLimit {
            let dump = text.firstIndex(of: Framer.errorDumpMark, from: range.lowerBound, to: range.upperBound)
            let search = ErrorMentionSearch(text, to: dump ?? range.upperBound)
            let inner = search.first(from: range.lowerBound)
            contents = inner.flatMap { text.contents(behind: $0.end, to: range.upperBound) }
            if let inner, dump.map({ contents?.contains($0) == true }) ?? true {
                errors.append(inner.error)
            } else if let dump {
                var reader = ErrorDumpReader(text.extracting(0..<range.upperBound), at: dump)
                reader.readChain()
                errors += reader.errors
                contents = nil
            }
        }
        // Parentheses after a code contain a text and no error.
        if errors.count == 1, mention.error.code != nil { behind = mention.end }
        let line = text.endOfLine(from: behind)
        return text.endOfSentence(from: behind, to: line)..<line
    }

    /// The text of an error without the marks around it; `nil` if it says nothing.
    private static func message(_ text: RawSpan, _ range: Range<Int>) -> String? {
        var range = range
        while let first = range.first, isMargin(text.byte(first)) { range.removeFirst() }
        while let last = range.last, text.byte(last) <= 0x20 { range.removeLast() }
        guard !range.isEmpty, !text.extracting(range).equals("(null)") else { return nil }
        guard MessageRedaction.mayApply(to: text.extracting(range)) else { return text.text(range) }
        return String(input: MessageRedaction.redacted(text.extracting(range)))
    }

    private static func isMargin(_ byte: UInt8) -> Bool {
        byte <= 0x20 || [0x2C, 0x2D, 0x3A, 0x3B, 0x5D, 0x7D, 0x29].contains(byte)
    }

    private static let zones = [" UTC", " GMT"].map { Array($0.utf8) }

    /// The date at the beginning, if it says its zone.
    ///
    ///     2026-03-02T10:15:00.120Z    2026-03-02 10:15:00.120456+0100    [2026-03-02 10:15:00,120 +01:00]
    ///     2026-03-02 10:15:00 GMT+2   2026-03-02 10:15:00.120 UTC
    static func date(_ text: RawSpan) -> Timestamp? {
        guard text.byteCount > 0 else { return nil }
        var index = text.byte(0) == 0x5B ? 1 : 0
        guard text.byte(index < text.byteCount ? index : 0).isDigit else { return nil }
        var date: [UInt8] = []
        date.reserveCapacity(44)
        func take(while isPart: (UInt8) -> Bool) {
            while index < text.byteCount, date.count < 40, isPart(text.byte(index)) {
                // Some loggers write a comma before the milliseconds.
                date.append(text.byte(index) == 0x2C ? 0x2E : text.byte(index))
                index += 1
            }
        }
        take { $0.isDigit || $0 == 0x2D }
        take { date.count == 10 && ($0 == 0x20 || $0 | 0x20 == 0x74) }
        take { $0.isDigit || $0 == 0x3A }
        if index + 1 < text.byteCount, text.byte(index + 1).isDigit { take { $0.isDigit || $0 == 0x2E || $0 == 0x2C } }
        if index + 1 < text.byteCount, text.byte(index) == 0x20 {
            if let zone = Self.zones.first(where: { text.stands($0, at: index) }) {
                date += zone
                index += zone.count
                guard text.beginsOffset(at: index) else { return Timestamp.parse(date.span.bytes) }
            } else {
                index += 1
            }
        }
        take { $0.isDigit || $0 == 0x2B || $0 == 0x2D || $0 == 0x3A || $0 == 0x5A }
        while date.last == 0x3A { date.removeLast() }
        return Timestamp.parse(date.span.bytes)
    }
}

extension RawSpan {
    /// The decimal integer at `start` and where it ends; `nil` if none of 64 bits stands there.
    func integer(at start: Int) -> (value: Int64, end: Int)? {
        let isNegative = start < byteCount && byte(start) == 0x2D
        var index = isNegative ? start + 1 : start
        var value: Int64 = 0
        let first = index
        while index < byteCount, (0x30...0x39).contains(byte(index)) {
            let digit = Int64(byte(index) - 0x30)
            let (product, tooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, over) = product.addingReportingOverflow(isNegative ? -digit : digit)
            guard !tooLarge, !over else { return nil }
            value = sum
            index += 1
        }
        return index > first ? (value, index) : nil
    }

    /// Whether a sign and a digit stand at an index.
    fileprivate func beginsOffset(at index: Int) -> Bool {
        index + 1 < byteCount && (byte(index) == 0x2B || byte(index) == 0x2D) && byte(index + 1).isDigit
    }

    /// Whether all of it is UTF-8; no copy is made.
    fileprivate var isUTF8: Bool {
        withUnsafeBytes { bytes in
            bytes.withMemoryRebound(to: UInt8.self) { (try? UTF8Span(validating: $0.span)) != nil }
        }
    }

    /// The line feed at or after `start`, else the end.
    func endOfLine(from start: Int) -> Int {
        firstIndex(of: 0x0A, from: start, to: byteCount) ?? byteCount
    }

    /// The text in the parentheses after `start`, up to `limit` if they are not closed; `nil` if there are none.
    fileprivate func contents(behind start: Int, to limit: Int) -> Range<Int>? {
        let open = start < limit && byte(start) == 0x20 ? start + 1 : start
        guard open < limit, byte(open) == 0x28 else { return nil }
        var depth = 0
        for index in open..<limit {
            if byte(index) == 0x28 { depth += 1 }
            guard byte(index) == 0x29 else { continue }
            depth -= 1
            if depth == 0 { return open + 1..<index }
        }
        return open + 1..<limit
    }

    /// The end of the signs that close a sentence or a quotation at `start`, in any language: `.)`, `2。）`.
    fileprivate func endOfSentence(from start: Int, to limit: Int) -> Int {
        var index = start
        while index < limit {
            if byte(index) < 0x80, RawSpan.closings.contains(byte(index)) {
                index += 1
            } else if let mark = RawSpan.wideClosings.first(where: { stands($0, at: index) }) {
                index = min(limit, index + mark.count)
            } else {
                break
            }
        }
        return index
    }

    private static let closings = Array(" .)]}>,;:!\"'`".utf8)
    private static let wideClosings = ["。", "）", "：", "，", "．", "”", "’", "»", "」"].map { Array($0.utf8) }

    func text(_ range: Range<Int>) -> String {
        extracting(range).withUnsafeBytes { String(input: $0) }
    }
}
