import TillColumns
import TillCore
import TillRows

/// The domain and code of a failure. The domain is a text of a ledger's dictionary.
package struct FailureCode: Hashable, Sendable {
    /// -1 where not known.
    package var domain: Int32
    package var code: Int64?

    package init(domain: Int32, code: Int64?) {
        (self.domain, self.code) = (domain, code)
    }

    /// Domain and code as one number, never 0.
    var packed: UInt128 {
        let name = UInt64(UInt32(bitPattern: domain)) << 1 | (code == nil ? 0 : 1)
        return 1 << 127 | UInt128(name) << 64 | UInt128(UInt64(bitPattern: code ?? 0))
    }
}

extension Word {
    /// A dictionary that knows all words, then the domain of verifications, then the classes of failures, each under
    /// the same code in every ledger.
    static func ledgerDictionary() -> TextDictionary {
        var texts = dictionary()
        _ = texts.code(for: VerificationTally.domain)
        for failureClass in FailureClass.allCases { _ = texts.code(for: failureClass.rawValue) }
        return texts
    }
}

extension FailureCode {
    /// The domain of verifications.
    static let verificationDomain = Int32(Word.allCases.count)

    /// A status of verifyReceipt.
    init(status: Int64) {
        self.init(domain: Self.verificationDomain, code: status)
    }
}

extension FailureClass {
    // Made once, because every failure needs it.
    private static let inOrder = allCases

    /// The code of a class in a ledger's dictionary.
    var textCode: Int32 { FailureCode.verificationDomain + 1 + Int32(Self.inOrder.firstIndex(of: self) ?? 0) }
}
