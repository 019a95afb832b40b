/// The known codes of one error domain.
struct FailureDomain: Sendable {
    /// What one code, or each of a range, stands for.
    ///
    ///     Row(2, "paymentCancelled", .cancelled, retry: .never)
    ///         .meaning("The customer cancelled the payment.")
    ///         .advice("Show no error.")
    struct Row: Sendable {
        let codes: ClosedRange<Int64>
        let name: String
        let failureClass: FailureClass
        let retry: FailureEntry.Retry
        private(set) var meaning = ""
        private(set) var advice = ""

        init(_ codes: ClosedRange<Int64>, _ name: String, _ failureClass: FailureClass, retry: FailureEntry.Retry) {
            self.codes = codes
            self.name = name
            self.failureClass = failureClass
            self.retry = retry
        }

        init(_ code: Int64, _ name: String, _ failureClass: FailureClass, retry: FailureEntry.Retry) {
            self.init(code...code, name, failureClass, retry: retry)
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

    static let anyCode = Int64.min...Int64.max

    let name: String
    /// Single codes before the ranges that hold them: the first row that fits is taken.
    let rows: [Row]

    func entry(for code: Int64) -> FailureEntry? {
        guard let row = rows.first(where: { $0.codes.contains(code) }) else { return nil }
        return FailureEntry(
            domain: name,
            code: code,
            name: row.name,
            meaning: row.meaning,
            failureClass: row.failureClass,
            retry: row.retry,
            advice: row.advice
        )
    }
}
