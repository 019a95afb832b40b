/// A compact JWS (RFC 7515 §3.1) that is unsigned on purpose.
///
/// It has the three segments of a real one, but what stands in `x5c` are no certificates and the 64 octets where a
/// signature belongs are drawn from the generator. No check of trust may ever accept it.
struct UnsignedJWS {
    private static var certificates: [JSONValue] {
        ["leaf", "intermediate", "root"].map { name in
            .string(Base64.encode(Array("tillroll samples: no \(name) certificate".utf8)))
        }
    }

    private let header: JSONValue
    private let seed: UInt64

    /// One as the App Store writes it.
    init(seed: UInt64) {
        self.seed = seed
        header = .object([("alg", .string("ES256")), ("x5c", .array(Self.certificates))])
    }

    /// One as Xcode writes it: a single certificate, and a key id.
    static func xcode(seed: UInt64) -> UnsignedJWS {
        let members: [(key: String, value: JSONValue)] = [
            ("x5c", .array([certificates[0]])), ("kid", .string("Apple_Xcode_Key")), ("typ", .string("JWT")),
            ("alg", .string("ES256")),
        ]
        return UnsignedJWS(seed: seed, header: .object(members))
    }

    private init(seed: UInt64, header: JSONValue) {
        self.seed = seed
        self.header = header
    }

    func text(of payload: String) -> String {
        var random = SplitMix64(seed: seed, stream: "jws/" + payload)
        return [Array(header.compact().utf8), Array(payload.utf8), random.bytes(64)].map(Self.segment)
            .joined(separator: ".")
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
