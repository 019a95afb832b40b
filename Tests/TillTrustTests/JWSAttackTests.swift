import Crypto
import Foundation
import Testing
import TillTestSupport
import TillTrust

/// Attacks on a signed transaction, and the code that each must get.
@Suite("Attacks on JWS")
struct JWSAttackTests {
    struct Attack: Sendable, CustomTestStringConvertible {
        var name: String
        var code: String
        var text: @Sendable (TestChain) throws -> String

        var testDescription: String { name }
    }

    private func outcome(_ text: String) throws -> String {
        let chain = TestChain.ec()
        let checker = try TrustChecker.trusting(try chain.root.signed(by: chain.keys.root))
        return Judged(Array(text.utf8), checker).outcome
    }

    @Test("An honest transaction is trusted, whatever the third element of x5c is")
    func trusts() throws {
        let chain = TestChain.ec()
        var certificates = try chain.certificates()
        #expect(try outcome(SignedJWS(certificates: certificates).text(signedBy: chain.keys.leaf)) == "trusted")
        certificates[2] = [1, 2, 3]
        #expect(try outcome(SignedJWS(certificates: certificates).text(signedBy: chain.keys.leaf)) == "trusted")
    }

    @Test("Each attack is refused with its code", arguments: attacks)
    func refuses(_ attack: Attack) throws {
        #expect(try outcome(try attack.text(TestChain.ec())) == attack.code)
    }

    static let attacks: [Attack] = [
        Attack(name: "the algorithm none, and no signature", code: "trust.algorithm") { chain in
            try SignedJWS(certificates: chain.certificates(), algorithm: "none").text(signature: [])
        },
        Attack(name: "the algorithm none, in other letters", code: "trust.algorithm") { chain in
            try SignedJWS(certificates: chain.certificates(), algorithm: "nOnE").text(signedBy: chain.keys.leaf)
        },
        Attack(name: "HS256 with the public key for a secret", code: "trust.algorithm") { chain in
            let jws = SignedJWS(certificates: try chain.certificates(), algorithm: "HS256")
            let secret = SymmetricKey(data: chain.keys.leaf.publicKey)
            let code = HMAC<SHA256>.authenticationCode(for: Data(jws.signingInput.utf8), using: secret)
            return jws.text(signature: Array(code))
        },
        Attack(name: "RS256", code: "trust.algorithm") { chain in
            try SignedJWS(certificates: chain.certificates(), algorithm: "RS256").text(signedBy: chain.keys.leaf)
        },
        Attack(name: "ES256 with a certificate of RSA", code: "trust.algorithm") { chain in
            var chain = chain
            chain.leaf.publicKey = try TestKey.leaf.get().publicKey
            return try SignedJWS(certificates: chain.certificates()).text(signature: Array(repeating: 1, count: 64))
        },
        Attack(name: "no algorithm", code: "trust.algorithm") { chain in
            let text = Data(try chain.certificates()[0]).base64EncodedString()
            return try SignedJWS(header: "{\"x5c\":[\"\(text)\"]}").text(signedBy: chain.keys.leaf)
        },
        Attack(name: "two algorithms", code: "trust.structure") { chain in
            try SignedJWS(certificates: chain.certificates(), extra: "\"alg\":\"ES256\",")
                .text(signedBy: chain.keys.leaf)
        },
        Attack(name: "a critical member that is not understood", code: "trust.structure") { chain in
            try SignedJWS(certificates: chain.certificates(), extra: "\"crit\":[\"exp\"],")
                .text(signedBy: chain.keys.leaf)
        },
        Attack(name: "a key in the header instead of certificates", code: "trust.signer") { chain in
            try SignedJWS(header: "{\"alg\":\"ES256\",\"jwk\":{\"kty\":\"EC\"}}").text(signedBy: chain.keys.leaf)
        },
        Attack(name: "x5c of nothing", code: "trust.signer") { chain in
            try SignedJWS(certificates: []).text(signedBy: chain.keys.leaf)
        },
        Attack(name: "x5c of one that signed itself", code: "trust.anchor") { chain in
            var leaf = chain.leaf
            leaf.issuer = leaf.subject
            return try SignedJWS(certificates: [leaf.signed(by: chain.keys.leaf)]).text(signedBy: chain.keys.leaf)
        },
        Attack(name: "x5c of two", code: "trust.chain") { chain in
            try SignedJWS(certificates: Array(chain.certificates().prefix(2))).text(signedBy: chain.keys.leaf)
        },
        Attack(name: "x5c of thousands", code: "trust.limit") { chain in
            try SignedJWS(certificates: Array(repeating: [0x30, 0], count: 5000)).text(signedBy: chain.keys.leaf)
        },
        Attack(name: "x5c whose first is no certificate", code: "trust.certificate") { chain in
            try SignedJWS(certificates: [[1], [2], [3]]).text(signedBy: chain.keys.leaf)
        },
        Attack(name: "a chain of somebody, with the real root in third place", code: "trust.anchor") { chain in
            var chain = chain
            let root = try chain.root.signed(by: chain.keys.root)
            chain.keys.root = chain.keys.leaf
            return try SignedJWS(certificates: chain.certificates().prefix(2) + [root]).text(signedBy: chain.keys.leaf)
        },
        Attack(name: "another payload under the same signature", code: "trust.signature") { chain in
            var jws = SignedJWS(certificates: try chain.certificates())
            let signed = try jws.text(signedBy: chain.keys.leaf)
            jws.payload = SignedJWS.transaction.replacing("gold", with: "lead")
            return jws.signingInput + "." + (signed.split(separator: ".").last ?? "")
        },
        Attack(name: "a signature of zeros", code: "trust.signature") { chain in
            try SignedJWS(certificates: chain.certificates()).text(signature: Array(repeating: 0, count: 64))
        },
        Attack(name: "a signature in DER", code: "trust.signature") { chain in
            let jws = SignedJWS(certificates: try chain.certificates())
            return jws.text(signature: try chain.keys.leaf.sign(Array(jws.signingInput.utf8)))
        },
        Attack(name: "a signature with a second spelling", code: "trust.signature") { chain in
            let text = try SignedJWS(certificates: chain.certificates()).text(signedBy: chain.keys.leaf)
            // Four bits of the last of 86 digits are unused, so another digit there encodes the same octets.
            let last = try #require(text.last)
            let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
            let index = try #require(alphabet.firstIndex(of: last))
            return String(text.dropLast()) + String(alphabet[index ^ 1])
        },
        Attack(name: "a signature with padding", code: "trust.signature") { chain in
            try SignedJWS(certificates: chain.certificates()).text(signedBy: chain.keys.leaf) + "=="
        },
        Attack(name: "a chain that had expired when it was signed", code: "trust.expired") { chain in
            var chain = chain
            chain.leaf.notAfter = "200101000000Z"
            return try SignedJWS(certificates: chain.certificates()).text(signedBy: chain.keys.leaf)
        },
    ]

    @Test("Under an anchor of the user, Apple's marker extensions are not needed")
    func needsNoMarks() throws {
        var chain = TestChain.ec()
        chain.leaf.extensions.removeLast()
        chain.intermediate.extensions.removeLast()
        let text = try SignedJWS(certificates: chain.certificates()).text(signedBy: chain.keys.leaf)
        #expect(try outcome(text) == "trusted")
    }

    @Test("A single certificate is trusted only if the user names it")
    func trustsNamedSigner() throws {
        var leaf = TestChain.ec().leaf
        leaf.issuer = leaf.subject
        let certificate = try leaf.signed(by: TestKey.ecLeaf)
        let text = try SignedJWS(certificates: [certificate]).text(signedBy: TestKey.ecLeaf)
        #expect(Judged(Array(text.utf8), try .trusting(certificate)).outcome == "trusted")
        #expect(Judged(Array(text.utf8), TrustChecker()).outcome == "trust.anchor")
    }
}
