import Testing
import TillReceipts
import TillTestSupport

/// Encoded receipts whose verification failed, read with other settings than in `CorpusTests`.
@Suite("Receipts of failed verifications")
struct RefusedReceiptTests {
    private static let refused = #"{"status":21010,"receipt":"\#(receipt)"}"#
    private static let receipt = ReceiptDER.sample().base64

    @Test("Only the format of responses counts the rows that it withholds, and no format reads them")
    func withholdsInFormats() {
        #expect(Reading(Self.refused, format: "verify").documents.map { $0["withheld"] } == ["2"])
        #expect(Reading(Self.refused, format: "pkcs7").documents.compactMap { $0["withheld"] } == [])
        for format in ["verify", "pkcs7"] { #expect(Reading(Self.refused, format: format).transactions.isEmpty) }
    }

    /// Counts the signatures that it checks.
    private final class CountingChecker: SignatureChecker {
        nonisolated(unsafe) var count = 0
        let namesDevice = false

        func finding(signedData content: RawSpan, rest: RawSpan) -> SignatureFinding { next() }
        func finding(legacy blob: RawSpan, purchaseInfo: RawSpan) -> SignatureFinding { next() }
        func finding(jws header: RawSpan, signingInput: RawSpan, signature: RawSpan) -> SignatureFinding { next() }
        func isOfDevice(hash: RawSpan, opaque: RawSpan, bundleID: RawSpan) -> Bool { false }

        private let noChain = ChainDescription(certificates: [], finding: nil)
        func chain(contentInfo octets: RawSpan) -> ChainDescription { noChain }
        func chain(legacy blob: RawSpan) -> ChainDescription { noChain }
        func chain(jws header: RawSpan) -> ChainDescription { noChain }

        private func next() -> SignatureFinding {
            count += 1
            return SignatureFinding(code: .signature)
        }
    }

    @Test("The signature of a receipt whose rows are withheld is not checked; the next signature is")
    func checksNoSignature() {
        let checker = CountingChecker()
        let reading = Reading(Array(Self.refused.utf8), trust: .check(checker))
        #expect(reading.documents.map { $0["withheld"] } == ["2"] && checker.count == 0)
        #expect(reading.documents.map { $0["trust"] } == ["unsigned"])
        let both = Reading(Array("\(Self.refused)\n\(Self.receipt)".utf8), trust: .check(checker))
        #expect(both.documents.map { $0["trust"] } == ["unsigned", "untrusted"] && checker.count == 1)
    }
}
