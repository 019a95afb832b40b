import Crypto
import Foundation

/// A compact JWS to be signed.
struct SignedJWS {
    static let transaction = """
        {"transactionId":"1","originalTransactionId":"1","bundleId":"com.example.app","productId":"gold",\
        "purchaseDate":1735689600000,"signedDate":1735689600000,"environment":"Production","quantity":1}
        """

    var payload = Self.transaction
    var header: String

    /// A header as the App Store writes it.
    init(certificates: [[UInt8]], algorithm: String = "ES256", extra: String = "") {
        let texts = certificates.map { "\"" + Data($0).base64EncodedString() + "\"" }
        header = "{\"alg\":\"\(algorithm)\",\(extra)\"x5c\":[\(texts.joined(separator: ","))]}"
    }

    init(header: String) { self.header = header }

    static func segment(_ octets: some Collection<UInt8>) -> String {
        Data(octets).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    var signingInput: String { Self.segment(header.utf8) + "." + Self.segment(payload.utf8) }

    func text(signedBy key: TestKey) throws -> String {
        guard case .ec(let key) = key else { return text(signature: []) }
        return text(signature: Array(try key.signature(for: Data(signingInput.utf8)).rawRepresentation))
    }

    func text(signature: [UInt8]) -> String { signingInput + "." + Self.segment(signature) }
}
