import Testing

@testable import TillPricing

@Suite("Names of products")
struct ProductNamesTests {
    @Test("The first name of a product counts")
    func keepsFirst() {
        let names = ProductNames([("a", "Coins"), ("a", "Gems"), ("b", " "), ("b", "Pro")])
        #expect(names.byProductID == ["a": "Coins", "b": "Pro"])
        #expect(names.text(for: "a") == "Coins")
        #expect(names.text(for: "z") == "z")
    }

    @Test("Two products never look alike: a shared name, and one that is the id of another product, carry the id")
    func tellsApart() {
        let names = ProductNames([("gold.1", "Gold"), ("gold.2", "Gold"), ("x", "gold.1"), ("y", "y")])
        #expect(names.byProductID == ["gold.1": "Gold (gold.1)", "gold.2": "Gold (gold.2)", "x": "gold.1 (x)"])
    }

    static let texts: [(String, String?)] = [
        ("  Trailmap\n\tLifetime ", "Trailmap Lifetime"), ("\u{A0}\r\n", nil), ("", nil),
        ("=1+1", "=1+1"), ("a\u{202E}b", "a\u{202E}b"),
        (String(repeating: "n", count: 100), String(repeating: "n", count: 100)),
        (String(repeating: "n", count: 101), String(repeating: "n", count: 99) + "…"),
        // One letter with 200 accents is one character to a reader, and 201 to a limit.
        ("e" + String(repeating: "\u{301}", count: 200), "e" + String(repeating: "\u{301}", count: 98) + "…"),
    ]

    @Test("A name is one line of at most 100 characters", arguments: texts)
    func cleans(_ text: String, _ name: String?) {
        #expect(ProductNames.cleaned(text).map { Array($0.unicodeScalars) } == name.map { Array($0.unicodeScalars) })
    }
}
