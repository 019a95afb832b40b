import Foundation
import Testing
import TillReceipts
import TillTestSupport
import TillTrust

/// What each trust policy does with a finding.
@Suite("Trust policies")
struct TrustPolicyTests {
    private let foreign: [UInt8]
    private let honest: [UInt8]
    private let checker: TrustChecker

    init() throws {
        let chain = try TestChain.rsa()
        checker = try .trusting(try chain.root.signed(by: chain.keys.root))
        honest = try SignedReceipt(chain).octets(signedBy: chain.keys.leaf)
        var receipt = try SignedReceipt(chain)
        receipt.signedPayload = [1]
        foreign = try receipt.octets(signedBy: chain.keys.leaf)
    }

    @Test("With --trust check, a failed signature is flagged and its rows are kept")
    func checks() {
        let reading = Reading(foreign, trust: .check(checker))
        #expect(reading.accepted == 1)
        #expect(reading.transactions.map { $0["trust"] } == ["untrusted", "untrusted"])
    }

    @Test("With --trust require, a failed signature rejects the unchanged document with its code")
    func requires() {
        let reading = Reading(foreign, trust: .require(checker))
        #expect(reading.accepted == 0)
        #expect(reading.rejects.map(\.code) == ["trust.signature"])
        #expect(reading.rejects.first?.raw == foreign)
        #expect(reading.rejects.first?.path == "")
        #expect(reading.transactions.isEmpty)
        #expect(Reading(honest, trust: .require(checker)).documents.map { $0["trust"] } == ["trusted"])
    }

    private static let renewal = """
        {"originalTransactionId":"1","autoRenewProductId":"gold","autoRenewStatus":1,"signedDate":1735689600000}
        """
    private static let purchase = #"{"transaction_id":"1","product_id":"gold","quantity":"1"}"#
    private static let response = #"{"status":0,"receipt":{"bundle_id":"a","in_app":[\#(purchase)]}}"#

    @Test(
        "Requiring trust rejects transactions and renewals without a signature",
        arguments: [
            SignedJWS.transaction, renewal, response,
            #"{"request":{"receipt-data":"TUlJ"},"response":\#(response)}"#,
            #"{"status":0,"receipt":{"in_app":[]},"pending_renewal_info":[{"original_transaction_id":"1"}]}"#,
            #"{"status":21006,"receipt":\#(purchase)}"#,
            #"{"notification_type":"RENEWAL","unified_receipt":{"latest_receipt_info":[\#(purchase)]}}"#,
            #"{"notificationType":"SUBSCRIBED","data":{"signedTransactionInfo":\#(SignedJWS.transaction)}}"#,
            #"{"notificationType":"SUBSCRIBED","data":{"signedRenewalInfo":\#(renewal)}}"#,
        ]
    )
    func requiresSignatures(_ text: String) {
        let checked = Reading(Array(text.utf8), trust: .check(checker))
        #expect(checked.transactions.count + checked.renewals.count == 1)
        let required = Reading(Array(text.utf8), trust: .require(checker))
        #expect(required.rejects.map(\.code) == ["trust.unsigned"])
        #expect(required.rejects.first?.raw == Array(text.utf8))
        #expect(required.transactions.isEmpty && required.renewals.isEmpty && required.documents.isEmpty)
        let cell = Reading(csv: text, trust: .require(checker))
        #expect(cell.rejects.map(\.code) == ["trust.unsigned"])
        #expect(cell.transactions.isEmpty && cell.renewals.isEmpty)
    }

    @Test("A signed receipt inside a response does not sign the rows of the response")
    func requiresSignatureOfResponse() {
        let latest = Data(honest).base64EncodedString()
        let text = #"{"status":0,"receipt":{"in_app":[\#(Self.purchase)]},"latest_receipt":"\#(latest)"}"#
        #expect(Reading(Array(text.utf8), trust: .require(checker)).rejects.map(\.code) == ["trust.unsigned"])
        let bare = #"{"status":0,"latest_receipt":"\#(latest)"}"#
        #expect(Reading(Array(bare.utf8), trust: .require(checker)).documents.map { $0["trust"] } == ["trusted"])
    }

    @Test(
        "Requiring trust accepts unsigned documents without transactions and renewals",
        arguments: [
            #"{"v":1,"ts":"2026-03-04T03:03:16Z","event":"failed","error":{"domain":"SKErrorDomain","code":2}}"#,
            #"{"status":21003}"#, #"{"status":21010,"receipt":{"in_app":[\#(purchase)]}}"#,
            #"{"status":0,"receipt":{"bundle_id":"a","in_app":[]}}"#,
            #"{"notificationType":"TEST","notificationUUID":"u","data":{"environment":"Production"}}"#,
            #"{"receiptType":"Production","applicationVersion":"1","originalApplicationVersion":"1"}"#,
        ]
    )
    func acceptsWithoutRows(_ text: String) {
        let reading = Reading(Array(text.utf8), trust: .require(checker))
        #expect(reading.rejects.isEmpty)
        #expect(reading.accepted == 1)
        #expect(reading.transactions.isEmpty && reading.renewals.isEmpty)
    }

    @Test("Requiring trust rejects a failed signature of a document without rows")
    func requiresOfEmptyDocuments() throws {
        let chain = TestChain.ec()
        var jws = SignedJWS(certificates: try chain.certificates())
        jws.payload = #"{"notificationType":"TEST","notificationUUID":"u","data":{"environment":"Production"}}"#
        let checker = try TrustChecker.trusting(try chain.root.signed(by: chain.keys.root))
        let forged = Reading(Array(jws.text(signature: Array(repeating: 1, count: 64)).utf8), trust: .require(checker))
        #expect(forged.rejects.map(\.code) == ["trust.signature"])
        let signed = Reading(Array(try jws.text(signedBy: chain.keys.leaf).utf8), trust: .require(checker))
        #expect(signed.documents.map { $0["trust"] } == ["trusted"])
    }

    @Test("Requiring trust rejects an unanchored receipt", .needsVectors)
    func requiresAnchor() throws {
        let legacy = try Fixtures.bytes(Fixtures.vectors.appending(path: "legacy/sandbox-2012-consumable.b64"))
        #expect(Reading(legacy, trust: .require(checker)).rejects.map(\.code) == ["trust.unanchored"])
        let checked = Reading(legacy, trust: .check(checker))
        #expect(checked.documents.map { $0["trust_code"] } == ["trust.unanchored"])
        #expect(checked.transactions.map { $0["trust"] } == ["unanchored"])
    }

    @Test("With trust off no signature is checked")
    func isOff() {
        #expect(Reading(foreign).documents.map { $0["trust"] } == ["unchecked"])
        #expect(Reading(foreign).documents.first?["trust_code"] == nil)
    }

    @Test("The certificates of a signer are checked once, however many documents it signed")
    func caches() throws {
        let chain = try TestChain.rsa()
        let checker = try TrustChecker.trusting(try chain.root.signed(by: chain.keys.root))
        var lines: [UInt8] = []
        for count in 0..<50 {
            var receipt = try SignedReceipt(chain)
            receipt.payload = ReceiptDER.sample(purchases: count % 3).payload
            lines += Data(try receipt.octets(signedBy: chain.keys.leaf)).base64EncodedString().utf8 + [0x0A]
        }
        let reading = Reading(lines, trust: .check(checker))
        #expect(reading.documents.count == 50)
        #expect(reading.documents.allSatisfy { $0["trust"] == "trusted" })
        #expect(checker.cacheCounts.hits >= 48)
        #expect(checker.cacheCounts.misses <= 2)
    }

    @Test("More signers than the cache holds do not change a verdict")
    func forgets() throws {
        let chain = try TestChain.rsa()
        let checker = try TrustChecker.trusting(try chain.root.signed(by: chain.keys.root))
        for round in 0..<2 {
            for serial in 0..<TrustLimits.cachedSigners + 10 {
                var changed = chain
                changed.leaf.serial = Int64(1000 + serial)
                var receipt = try SignedReceipt(changed)
                receipt.serial = changed.leaf.serial
                let judged = Judged(try receipt.octets(signedBy: chain.keys.leaf), checker)
                #expect(judged.outcome == "trusted", "round \(round), serial \(serial)")
            }
        }
    }

    @Test("The description of a chain has the signer first and the root last")
    func describesChain() throws {
        let chain = try TestChain.rsa()
        let header = Array(SignedJWS(certificates: try TestChain.ec().certificates()).header.utf8)
        let untrusted = checker.chain(jws: header.span.bytes)
        #expect(untrusted.finding == .anchor)
        #expect(untrusted.certificates.map(\.role) == [.signer, .intermediate])
        let root = try TestChain.ec().root.signed(by: TestKey.ecRoot)
        let trusted = try TrustChecker.trusting(root, chain.root.signed(by: chain.keys.root))
            .chain(jws: header.span.bytes)
        #expect(trusted.finding == nil)
        #expect(trusted.certificates.map(\.role) == [.signer, .intermediate, .root])
        #expect(
            trusted.certificates.map(\.subject) == ["CN=Test Receipt Signing", "CN=Test Relations", "CN=Test Root"]
        )
        #expect(trusted.certificates.map(\.key) == ["EC P-256", "EC P-256", "EC P-256"])
        #expect(trusted.certificates[0].isMarked)
        #expect(trusted.certificates[0].serial == "03")
    }

    @Test("The description of a document without a chain says why")
    func describesNothing() {
        let chain = checker.chain(signedData: [UInt8]([5, 0]).span.bytes)
        #expect(chain.certificates.isEmpty)
        #expect(chain.finding == .structure)
    }
}
