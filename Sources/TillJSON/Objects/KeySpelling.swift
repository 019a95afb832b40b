/// The ways to write a name of several words.
///
///     latest_receipt_info    latestReceiptInfo
///     purchase_date_ms       purchaseDateMs       purchaseDateMS
///     transaction_id         transactionId        transactionID
///     notificationUUID       notification_uuid
public enum KeySpelling {
    /// The other way to write a name; `nil` for a name of one word, and where the result is too long for a key of a
    /// table.
    public static func other(of name: String) -> String? {
        // All names are known when the command starts, so they are rewritten as bytes, which takes a tenth of the time.
        let bytes = Array(name.utf8)
        let other = bytes.contains(where: isSeparator) ? camelCase(bytes) : snakeCase(bytes)
        return other == bytes || other.count > KeyNames.longest ? nil : String(decoding: other, as: UTF8.self)
    }

    /// The names, followed by their other spellings that are not among them: first those of ``other(of:)``, then those
    /// with an acronym in capitals.
    // Loops: each closure over a tuple of a generic type costs the start of the command a look-up of that type.
    public static func all<Key>(_ members: [(name: String, key: Key)]) -> [(name: String, key: Key)] {
        var known: Set<String> = []
        for member in members { known.insert(member.name) }
        var all = members
        for member in members {
            guard let other = other(of: member.name), known.insert(other).inserted else { continue }
            all.append((other, member.key))
        }
        for member in all {
            guard let name = withAcronym(name: member.name), known.insert(name).inserted else { continue }
            all.append((name, member.key))
        }
        return all
    }

    /// Last words in camel case that programs write in capitals too, as Swift does.
    private static let acronyms = ["Id", "Ms", "Pst"].map { Array($0.utf8) }

    /// The name in camel case whose last word is an acronym, with that in capitals; `nil` for other names.
    private static func withAcronym(name: String) -> String? {
        let bytes = Array(name.utf8)
        for acronym in acronyms where bytes.suffix(acronym.count) == acronym[...] {
            let capitals = acronym.map { isSmall($0) ? $0 - 0x20 : $0 }
            return String(decoding: bytes.dropLast(acronym.count) + capitals, as: UTF8.self)
        }
        return nil
    }

    private static func isSmall(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }

    private static func isSeparator(_ byte: UInt8) -> Bool { byte == 0x5F || byte == 0x2D }

    private static func camelCase(_ name: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        for (number, word) in name.split(whereSeparator: isSeparator).enumerated() {
            guard number > 0, let first = word.first, isSmall(first) else {
                result += word
                continue
            }
            result.append(first - 0x20)
            result += word.dropFirst()
        }
        return result
    }

    /// A row of capitals is one word.
    private static func snakeCase(_ name: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var wasCapital = true
        for byte in name {
            let isCapital = (0x41...0x5A).contains(byte)
            if isCapital, !wasCapital { result.append(0x5F) }
            wasCapital = isCapital
            result.append(isCapital ? byte + 0x20 : byte)
        }
        return result
    }
}
