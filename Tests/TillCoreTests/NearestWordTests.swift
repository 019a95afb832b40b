import Testing
import TillCore

@Suite("The nearest word")
struct NearestWordTests {
    private static let words = ["revenue", "restores", "failures", "subscriptions", "anomalies", "all"]

    @Test(
        "A few slips, a beginning or another case still tell which word was meant",
        arguments: [
            ("revenu", "revenue"), ("revneue", "revenue"), ("Failures", "failures"), ("fialures", "failures"),
            ("subs", "subscriptions"), ("anomalie", "anomalies"), ("al", "all"), ("restore", "restores"),
        ]
    )
    func found(_ word: String, _ nearest: String) {
        #expect(NearestWord.to(word, among: Self.words) == nearest)
    }

    @Test(
        "What is like none of them gives none",
        arguments: ["", "re", "taxes", "x", String(repeating: "a", count: 99)]
    )
    func notFound(_ word: String) {
        #expect(NearestWord.to(word, among: Self.words) == nil)
    }

    @Test("Of equally near words the first is taken")
    func first() {
        #expect(NearestWord.to("bat", among: ["cat", "hat"]) == "cat")
    }

    static let meant: [(String, [String], String?)] = [
        ("timezone", ["month", "tz"], "tz"), ("Time-Zone", ["tz"], "tz"),
        ("currency", ["tz", "base-currency"], "base-currency"),
        // A key of rows comes before the flag that other people mean.
        ("country", ["by storefront", "storefront"], "storefront"), ("country", ["by storefront"], "by storefront"),
        ("product", ["product_id", "product_type"], "product_id"), ("sales", ["revenue", "restores"], "revenue"),
        ("excel", ["html", "xlsx"], "xlsx"), ("date", ["since", "watch"], "since"),
        // Where no name is meant, the nearest one is.
        ("montj", ["month"], "month"), ("country", ["month"], nil),
    ]

    @Test("A word that people expect is answered with the name that it means, else with the nearest", arguments: meant)
    func findsMeaning(_ word: String, _ names: [String], _ name: String?) {
        #expect(NearestWord.meant(by: word, among: names) == name)
        #expect(NearestWord.clause(about: "al", among: Self.words) == "; did you mean 'all'?")
        #expect(NearestWord.clause(about: "zzz", among: Self.words) == "")
    }
}
