import Foundation
import Testing
import TillTestSupport
import TillTrust

@Suite("Signatures of legacy receipts")
struct LegacySignatureTests {
    private static let info = """
        { "product-id" = "gold"; "transaction-id" = "7"; "purchase-date-ms" = "1335798355868"; "bid" = "com.example"; }
        """
    private var leaf: TestCertificate {
        get throws {
            TestCertificate(
                subject: "Purchases",
                issuer: "Test Root",
                notBefore: "100101000000Z",
                publicKey: try TestKey.leaf.get().publicKey
            )
        }
    }

    private func receipt(
        version: UInt8 = 3,
        signedVersion: UInt8? = nil,
        info: String = Self.info,
        signedInfo: String = Self.info,
        certificate: [UInt8]? = nil,
        trailing: [UInt8] = []
    ) throws -> [UInt8] {
        let certificate = try certificate ?? leaf.signed(by: TestKey.root.get())
        let signature = try TestKey.leaf.get().sign([signedVersion ?? version] + signedInfo.utf8, sha1: true)
        let length = withUnsafeBytes(of: UInt32(certificate.count).bigEndian, Array.init)
        let blob = [version] + signature + length + certificate + trailing
        let outer = """
            { "signature" = "\(Data(blob).base64EncodedString())"; \
            "purchase-info" = "\(Data(info.utf8).base64EncodedString())"; "environment" = "Sandbox"; }
            """
        return Array(outer.utf8)
    }

    @Test("A valid signature is unanchored, and trusted if the user names the issuer")
    func isUnanchored() throws {
        let octets = try receipt()
        let judged = Judged(octets, TrustChecker())
        #expect(judged.trust == "unanchored")
        #expect(judged.rows == ["unanchored"])
        var root = try TestChain.rsa().root
        #expect(Judged(octets, try .trusting(try root.signed(by: TestKey.root.get()))).outcome == "trust.not-yet-valid")
        root.notBefore = "060101000000Z"
        #expect(Judged(octets, try .trusting(try root.signed(by: TestKey.root.get()))).outcome == "trusted")
    }

    @Test("A changed receipt is untrusted")
    func refuses() throws {
        let other = Self.info.replacing("gold", with: "lead")
        #expect(Judged(try receipt(info: other), TrustChecker()).outcome == "trust.signature")
        #expect(Judged(try receipt(signedVersion: 2), TrustChecker()).outcome == "trust.signature")
        #expect(Judged(try receipt(version: 4), TrustChecker()).outcome == "trust.algorithm")
        #expect(Judged(try receipt(version: 2), TrustChecker()).outcome == "trust.structure")
        #expect(Judged(try receipt(trailing: [0]), TrustChecker()).outcome == "trust.structure")
        #expect(Judged(try receipt(certificate: [0x30, 0]), TrustChecker()).outcome == "trust.certificate")
    }

    @Test("A purchase after the leaf expired is untrusted")
    func expires() throws {
        var certificate = try leaf
        certificate.notAfter = "110101000000Z"
        let octets = try receipt(certificate: try certificate.signed(by: TestKey.root.get()))
        #expect(Judged(octets, TrustChecker()).outcome == "trust.expired")
    }

    @Test("A receipt without a signature is unsigned")
    func isUnsigned() {
        let octets = Array("{ \"purchase-info\" = \"\(Data(Self.info.utf8).base64EncodedString())\"; }".utf8)
        #expect(Judged(octets, TrustChecker()).outcome == "unsigned")
    }
}
