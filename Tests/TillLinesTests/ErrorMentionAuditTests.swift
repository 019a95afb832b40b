import Foundation
import Testing
import TillTestSupport

/// A second reading of the rule, written with regular expressions, to which the first is compared.
private struct PlainSearch {
    private static let codeWord =
        "(?:(?<![A-Za-z0-9_])(?:[Ee][Rr][Rr]|[Cc][Oo][Dd]|[Kk][Oo][Dd]|[Ff][Ee][Hh][Ll])[A-Za-z0-9_]*"
        + "|[A-Za-z0-9_]*(?:Code|_code)(?![A-Za-z0-9_]))"
    private static let sign = "[ \\t:=,;()\\[\\]{}\"'\\-|\\\\/>#*`]"

    private static let name = pattern(
        "(?<![A-Za-z0-9_])((?:SK|SS|SSServer|ASD|ASDServer|AMS|NSURL|NSCocoa|NSPOSIX)ErrorDomain|SKError)"
            + "(?![A-Za-z]|_(?![0-9])|\\.[A-Za-z0-9_])"
    )
    private static let number = pattern("(?:-|(?<![A-Za-z0-9_-]))[0-9]+(?![A-Za-z0-9_%]|[-.:/][0-9])")
    /// A decimal, a time or a date, behind which nothing is looked for.
    private static let manyParts = pattern("(?<![A-Za-z0-9_])[0-9]+[-.:/][0-9]")
    private static let word = pattern("[A-Za-z0-9_]+")
    private static let twoWordsForCode = pattern("\(codeWord)(?:\(sign)|[\\x{80}-\\x{10FFFF}])+(?=\(codeWord))")
    private static let foreign = pattern("[^ \\t:=,;()\\[\\]{}\"'\\-|\\\\/>#*`A-Za-z0-9_\\x{80}-\\x{10FFFF}]")
    private static let announcesBehind = pattern("(?:\(codeWord)|[\\x{80}-\\x{10FFFF}])\(sign)*$")
    private static let announcesBefore = pattern("\(codeWord)\(sign)*$")
    /// Behind these words a number counts errors.
    private static let counted = pattern("(?i)(?<![a-z0-9_])(?:errors|failures|exceptions)(?![a-z0-9_])")
    private static let followedByWord = pattern("^ [A-Za-z0-9_\\x{80}-\\x{10FFFF}]")

    private static let units =
        "times|errors|failures|exceptions|attempts|retries|tries|requests|events|occurrences|purchases|transactions|products"
        + "|items|users|devices|sessions|calls|crashes|hits|lines|rows|records|results|reports|s|secs?|seconds|m?secs?|ms"
        + "|millis|milliseconds|us|ns|m|mins?|minutes|h|hrs?|hours|d|days|weeks|months|percent|pct|bytes|kb|mb|mal|fois"
        + "|veces|volte|vezes|razy|kez|kali"
    private static let unitsOfOne =
        "time|error|failure|exception|attempt|retry|try|request|event|occurrence|purchase|transaction|product|item|user"
        + "|device|session|call|crash|hit|line|row|record|result|report|second|minute|hour|day|week|month"
    private static let between = "(?:(?:more|other|consecutive|failed|further|total|different) )?"
    /// A number that counts or measures, with its unit.
    private static let count = pattern(
        "(?i)(?:(?<!(?:^|[^a-z0-9_])[0-9]{1,9})-|(?<![a-z0-9_-])(?<![0-9][.:/]))[0-9]+"
            + "(?: ?%| ?[回次번회秒초]| \(between)(?:\(units))(?![a-z0-9_]))"
            + "|(?<![a-z0-9_.:/-])1 \(between)(?:\(unitsOfOne))(?![a-z0-9_])"
    )

    private static func pattern(_ text: String) -> NSRegularExpression? { try? NSRegularExpression(pattern: text) }

    private static func ranges(_ pattern: NSRegularExpression?, _ text: String) -> [Range<String.Index>] {
        pattern?.matches(in: text, range: NSRange(text.startIndex..., in: text)).compactMap {
            Range($0.range, in: text)
        }
            ?? []
    }

    private static func isGap(_ text: String, extraWords: Int = 0) -> Bool {
        text.unicodeScalars.count <= 24 && ranges(foreign, text).isEmpty && ranges(word, text).count <= 2 + extraWords
    }

    /// The text with each count made one word of its length, behind which another may begin.
    private static func withoutCounts(_ text: String) -> String {
        var text = text
        for found in ranges(count, text).reversed() {
            let end = text[found].last.map { $0.isASCII && $0 != "%" } == true ? "w" : " "
            text.replaceSubrange(found, with: String(repeating: "w", count: text[found].unicodeScalars.count - 1) + end)
        }
        return text
    }

    /// Domain and code of the first error.
    static func find(in line: String) -> [String]? {
        for name in ranges(name, line) {
            let domain = line[name] == "SKError" ? "SKErrorDomain" : String(line[name])
            if let code = code(around: name, in: line) { return [domain, code] }
        }
        return nil
    }

    private static func code(around name: Range<String.Index>, in line: String) -> String? {
        // A name may end before `_` only if digits follow.
        let (head, tail) = (
            String(line[..<name.lowerBound]), withoutCounts(String(line[name.upperBound...].trimmingPrefix("_")))
        )
        var guess: String?
        for found in ranges(number, tail) {
            let gap = String(tail[..<found.lowerBound])
            // A word for code behind another one is not counted.
            guard isGap(gap, extraWords: ranges(twoWordsForCode, gap).count) else { break }
            guard ranges(manyParts, String(tail[..<found.upperBound])).isEmpty, ranges(counted, gap).isEmpty else {
                break
            }
            let value = Int(tail[found]).map { "\($0)" }
            if ranges(word, gap).isEmpty || !ranges(announcesBehind, gap).isEmpty { return value }
            if guess == nil, ranges(followedByWord, String(tail[found.upperBound...])).isEmpty { guess = value }
        }
        let counts = ranges(count, line).map { line.distance(from: line.startIndex, to: $0.lowerBound) }
        for found in ranges(number, head).reversed() {
            let isCount = counts.contains(head.distance(from: head.startIndex, to: found.lowerBound))
            guard isGap(String(head[found.upperBound...])) else { break }
            if !isCount, !ranges(announcesBefore, String(head[..<found.lowerBound])).isEmpty {
                return Int(head[found]).map { "\($0)" }
            }
        }
        return guess
    }
}

@Suite("Errors that a text names, found twice")
struct ErrorMentionAuditTests {
    private static let pieces = [
        "SKErrorDomain", "SKErrorDomain", "NSURLErrorDomain", "AMSErrorDomain", "SSServerErrorDomain", "SKError",
        "MyErrorDomain", "error", "Error", "code", "Code", "Fehler", "de", "in", "was mentioned", "articles", "Shop",
        "エラー", "오류", "ошибка", "2", "2", "0", "17", "-1009", "907", "2.5", "v3", " ", " ", " ", " ", ": ", ", ",
        ".", "! ", "(", ")", "\"", "=", "\t", "@", "          ", "_", "X",
        " times", " errors", "3 times", "1 attempt", " attempt", "250 ms", " %", "%", "2 more retries", "3回", "-1009 s",
        " s",
    ]

    @Test(
        "Random mixtures of names, words and numbers are read as the rule says",
        .atMost(minutes: 2),
        arguments: Seeds.some(of: UInt64(0)..<20)
    )
    func agrees(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        var found = 0
        func some(_ count: Int) -> String {
            (0..<numbers.below(count)).map { _ in Self.pieces[numbers.below(Self.pieces.count)] }.joined()
        }
        for run in 0..<300 {
            // A word before them keeps the text from beginning as anything else.
            let name = Self.pieces[numbers.below(6)]
            let line = run % 4 == 0 ? "log: \(some(12))" : "log: \(some(5))\(name)\(some(6))2\(some(4))"
            let reading = LinesReading(line)
            let expected = PlainSearch.find(in: line)
            let actual = reading.events.first.map { [$0["error_domain"] ?? "", $0["error_code"] ?? ""] }
            #expect(actual == expected, "seed \(seed), run \(run): \(line)")
            if expected != nil { found += 1 }
        }
        #expect(found > 10, "seed \(seed)")
    }
}
