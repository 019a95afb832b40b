import TillCore
import TillReceipts
import TillRender

/// The lines on stderr about rejects: the number per source, and the first few with their position.
///
///     Samples/broken/mixed.ndjson: 8 of 41 documents rejected
///     Samples/broken/mixed.ndjson:4 @ 18204+312  json.truncated  in_app[3] › purchase_date
///         … the JSON text ends inside a value
struct RejectSummary {
    /// Rejects shown of each source.
    static let shown = 5

    private struct SourceCount {
        var source: String
        var rejected = 0
        var lines: [String] = []
        var codes: [String: Int] = [:]
    }

    private var sources: [SourceCount] = []

    /// The number in ``sources`` of the one that is being read.
    private mutating func number(of source: String) -> Int {
        if sources.last?.source != source { sources.append(SourceCount(source: source)) }
        return sources.count - 1
    }

    /// Counts rejects of which only the codes are known. None of them is shown: ``shown`` rejects of the source were
    /// counted before.
    mutating func count(_ rejects: [RejectList.CodeCount], source: String) {
        let last = number(of: source)
        for more in rejects {
            sources[last].rejected += more.count
            sources[last].codes[more.code, default: 0] += more.count
        }
    }

    mutating func count(_ reject: Reject) {
        let last = number(of: reject.source)
        sources[last].rejected += 1
        sources[last].codes[reject.diagnostic.code, default: 0] += 1
        guard sources[last].rejected <= Self.shown else { return }
        let position = reject.position
        let path = reject.diagnostic.path.isEmpty ? "" : "  " + reject.diagnostic.path
        let place = "\(position.source):\(position.line) @ \(position.offset)+\(reject.diagnostic.innerOffset)"
        sources[last].lines += [
            "\(place)  \(reject.diagnostic.code)\(path)",
            "    \(reject.diagnostic.reason)",
        ]
        if let excerpt = Self.excerpt(of: reject) { sources[last].lines += excerpt }
    }

    /// Whether a document was rejected for its trust, which only `--trust require` does.
    var hasTrustRejects: Bool { sources.contains { $0.codes.keys.contains { $0.hasPrefix("trust.") } } }

    /// The lines for stderr.
    func lines(documents: [String: Int]) -> [String] {
        sources.flatMap { count -> [String] in
            let total = documents[count.source].map { " of \($0)" } ?? ""
            let noun = documents[count.source] ?? count.rejected == 1 ? "document" : "documents"
            var lines = ["\(count.source): \(count.rejected)\(total) \(noun) rejected"] + count.lines
            if count.rejected > Self.shown {
                let codes = count.codes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
                lines.append("    all: " + codes.map { "\($0.key) ×\($0.value)" }.joined(separator: ", "))
            }
            return lines
        }
    }

    /// The text around the defect with a mark under it, where the document is text and was not unwrapped.
    private static func excerpt(of reject: Reject) -> [String]? {
        let offset = reject.diagnostic.innerOffset
        let safe = reject.raw ?? []
        guard reject.diagnostic.code.hasPrefix("json."), offset <= safe.count, !safe.isEmpty else { return nil }
        let start = max(0, offset - 30)
        let window = safe[start..<min(safe.count, offset + 20)].map { byte -> Character in
            (0x20..<0x7F).contains(byte) ? Character(Unicode.Scalar(byte)) : "·"
        }
        let lead = start > 0 ? "    … " : "      "
        return [lead + String(window), String(repeating: " ", count: lead.count + offset - start) + "^"]
    }
}
