import Foundation
import Testing
import TillTestSupport
import TillTrust

/// Published receipts, whose verdicts were found independently of this code (RSA and ECDSA in Python, `openssl cms`).
@Suite("Trust of published receipts", .needsVectors)
struct TrustVectorTests {
    struct Facts: Sendable {
        var trust: String
        var anchor: String?
        /// `nil` where the facts leave open whether the file is a document.
        var isAccepted: Bool?
    }

    static let facts = Result { try readFacts() }
    static var files: [String] { (try? facts.get().keys.sorted()) ?? [] }

    @Test("The facts cover every verdict")
    func isNotVacuous() throws {
        let trusts = Set(try Self.facts.get().values.map(\.trust))
        #expect(trusts == ["trusted", "untrusted", "unanchored", "unsigned"])
        #expect(try Self.facts.get().count >= 68)
        #expect(try Self.facts.get().values.count { $0.isAccepted == nil } <= 3)
    }

    @Test("With its anchor, every file has the verdict of the facts", arguments: files)
    func judges(_ name: String) throws {
        let facts = try #require(try Self.facts.get()[name])
        let anchors = try facts.anchor.map { try [Fixtures.bytes(Fixtures.vectors.appending(path: $0))] } ?? []
        let checker = TrustChecker(anchors: try TrustAnchors(files: anchors.map { (name: "anchor", octets: $0) }))
        let judged = Judged(try Fixtures.bytes(Fixtures.vectors.appending(path: name)), checker)
        guard try isAccepted(judged, facts, name) else { return }
        #expect(judged.trust == facts.trust, "\(name): \(judged.code ?? "")")
        #expect((judged.code == nil) == (facts.trust == "trusted" || facts.trust == "unsigned"), "\(name)")
        #expect(judged.rows.allSatisfy { $0 == facts.trust }, "\(name)")
    }

    @Test("Without an anchor, only documents with a path to Apple's roots are trusted", arguments: files)
    func judgesByPinnedRoots(_ name: String) throws {
        let facts = try #require(try Self.facts.get()[name])
        let judged = Judged(try Fixtures.bytes(Fixtures.vectors.appending(path: name)), TrustChecker())
        guard try isAccepted(judged, facts, name) else { return }
        let isApples = facts.anchor?.contains("apple") ?? true
        #expect(judged.trust == (isApples ? facts.trust : "untrusted"), "\(name): \(judged.code ?? "")")
    }

    /// Whether a file has a verdict. Only those may be rejected of which the facts leave that open.
    private func isAccepted(_ judged: Judged, _ facts: Facts, _ name: String) throws -> Bool {
        let accepted = judged.reading.accepted
        try #require(accepted == 1 || facts.isAccepted == nil, "\(name): \(judged.reading.rejects.map(\.code))")
        return accepted == 1
    }

    @Test("A leaf that expired after it signed the document does not change the verdict")
    func ignoresTheClock() throws {
        let name = "pkcs7/ios-sandbox-2014-2rows.b64"
        let judged = Judged(try Fixtures.bytes(Fixtures.vectors.appending(path: name)), TrustChecker())
        #expect(judged.trust == "trusted")
    }

    @Test("A receipt that was signed again after its certificates expired has the code for expired")
    func expires() throws {
        let root = try Fixtures.bytes(Fixtures.vectors.appending(path: "certs/synthetic-jws-expired-root.der"))
        let name = "jws/synthetic-expired-chain-fresh.jws"
        let judged = Judged(
            try Fixtures.bytes(Fixtures.vectors.appending(path: name)),
            try .trusting(root)
        )
        #expect(judged.outcome == "trust.expired")
    }

    private static func readFacts() throws -> [String: Facts] {
        let data = try Data(contentsOf: Fixtures.vectors.appending(path: "facts.json"))
        let entries = try #require(try JSONSerialization.jsonObject(with: data) as? [String: [String: Any]])
        return entries.compactMapValues { entry in
            guard entry["accepted"] as? Bool != false, let trust = entry["trust"] as? String else { return nil }
            return Facts(
                trust: trust,
                anchor: entry["anchor"] as? String,
                isAccepted: entry["accepted"] as? Bool
            )
        }
    }
}
