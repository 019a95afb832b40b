import Testing

@testable import TillCore

@Suite("Unseen characters")
struct UnseenCharactersTests {
    @Test("The ranges that are told without the tables say the same as the tables")
    func agrees() {
        let all = (0...0x10FFFF).lazy.compactMap { Unicode.Scalar($0 as UInt32) }
        #expect(all.allSatisfy { $0.isUnseen == $0.isUnseenByItsProperties })
    }

    @Test(
        "Controls, separators, bidirectional signs and what has no width are unseen",
        arguments: [
            "\u{0}", "\u{1B}", "\u{7F}", "\u{80}", "\u{9B}", "\u{9F}", "\u{AD}", "\u{61C}", "\u{200B}", "\u{202E}",
            "\u{2028}",
            "\u{2029}", "\u{2066}", "\u{FEFF}", "\u{E0041}",
        ] as [Unicode.Scalar]
    )
    func isUnseen(_ scalar: Unicode.Scalar) {
        #expect(scalar.isUnseen)
    }

    @Test(
        "Letters, blanks, pictures and variation selectors are seen",
        arguments: [" ", "\u{A0}", "é", "語", "🧾", "\u{FE0F}"] as [Unicode.Scalar]
    )
    func isSeen(_ scalar: Unicode.Scalar) {
        #expect(!scalar.isUnseen)
    }
}
