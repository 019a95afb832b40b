/// Inflates gzip that stands inside a document, as a service puts it into a message: the whole of it at once.
public enum GzipText {
    /// Whether bytes begin as a gzip member does (RFC 1952 §2.3.1).
    public static func recognizes(_ bytes: [UInt8]) -> Bool { GzipHeader.recognizes(bytes) }

    /// The first member's text; `nil` where it is damaged or cut, or has more than `limit` bytes.
    public static func inflate(_ bytes: [UInt8], limit: Int) -> [UInt8]? {
        guard let inflater = try? GzipInflater(source: "") else { return nil }
        inflater.beginMember()
        var text: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 64 << 10)
        var position = 0
        return bytes.withUnsafeBytes { input in
            while position <= input.count {
                let rest = UnsafeRawBufferPointer(rebasing: input[position...])
                let step = block.withUnsafeMutableBytes { inflater.step(rest, into: $0) }
                position += step.consumed
                text += block[..<step.written]
                guard text.count <= limit, position >= 0 else { return nil }
                switch step.outcome {
                case .ended: return text
                case .damaged: return nil
                case .unfinished: if step.isIdle { return nil }
                }
            }
            return nil
        }
    }
}
