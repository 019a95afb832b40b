import Testing

@testable import TillPricing

@Suite("Territory")
struct TerritoryTests {
    static let codes = [
        ("US", "USA"), ("de", "DEU"), ("GB", "GBR"), ("CH", "CHE"), ("CN", "CHN"), ("TW", "TWN"), ("XK", "XKS"),
        ("AD", "AND"),
        ("ZW", "ZWE"), ("KR", "KOR"), ("KP", "PRK"),
    ]

    @Test("Alpha-2 and alpha-3 of one territory are equal, in either case", arguments: codes)
    func normalises(_ short: String, _ long: String) {
        #expect(Territory(short) == Territory(long.lowercased()))
        #expect(Territory(short)?.description == long)
    }

    @Test(
        "What ISO 3166-1 does not list is no territory",
        arguments: ["", "U", "UK", "ZZ", "ZZZ", "USAA", "U1", "Ä", "143441", "*"]
    )
    func refuses(_ text: String) {
        #expect(Territory(text) == nil)
    }

    @Test("Kosovo is one territory under its three names", arguments: ["XK", "XKX", "xks"])
    func kosovo(_ name: String) {
        #expect(Territory(name)?.description == "XKS")
    }

    @Test("The table has the 249 entries of ISO 3166-1, and Kosovo")
    func table() {
        #expect(Territory.alpha3.count == 501)
        #expect(Set(Territory.alpha3.values).count == 250)
    }
}
