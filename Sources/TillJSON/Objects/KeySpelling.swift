/// The two ways to write a name of several words.
///
///     latest_receipt_info    latestReceiptInfo
///     notificationUUID       notification_uuid
public enum KeySpelling {
    /// The other way to write a name; `nil` for a name of one word, and where the result is too long for a key of a table.
    public static func other(of name: String) -> String? {
        let other = name.contains { $0 == "_" || $0 == "-" } ? camelCase(name) : snakeCase(name)
        return other == name || other.utf8.count > KeyNames.longest ? nil : other
    }

    /// The names, and behind them their other spellings that are not among them.
    public static func both<Key>(_ members: [(name: String, key: Key)]) -> [(name: String, key: Key)] {
        var known = Set(members.map { $0.name })
        return members
            + members.compactMap { member in
                guard let other = other(of: member.name), known.insert(other).inserted else { return nil }
                return (other, member.key)
            }
    }

    private static func camelCase(_ name: String) -> String {
        let words = name.split { $0 == "_" || $0 == "-" }
        return words.dropFirst().reduce(String(words.first ?? "")) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
    }

    /// A row of capitals is one word.
    private static func snakeCase(_ name: String) -> String {
        var result = ""
        var wasCapital = true
        for character in name {
            if character.isUppercase, !wasCapital { result.append("_") }
            wasCapital = character.isUppercase
            result += character.lowercased()
        }
        return result
    }
}
