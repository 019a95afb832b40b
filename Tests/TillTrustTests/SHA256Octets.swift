import Crypto

enum SHA256Octets {
    static func of(_ octets: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: octets)) }
}
