import TillInput

/// Reads the description of an `NSError` and of the errors under it.
///
///     error      = "Error Domain=" domain " Code=" code [" " DQUOTE text DQUOTE] [" UserInfo=" [address " "] dictionary]
///     dictionary = "{" … "NSUnderlyingError=" address " {" error "}" … "}"
///
/// Every error inside the braces of the first error counts as underlying. A truncated dump is read up to the cut.
struct ErrorDumpReader: ~Escapable {
    private let text: RawSpan
    private var position: Int
    private(set) var errors: [ClientLogLine.LoggedError] = []
    /// Where the text of the first error stands.
    private(set) var message: Range<Int>?

    private static let codeMark = Array(" Code=".utf8)
    private static let userInfoMark = Array("\" UserInfo=".utf8)
    /// The longest name of a domain.
    private static let domainLimit = 256

    @_lifetime(copy text)
    init(_ text: RawSpan, at start: Int) {
        self.text = text
        position = start
    }

    /// Reads the error that the reader stands on, and all within its braces.
    @_lifetime(self: copy self)
    mutating func readChain() {
        readError()
        readMessage()
        var depth = 0
        while position < text.byteCount {
            switch text.byte(position) {
            case 0x7B: depth += 1
            case 0x7D:
                depth -= 1
                if depth <= 0 { return }
            case 0x45 where depth > 0 && text.stands(Framer.errorDumpMark, at: position):
                readError()
                continue
            default: break
            }
            position += 1
        }
    }

    /// Reads domain and code.
    @_lifetime(self: copy self)
    private mutating func readError() {
        let start = position + Framer.errorDumpMark.count
        let reach = min(text.byteCount, start + Self.domainLimit)
        // The line may contain many errors, and no error may take time for the whole line.
        let limit = text.firstIndex(of: 0x0A, from: start, to: reach) ?? reach
        position = start
        guard let mark = text.firstIndex(of: Self.codeMark, from: start, to: limit) else {
            // Cut inside the domain, which is not known then.
            errors.append(ClientLogLine.LoggedError(domain: nil, code: nil))
            return
        }
        position = mark + Self.codeMark.count
        let number = text.integer(at: position)
        if let number { position = number.end }
        let domain = mark > start ? text.text(start..<mark) : nil
        errors.append(ClientLogLine.LoggedError(domain: domain, code: number?.value))
    }

    /// Reads the text in quotes, which may hold quotes itself: it ends before the dictionary, else at the first quote
    /// that something other than text follows, else with the line.
    @_lifetime(self: copy self)
    private mutating func readMessage() {
        guard text.stands([0x20, 0x22], at: position) else { return }
        let start = position + 2
        let next = text.firstIndex(of: Framer.errorDumpMark, from: start, to: text.byteCount) ?? text.byteCount
        let end =
            text.firstIndex(of: Self.userInfoMark, from: start, to: next) ?? closingQuote(from: start, to: next)
            ?? min(next, text.endOfLine(from: start))
        message = start..<end
        position = end
    }

    private func closingQuote(from start: Int, to end: Int) -> Int? {
        var index = start
        while let quote = text.firstIndex(of: 0x22, from: index, to: end) {
            index = quote + 1
            if index == end || [0x0A, 0x0D, 0x29, 0x2C, 0x3B, 0x5D, 0x7D].contains(text.byte(index)) { return quote }
        }
        return nil
    }
}

extension RawSpan {
    func stands(_ expected: [UInt8], at start: Int) -> Bool {
        guard start + expected.count <= byteCount else { return false }
        return expected.indices.allSatisfy { byte(start + $0) == expected[$0] }
    }
}
