/// The known codes of one error domain, or the cases of an error type that has names only.
struct FailureDomain: Sendable {
    /// The meaning of one code, or of each code of a range.
    ///
    ///     Row(2, "paymentCancelled", .cancelled, retry: .never)
    ///         .meaning("The customer cancelled the payment.")
    ///         .advice("Show no error.")
    struct Row: Sendable {
        /// `nil` for a case that has no code.
        let codes: ClosedRange<Int64>?
        let name: String
        let failureClass: FailureClass
        let retry: FailureEntry.Retry
        private(set) var meaning = ""
        private(set) var advice = ""

        init(_ codes: ClosedRange<Int64>?, _ name: String, _ failureClass: FailureClass, retry: FailureEntry.Retry) {
            self.codes = codes
            self.name = name
            self.failureClass = failureClass
            self.retry = retry
        }

        init(_ code: Int64, _ name: String, _ failureClass: FailureClass, retry: FailureEntry.Retry) {
            self.init(code...code, name, failureClass, retry: retry)
        }

        init(case name: String, _ failureClass: FailureClass, retry: FailureEntry.Retry) {
            self.init(nil, name, failureClass, retry: retry)
        }

        consuming func meaning(_ sentence: String) -> Row {
            meaning = sentence
            return self
        }

        consuming func advice(_ sentence: String) -> Row {
            advice = sentence
            return self
        }
    }

    static let anyCode = FailureEntry.anyCode

    let name: String
    /// Other names that logs have for it.
    var aliases: [String] = []
    /// The names of cases in the order of their numbers, where an `NSError` has a number for a case.
    var numbered: [String] = []
    /// Single codes before the ranges that hold them: the first row that fits is taken.
    let rows: [Row]

    func isCalled(_ text: String) -> Bool { name == text || aliases.contains(text) }

    func entry(for code: Int64) -> FailureEntry? {
        if let row = rows.first(where: { $0.codes?.contains(code) == true }) { return entry(row) }
        guard let index = Int(exactly: code), numbered.indices.contains(index) else { return nil }
        return rows.first { $0.name == numbered[index] }.map(entry)
    }

    var entries: [FailureEntry] { rows.map(entry) }

    private func entry(_ row: Row) -> FailureEntry {
        FailureEntry(
            domain: name,
            codes: row.codes,
            name: row.name,
            meaning: row.meaning,
            failureClass: row.failureClass,
            retry: row.retry,
            advice: row.advice
        )
    }
}
