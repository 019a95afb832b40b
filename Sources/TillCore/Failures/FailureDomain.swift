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
    /// Single codes before the ranges that hold them: the first row that fits is taken.
    let rows: [Row]

    func entry(for code: Int64) -> FailureEntry? {
        rows.first { $0.codes?.contains(code) == true }.map(entry)
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
