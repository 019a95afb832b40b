import Crypto
import TillJSON

/// What ties the verifications of one receipt together where no request id does: a digest of the receipt.
enum ReceiptDigest {
    /// SHA-256, in lower-case hexadecimal, of the text of `receipt-data` without its white space.
    ///
    /// It is the text that is hashed, not the bytes that its base64 stands for: so a receipt that cannot be decoded
    /// has a digest too, and line breaks, which some clients send and some do not, change nothing (quirk 1).
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
