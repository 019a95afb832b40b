import Crypto
import Foundation
import Testing
import TillCore
import TillTestSupport
import TillTrust

@Suite("Anchors")
struct TrustAnchorTests {
    private func pem(_ octets: [UInt8]) -> String {
        "-----BEGIN CERTIFICATE-----\n"
            + Data(octets).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
            + "\n-----END CERTIFICATE-----\n"
    }

    @Test("A file of anchors may be PEM or DER and hold one certificate or many")
    func reads() throws {
        let (rsa, ec) = (try TestChain.rsa(), TestChain.ec())
        let roots = [try rsa.root.signed(by: rsa.keys.root), try ec.root.signed(by: ec.keys.root)]
        let receipt = try SignedReceipt(rsa).octets(signedBy: rsa.keys.leaf)
        let jws = Array(try SignedJWS(certificates: ec.certificates()).text(signedBy: ec.keys.leaf).utf8)
        let files: [[UInt8]] = [roots[0] + roots[1], Array("Ours:\n\(pem(roots[0]))\(pem(roots[1]))".utf8)]
        for file in files {
            let checker = try TrustChecker.trusting(file)
            #expect(Judged(receipt, checker).outcome == "trusted")
            #expect(Judged(jws, checker).outcome == "trusted")
        }
    }

    static let unreadable: [(String, [UInt8])] = [
        ("nothing", []), ("text", Array("certificate".utf8)), ("a cut one", [0x30, 0x82, 4, 0, 1]),
        ("another sequence", [0x30, 3, 2, 1, 1]), ("a length of four octets", [0x30, 0x84, 0, 0, 0, 1, 0]),
        ("an indefinite length", [0x30, 0x80, 0, 0]),
        ("a private key", Array("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n".utf8)),
    ]

    @Test("A file without certificates is an error that names it", arguments: unreadable)
    func refuses(_ name: String, _ octets: [UInt8]) {
        let error = #expect(throws: Finding.self) {
            try TrustAnchors(files: [(name: "anchors.pem", octets: octets)])
        }
        #expect(error?.description.contains("anchors.pem") == true, "\(name)")
    }

    @Test("The pinned roots are the published ones", .needsVectors)
    func pinsPublishedRoots() throws {
        let files = [(PinnedRoot.appleRootCA, "apple-inc-root.cer"), (.appleRootCAG3, "apple-root-ca-g3.cer")]
        #expect(files.count == PinnedRoot.allCases.count)
        for (root, name) in files {
            let octets = try Fixtures.bytes(Fixtures.vectors.appending(path: "certs/\(name)"))
            let digest = SHA256.hash(data: octets).map { String(format: "%02X", $0) }.joined()
            #expect(digest == root.fingerprint)
        }
    }

    @Test("The rules for a pinned root still apply if the user names it", .needsVectors)
    func keepsRules() throws {
        let root = try Fixtures.bytes(Fixtures.vectors.appending(path: "certs/apple-root-ca-g3.cer"))
        let jws = try Fixtures.bytes(Fixtures.vectors.appending(path: "jws/apple-signed-test-notification.json"))
        #expect(Judged(jws, try .trusting(root)).outcome == "trusted")
        // The root of receipts does not end the path of a JWS, and the root of JWS does not end that of a receipt.
        let receipts = try Fixtures.bytes(Fixtures.vectors.appending(path: "certs/apple-inc-root.cer"))
        #expect(Judged(jws, try .trusting(receipts)).outcome == "trusted")
    }

    @Test("Every pinned root can be read and has its published fingerprint")
    func readsPinnedRoots() {
        // A pinned root whose certificate has another fingerprint would be missing here.
        #expect(TrustAnchors.apple.count == PinnedRoot.allCases.count)
    }
}
