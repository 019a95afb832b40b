import TillCore

/// One failure, as events and verifyReceipt responses report it and as a ``FailureTally`` counts it.
///
/// Texts are codes of the ledger's dictionary.
package struct FailureOccurrence: Sendable {
    private(set) package var code: FailureCode
    private(set) var failureClass: Int32
    private(set) var combination: Combination
    /// In milliseconds, where it is known.
    package let at: Int64?

    /// - Parameter failureClass: -1 where not known.
    init(_ code: FailureCode, failureClass: Int32, _ combination: Combination, at milliseconds: Int64?) {
        self.code = code
        self.failureClass = failureClass < 0 ? FailureClass.unknown.textCode : failureClass
        self.combination = combination
        at = milliseconds
    }

    /// Takes the texts of another dictionary. The domain and the class must be words, which every dictionary has under
    /// the same codes.
    mutating func translateCombination(_ translation: TextTranslation) {
        combination = combination.translated(translation)
    }

    /// The same with other codes for its texts.
    func translated(_ text: (Int32) -> Int32) -> Self {
        var failure = self
        failure.code.domain = text(code.domain)
        failure.failureClass = text(failureClass)
        let values = combination.values
        failure.combination = Combination([text(values[0]), text(values[1]), text(values[2]), text(values[3])])
        return failure
    }
}
