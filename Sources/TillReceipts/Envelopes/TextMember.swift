import TillInput
import TillRows

/// Reads what text says beside a document in it, as the members of an object around it would.
///
///     level=info status=21007 environment=Sandbox receipt={…}        a line of a log
///     verifyReceipt: status 21003, receipt: {…}
///     environment=Sandbox&receipt=%7B…                               a form
///     POST https://sandbox.itunes.apple.com/verifyReceipt 200 {…}
///     status,environment,receipt  ›  21007,Sandbox,"{…}"             a row of delimited text
///
/// Names count in any spelling of letters and separators, and mostly with words before them: `receipt_status`. `code`,
/// `env` and `sandbox` stand by themselves. Times are left out: the `time` of a log is often how long something took.
enum TextMember {
    case status, environment, bundleID
    /// Whether something is of the sandbox.
    case isSandbox

    /// Bytes of the longest name and the longest value that are looked at.
    private static let lengthLimit = 128

    /// The member that a name stands for.
    init?(name: RawSpan) {
        guard (3...Self.lengthLimit).contains(name.byteCount) else { return nil }
        // Nearly all names end otherwise, so two letters decide.
        switch (name.byte(name.byteCount - 2) | 0x20, name.byte(name.byteCount - 1) | 0x20) {
        case (0x75, 0x73) where AppleWord.ends(name, with: "status"): self = .status
        case (0x64, 0x65) where Self.isStatusCode(name): self = .status
        case (0x6E, 0x74) where AppleWord.ends(name, with: "environment"): self = .environment
        case (0x6E, 0x76) where AppleWord.isWord(name, "env"): self = .environment
        case (0x69, 0x64) where AppleWord.ends(name, with: "bundleid"): self = .bundleID
        case (0x6F, 0x78) where AppleWord.isWord(name, "sandbox") || AppleWord.isWord(name, "issandbox"):
            self = .isSandbox
        default: return nil
        }
    }

    /// Whether a name that ends with `de` is that of a status. A `zip_code` is something else.
    private static func isStatusCode(_ name: RawSpan) -> Bool {
        AppleWord.isWord(name, "code")
            || statusCodes.contains { AppleWord.ends(name, with: $0) }
    }

    private static let statusCodes: [StaticString] = ["statuscode", "errorcode", "resultcode", "responsecode"]

    /// The facts in the text outside of `documents`, which are in order.
    static func facts(in text: RawSpan, outside documents: [Range<Int>]) -> EnvelopeFacts {
        var facts = EnvelopeFacts()
        var index = 0
        for hole in documents + [text.byteCount..<text.byteCount] {
            while index < hole.lowerBound {
                let end = text.endOfWord(from: index, to: hole.lowerBound)
                if end - index > 20, SandboxHost.isNamed(in: text.extracting(index..<end)) {
                    facts.environment = facts.environment ?? .sandbox
                } else if end > index, let member = TextMember(name: text.extracting(index..<end)) {
                    facts.note(member, text.value(behind: end, to: hole.lowerBound))
                }
                index = max(end, index + 1)
            }
            index = max(index, hole.upperBound)
        }
        return facts
    }
}

extension EnvelopeFacts {
    /// A flag that is set, in lower case: PostgreSQL writes `t`.
    private static let trueWords = Set(["true", "1", "t", "yes", "y", "on"].map { Array($0.utf8) })

    /// Takes a member of text into the facts, whose value is the first word of `text`. The first of several that say
    /// the same thing counts.
    mutating func note(_ member: TextMember, _ text: RawSpan) {
        let start = (0..<text.byteCount).first { text.byte($0) > 0x22 } ?? 0
        let value = text.extracting(start..<text.endOfWord(from: start, to: text.byteCount))
        switch member {
        case .status: status = status ?? VerifyFormat.tellingStatus(value)
        case .environment: environment = environment ?? AppleWord.environmentAround(value)
        case .isSandbox:
            let isTrue = value.byteCount <= 4 && Self.trueWords.contains(value.letters(atMost: 4))
            if isTrue { environment = environment ?? .sandbox }
        case .bundleID:
            guard bundleID == nil, value.byteCount > 0 else { return }
            bundleID = value.copied
        }
    }
}

extension VerifyFormat {
    /// The status that a text is, if it is one that verifyReceipt alone gives. A 0 stands beside many things.
    static func tellingStatus(_ text: RawSpan) -> Int64? {
        guard let (status, end) = text.integer(at: 0), end == text.byteCount, status != 0, isKnown(status: status)
        else {
            return nil
        }
        return status
    }
}

extension RawSpan {
    /// The end of the word that begins at an index, of a name or of a value.
    fileprivate func endOfWord(from start: Int, to limit: Int) -> Int {
        var index = start
        while index < limit, byte(index).isLetterOrDigit || [0x5F, 0x2D, 0x2E].contains(byte(index)) { index += 1 }
        return index
    }

    /// The value behind a name: after `=`, `:` or `=>`, in quotes or without, or a number after a space; empty where
    /// none stands there.
    @_lifetime(copy self)
    fileprivate borrowing func value(behind end: Int, to limit: Int) -> RawSpan {
        var start = end
        var isAssigned = false
        while start < limit, start - end < 8, #" ="':>\]"#.utf8.contains(byte(start)) {
            if byte(start) == 0x3D || byte(start) == 0x3A { isAssigned = true }
            start += 1
        }
        let value = extracting(start..<endOfWord(from: start, to: limit))
        return isAssigned || value.integer(at: 0) != nil ? value : extracting(start..<start)
    }
}
