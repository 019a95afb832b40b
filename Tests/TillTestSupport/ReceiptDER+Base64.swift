import Foundation

extension ReceiptDER {
    /// The whole in base64, on one line.
    public var base64: String { Data(der).base64EncodedString() }

    /// `bytes` in base64, in lines of `width` digits where that is not nil.
    public static func base64(_ bytes: [UInt8], width: Int? = nil, lineEnd: String = "\n") -> String {
        let text = Data(bytes).base64EncodedString()
        guard let width else { return text }
        let digits = Array(text)
        let lines = stride(from: 0, to: digits.count, by: width).map { start in
            String(digits[start..<min(start + width, digits.count)])
        }
        return lines.joined(separator: lineEnd)
    }
}
