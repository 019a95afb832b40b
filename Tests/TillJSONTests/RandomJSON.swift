import TillTestSupport

/// JSON as dumps have it, and as they have it once in a while.
enum RandomJSON {
    /// A value of any kind, mostly a string of so many digits.
    static func value(_ random: inout SplitMix64, digits: Int) -> String {
        switch random.below(24) {
        case 0: string(of: "x", count: random.below(140))
        case 1: "\"Etc\\/GMT\""
        case 2: "\"caf\u{E9}\""
        case 3: "null"
        case 4: ["0", "-1", "12", "1234567", "12345678", "1.5", "1e3"][random.below(7)]
        case 5: ["true", "false"][random.below(2)]
        case 6: ["{}", "[]", "[{\"id\":[1]}]", "{\"ts\":\"x\"}", "{\"date\":\"x\"}"][random.below(5)]
        case 7: "\"\""
        // About where kernels look at further bytes, and where they leave a string to others.
        case 8: string(of: "y", count: 30 + random.below(5))
        case 9: string(of: "z", count: 62 + random.below(5))
        default: "\"\((0..<digits).map { _ in String(random.below(10)) }.joined())\""
        }
    }

    private static func string(of character: Character, count: Int) -> String {
        "\"\(String(repeating: character, count: count))\""
    }
}
