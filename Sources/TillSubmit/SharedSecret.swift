public import TillCore

/// The shared secret of an app. It is written only as `password` in a request.
///
/// The description does not contain it, so no message can contain it.
public struct SharedSecret: Sendable, CustomStringConvertible, CustomReflectable {
    /// Printable ASCII without spaces, quotes and backslashes.
    let text: [UInt8]

    /// The accepted lengths. Apple's secrets have 32 hexadecimal digits. A very short text could be in an answer by
    /// chance, and would be masked there.
    public static let lengths = 8...256

    /// Reads the secret from the contents of a file: one line, with or without a line end.
    public init(file contents: [UInt8]) throws(Finding) {
        var text = contents[...]
        while let last = text.last, last == 0x0A || last == 0x0D { text.removeLast() }
        guard Self.lengths.contains(text.count),
            text.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C })
        else {
            throw Finding(
                "submit.secret",
                "must hold the shared secret and nothing else: one line of \(Self.lengths.lowerBound) to "
                    + "\(Self.lengths.upperBound) letters and digits"
            )
        }
        self.text = Array(text)
    }

    public var description: String { "***" }
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// The text with a `*` for each byte of the secret in it: a server may send back the request, with characters of
    /// the secret escaped as in JSON (`\/`, `\u002f`).
    func masked(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        var index = 0
        while index < bytes.count {
            guard let end = end(ofSecretAt: index, in: bytes) else {
                index += 1
                continue
            }
            for place in index..<end { bytes[place] = 0x2A }
            index = end
        }
        return bytes
    }

    /// The end of the secret that begins at an index; `nil` if there is none.
    private func end(ofSecretAt start: Int, in bytes: [UInt8]) -> Int? {
        var index = start
        for wanted in text {
            guard index < bytes.count else { return nil }
            if bytes[index] == wanted {
                index += 1
            } else if bytes[index] == 0x5C, index + 1 < bytes.count, bytes[index + 1] == wanted {
                index += 2
            } else if bytes[index...].starts(with: "\\u".utf8), index + 6 <= bytes.count,
                UInt8(String(decoding: bytes[(index + 2)..<(index + 6)], as: UTF8.self), radix: 16) == wanted
            {
                index += 6
            } else {
                return nil
            }
        }
        return index
    }
}
