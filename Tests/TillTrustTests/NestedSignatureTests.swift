import Testing
import TillReceipts
import TillTestSupport
import TillTrust

/// A notification and the payloads inside it have signatures of their own.
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

    @Test("If both signatures are valid, the document and its row are trusted")
    func trustsBoth() throws {
        let text = try notification(body(try transaction(isForged: false)), isForged: false)
        let judged = Judged(Array(text.utf8), try checker())
        #expect(judged.outcome == "trusted")
        #expect(judged.rows == ["trusted"])
    }

    @Test(
        "If one of the signatures is invalid, the whole document is untrusted",
        arguments: [(true, false), (false, true), (true, true)]
    )
    func distrusts(_ isOuterForged: Bool, _ isInnerForged: Bool) throws {
        let text = try notification(body(try transaction(isForged: isInnerForged)), isForged: isOuterForged)
        let judged = Judged(Array(text.utf8), try checker())
        #expect(judged.outcome == "trust.signature")
        #expect(judged.trust == "untrusted")
        #expect(judged.rows == ["untrusted"])
    }

    @Test("A decoded body is unsigned, and its signed transaction keeps its own verdict")
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

    @Test("Requiring rejects a decoded body around signed transactions, and accepts a signed one around decoded ones")
    func requiresSignedBody() throws {
        let policy = TrustPolicy.require(try checker())
        let decodedBody = Reading(Array(body(try transaction(isForged: false)).utf8), trust: policy)
        #expect(decodedBody.rejects.map(\.code) == ["trust.unsigned"])
        let decodedInside = body("x").replacing("\"x\"", with: SignedJWS.transaction)
        let signedBody = Reading(Array(try notification(decodedInside, isForged: false).utf8), trust: policy)
        #expect(signedBody.transactions.map { $0["trust"] } == ["trusted"])
        let forgedInside = try notification(body(try transaction(isForged: true)), isForged: false)
        #expect(Reading(Array(forgedInside.utf8), trust: policy).rejects.map(\.code) == ["trust.signature"])
    }

    /// A decoded body whose signed transaction takes a fact from the unsigned body.
    private static let additions: [(name: String, change: @Sendable (String) -> String)] = [
        ("a reversal", { $0.replacing("DID_RENEW", with: "REFUND_REVERSED") }),
        (
            "a cancellation",
            { $0.replacing("\"data\"", with: "\"cancellation_date_ms\":\"1735689600000\",\"data\"") }
        ),
        (
            "a decoded copy",
            { $0.replacing("\"data\"", with: "\"appData\":{\"signedTransactionInfo\":\(revoked)},\"data\"") }
        ),
        (
            "a copy in a list",
            {
                $0.dropLast()
                    + ",\"latest_receipt_info\":[{\"transaction_id\":\"1\",\"quantity\":\"9\"}]}"
            }
        ),
    ]

    private static let revoked = SignedJWS.transaction.dropLast() + ",\"revocationDate\":1735689600000}"

    @Test("A signed transaction that takes a fact from a decoded body has the verdict of the body", arguments: 0..<4)
    func distrustsAdditions(_ number: Int) throws {
        let text = Self.additions[number].change(body(try transaction(isForged: false)))
        let decoded = Judged(Array(text.utf8), try checker())
        #expect(decoded.rows == ["unsigned"], "\(Self.additions[number].name)")
        let signed = Judged(Array(try notification(text, isForged: false).utf8), try checker())
        #expect(signed.rows == ["trusted"], "\(Self.additions[number].name)")
    }

    @Test("A signed payload without an app, and renewal info without an environment, have the verdict of the body")
    func distrustsFilledFacts() throws {
        var jws = SignedJWS(certificates: try chain.certificates())
        jws.payload = SignedJWS.transaction.replacing("\"bundleId\":\"com.example.app\",", with: "")
        let transaction = Judged(Array(body(try jws.text(signedBy: chain.keys.leaf)).utf8), try checker())
        #expect(transaction.rows == ["unsigned"])
        jws.payload = #"{"originalTransactionId":"1","autoRenewProductId":"gold","autoRenewStatus":1}"#
        let renewal = body(try jws.text(signedBy: chain.keys.leaf)).replacing("Transaction", with: "Renewal")
        #expect(Judged(Array(renewal.utf8), try checker()).rows == ["unsigned"])
    }

    @Test("A notification that is decoded completely is unsigned")
    func leavesDecodedAlone() throws {
        let judged = Judged(Array(SignedJWS.transaction.utf8), try checker())
        #expect(judged.outcome == "unsigned")
        #expect(judged.rows == ["unsigned"])
    }
}
