import Testing
import TillTestSupport
import TillTrust

/// A notification and the payloads inside are signed each on its own.
@Suite("Signatures inside signatures")
struct NestedSignatureTests {
    private let chain = TestChain.ec()

    private func checker() throws -> TrustChecker {
        try .trusting(try chain.root.signed(by: chain.keys.root))
    }

    private func transaction(isForged: Bool) throws -> String {
        let jws = SignedJWS(certificates: try chain.certificates())
        return isForged ? jws.text(signature: Array(repeating: 1, count: 64)) : try jws.text(signedBy: chain.keys.leaf)
    }

    private func body(_ inner: String) -> String {
        """
        {"notificationType":"DID_RENEW","notificationUUID":"u","signedDate":1735689600000,\
        "data":{"environment":"Production","bundleId":"com.example.app","signedTransactionInfo":"\(inner)"}}
        """
    }

    private func notification(_ body: String, isForged: Bool) throws -> String {
        var jws = SignedJWS(certificates: try chain.certificates())
        jws.payload = body
        let text =
            isForged ? jws.text(signature: Array(repeating: 1, count: 64)) : try jws.text(signedBy: chain.keys.leaf)
        return "{\"signedPayload\":\"\(text)\"}"
    }

    @Test("Both hold: the document and its row are trusted")
    func trustsBoth() throws {
        let text = try notification(body(try transaction(isForged: false)), isForged: false)
        let judged = Judged(Array(text.utf8), try checker())
        #expect(judged.outcome == "trusted")
        #expect(judged.rows == ["trusted"])
    }

    @Test("One does not: all of the document is untrusted", arguments: [(true, false), (false, true), (true, true)])
    func distrusts(_ isOuterForged: Bool, _ isInnerForged: Bool) throws {
        let text = try notification(body(try transaction(isForged: isInnerForged)), isForged: isOuterForged)
        let judged = Judged(Array(text.utf8), try checker())
        #expect(judged.outcome == "trust.signature")
        #expect(judged.trust == "untrusted")
        #expect(judged.rows == ["untrusted"])
    }

    @Test("A decoded body is unsigned, and its signed transaction is what it is")
    func judgesInsideDecoded() throws {
        let good = Judged(Array(body(try transaction(isForged: false)).utf8), try checker())
        #expect(good.trust == "unsigned")
        #expect(good.rows == ["trusted"])
        let forged = Judged(Array(body(try transaction(isForged: true)).utf8), try checker())
        #expect(forged.trust == "untrusted")
        #expect(forged.code == "trust.signature")
        #expect(forged.rows == ["untrusted"])
    }

    @Test("A decoded transaction inside a signed body is covered by the body's signature")
    func coversDecoded() throws {
        let decoded = body("x").replacing("\"x\"", with: SignedJWS.transaction)
        let judged = Judged(Array(try notification(decoded, isForged: false).utf8), try checker())
        #expect(judged.rows == ["trusted"])
    }

    @Test("What is decoded altogether is unsigned")
    func leavesDecodedAlone() throws {
        let judged = Judged(Array(SignedJWS.transaction.utf8), try checker())
        #expect(judged.outcome == "unsigned")
        #expect(judged.rows == ["unsigned"])
    }
}
