import Foundation
import Testing
import TillReceipts
import TillTestSupport
import TillTrust

/// A change of one signed byte must lose trust. The changes have a fixed seed, so a failure can be repeated.
@Suite("Changed signatures")
struct SignedMutationTests {
    private static let seed: UInt64 = 20_261_121
    private static let changes = 10_000

    /// A document, and the indices of its signed octets and of its signature.
    private struct Target {
        var octets: [UInt8]
        var signed: [Int]
    }

    @Test("All of 10,000 changes of one byte of content, attributes or signature are refused")
    func refusesEveryChange() throws {
        let chain = try TestChain.rsa()
        var targets: [Target] = []
        for (hasAttributes, digest) in [(false, OID.sha256), (true, OID.sha256), (false, OID.sha1), (true, OID.sha1)] {
            var receipt = try SignedReceipt(chain)
            (receipt.hasAttributes, receipt.digest) = (hasAttributes, digest)
            let octets = try receipt.octets(signedBy: chain.keys.leaf)
            let start = try #require(octets.firstIndex(of: receipt.payload))
            let signature = octets.count - 256..<octets.count
            targets.append(Target(octets: octets, signed: Array(start..<start + receipt.payload.count) + signature))
        }
        let anchor = try chain.root.signed(by: chain.keys.root)
        try refuse(targets, changes: Self.changes / 2, anchor: anchor)

        let ec = TestChain.ec()
        let text = try SignedJWS(certificates: ec.certificates()).text(signedBy: ec.keys.leaf)
        let target = Target(octets: Array(text.utf8), signed: Array(0..<text.utf8.count))
        try refuse([target], changes: Self.changes / 2, anchor: try ec.root.signed(by: ec.keys.root))
    }

    @Test("A change of any byte of a certificate on the path breaks the path")
    func refusesChangedCertificates() throws {
        let chain = try TestChain.rsa()
        let receipt = try SignedReceipt(chain)
        let octets = try receipt.octets(signedBy: chain.keys.leaf)
        let signed = try receipt.certificates.prefix(2).flatMap { certificate in
            let start = try #require(octets.firstIndex(of: certificate))
            return Array(start..<start + certificate.count)
        }
        try refuse(
            [Target(octets: octets, signed: signed)],
            changes: 2000,
            anchor: try chain.root.signed(by: chain.keys.root)
        )
    }

    private func refuse(_ targets: [Target], changes: Int, anchor: [UInt8]) throws {
        var random = SplitMix64(seed: Self.seed)
        let checker = try TrustChecker.trusting(anchor)
        var reader = DocumentReader(trust: .check(checker))
        for target in targets {
            let honest = Reading(target.octets, with: &reader)
            try #require(honest.documents.map { $0["trust"] } == ["trusted"])
        }
        for number in 0..<changes {
            let target = targets[number % targets.count]
            var octets = target.octets
            let place = random.pick(target.signed)
            octets[place] ^= UInt8(1 + random.below(255))
            let reading = Reading(octets, with: &reader)
            // A line feed in the middle of a text splits it into two documents. Neither may be trusted.
            let trusts = reading.documents.map { $0["trust"] }
            #expect(!trusts.contains("trusted"), "seed \(Self.seed), change \(number) at \(place)")
        }
    }
}

extension [UInt8] {
    fileprivate func firstIndex(of other: [UInt8]) -> Int? {
        let first = other.first
        return (0...Swift.max(0, count - other.count)).first { self[$0] == first && self[$0...].starts(with: other) }
    }
}
