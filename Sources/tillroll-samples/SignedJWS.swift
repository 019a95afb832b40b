/// A compact JWS (RFC 7515 §3.1), signed with a test key (``TestKeys``): only a program that is given the root
/// trusts it.
struct SignedJWS {
    private let header: JSONValue

    /// One as the App Store writes it.
    init() {
        header = .object([
            ("alg", .string("ES256")), ("x5c", .array(TestSigner.jwsCertificates.map { .string($0) })),
        ])
    }

    /// One as Xcode writes it: a single certificate, and a key id.
    static let xcode = SignedJWS(
        header: .object([
            ("x5c", .array([.string(TestSigner.xcodeJWSCertificate)])), ("kid", .string("Apple_Xcode_Key")),
            ("typ", .string("JWT")), ("alg", .string("ES256")),
        ])
    )

    private init(header: JSONValue) {
        self.header = header
    }

    func text(of payload: String) throws -> String {
        let signed = [header.compact(), payload].map { Self.segment(Array($0.utf8)) }.joined(separator: ".")
        return signed + "." + Self.segment(try TestSigner.signJWS(Array(signed.utf8)))
    }

    /// Base64 in the alphabet for URLs, without padding (RFC 7515 §2).
    private static func segment(_ octets: [UInt8]) -> String {
        String(
            Base64.encode(octets).compactMap { digit in
                switch digit {
                case "+": "-"
                case "/": "_"
                case "=": nil
                default: digit
                }
            }
        )
    }
}
