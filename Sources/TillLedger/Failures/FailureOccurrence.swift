import TillCore

/// One failure, as events and verifyReceipt responses report it and as a ``FailureTally`` counts it.
///
/// Texts are codes of the ledger's dictionary.
package struct FailureOccurrence: Sendable {
    private(set) package var kind: FailureKind
    private(set) var combination: Combination
    /// In milliseconds, where it is known.
    package let at: Int64?

    package var code: FailureCode { kind.code }
    var failureClass: Int32 { kind.failureClass }

    /// - Parameter failureClass: -1 where not known.
    init(_ code: FailureCode, failureClass: Int32, _ combination: Combination, at milliseconds: Int64?) {
        kind = FailureKind(code, failureClass: failureClass < 0 ? FailureClass.unknown.textCode : failureClass)
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
        failure.kind.code.domain = text(code.domain)
        failure.kind.failureClass = text(failureClass)
        let values = combination.values
        failure.combination = Combination([text(values[0]), text(values[1]), text(values[2]), text(values[3])])
        return failure
    }
}
