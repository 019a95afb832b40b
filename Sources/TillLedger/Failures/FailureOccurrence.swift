import TillCore

/// One failure, as events and verifyReceipt responses report it and as a ``FailureTally`` counts it.
///
/// Texts are codes of the ledger's dictionary.
package struct FailureOccurrence: Sendable {
    package let code: FailureCode
    let failureClass: Int32
    /// In the order of ``FailureDimension``, -1 where not known.
    private(set) var dimensions: InlineArray<4, Int32>
    /// In milliseconds, where it is known.
    package let at: Int64?

    /// - Parameter failureClass: -1 where not known.
    init(_ code: FailureCode, failureClass: Int32, dimensions: InlineArray<4, Int32>, at milliseconds: Int64?) {
        self.code = code
        self.failureClass = failureClass < 0 ? FailureClass.unknown.textCode : failureClass
        self.dimensions = dimensions
        at = milliseconds
    }

    /// Takes the texts of another dictionary. The domain and the class must be words, which every dictionary has under the
    /// same codes.
    mutating func translateDimensions(_ translation: TextTranslation) {
        for index in dimensions.indices { dimensions[index] = translation.text(dimensions[index]) }
    }
}
