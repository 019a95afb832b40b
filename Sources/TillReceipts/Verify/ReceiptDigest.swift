import Crypto
import TillJSON

/// A digest of the receipt, which connects the verifications of one receipt without a request id.
enum ReceiptDigest {
    /// SHA-256, in lower-case hexadecimal, of the text of `receipt-data` without its white space.
    ///
    /// The text is hashed, not the decoded bytes. So a receipt that cannot be decoded has a digest too. Line breaks,
    /// which only some clients send, do not change the digest (quirk 1).
    static func hexadecimal(of token: JSONToken, in cursor: borrowing JSONCursor) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(token.count)
        cursor.appendText(of: token, to: &text)
        return hexadecimal(of: text)
    }

    /// The same of a receipt by itself.
    static func hexadecimal(of receipt: [UInt8]) -> [UInt8] {
        var text = receipt
        text.removeAll { $0 <= 0x20 }
        var hash = SHA256()
        text.withUnsafeBytes { hash.update(bufferPointer: $0) }
        let digits = Array("0123456789abcdef".utf8)
        return hash.finalize().flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }
}
