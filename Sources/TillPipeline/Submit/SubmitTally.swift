import TillSubmit

/// The outcomes of the documents of a `submit`.
///
/// documents = answered + rejected + not receipts + of other apps
struct SubmitTally {
    private(set) var answered = 0
    /// Receipts that could not be verified.
    private(set) var failed = 0
    /// Documents of other kinds, which are not sent.
    var others = 0
    /// How often each status came, or each two of a receipt that went to the sandbox.
    private var statuses: [[Int64]: Int] = [:]

    mutating func count(_ statuses: [Int64]) {
        answered += 1
        self.statuses[statuses, default: 0] += 1
    }

    mutating func countFailure() { failed += 1 }

    /// The reason to refuse the result, other than the number of rejects.
    var refusal: String? { failed > 0 && answered == 0 ? "no receipt was answered" : nil }

    /// The lines on standard error.
    ///
    /// - Parameters:
    ///   - progress: with receipts that could not be verified among the rejects.
    ///   - hasSandbox: whether a 21007 was followed.
    func lines(_ progress: ReadProgress, hasSandbox: Bool) -> [String] {
        let documents = "\(progress.documents) document\(progress.documents == 1 ? "" : "s")"
        var counts = ["\(answered) answered", "\(progress.rejected) rejected", "\(others) not receipts"]
        if progress.foreign > 0 { counts.append("\(progress.foreign) of other apps") }
        var lines = ["tillroll: \(documents): " + counts.joined(separator: ", ")]
        guard !statuses.isEmpty else { return lines }
        let sorted = statuses.sorted { ($1.value, $0.key.description) < ($0.value, $1.key.description) }
        let texts = sorted.map { statuses, count in
            statuses.map(String.init).joined(separator: " then ") + " ×\(count)"
        }
        lines.append("    status " + texts.joined(separator: ", "))
        if let unfollowed = statuses[[Verifier.sandboxReceipt]], !hasSandbox {
            lines.append(
                "tillroll: receipts of the sandbox that were sent to no sandbox endpoint: \(unfollowed); "
                    + "--sandbox-endpoint names one"
            )
        }
        return lines
    }
}
