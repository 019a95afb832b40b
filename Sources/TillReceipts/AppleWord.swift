import TillRows

/// Apple's spellings of words that rows write in one way; `nil` for a word that is not known, which rows keep.
enum AppleWord {
    /// `environment` and `receipt_type`, as Apple or programs spell them: those with enumerations write `PRODUCTION` and `LOCAL_TESTING`.
    static func environment(_ text: RawSpan) -> Word? {
        appleEnvironment(text) ?? environments[text.letters(atMost: 20)]
    }

    /// The same as Apple spells them. The VPP forms count as what they are bought in (quirk 18); V1 notifications write `PROD`
    /// (quirk 60).
    static func appleEnvironment(_ text: RawSpan) -> Word? {
        if text.equals("Production") || text.equals("ProductionVPP") || text.equals("PROD") { return .production }
        if text.equals("Sandbox") || text.equals("ProductionSandbox") || text.equals("ProductionVPPSandbox") {
            return .sandbox
        }
        if text.equals("Xcode") { return .xcode }
        return text.equals("LocalTesting") ? .localTesting : nil
    }

    /// Environments by their letters.
    private static let environments: [[UInt8]: Word] = {
        let words: [(Word, [String])] = [
            (.production, ["production", "productionvpp", "prod"]),
            (.sandbox, ["sandbox", "productionsandbox", "productionvppsandbox"]),
            (.xcode, ["xcode"]), (.localTesting, ["localtesting"]),
        ]
        var environments: [[UInt8]: Word] = [:]
        for (word, spellings) in words { for spelling in spellings { environments[Array(spelling.utf8)] = word } }
        return environments
    }()

    /// `type` of a signed transaction.
    static func productType(_ text: RawSpan) -> Word? {
        if text.equals("Auto-Renewable Subscription") { return .autoRenewable }
        if text.equals("Non-Consumable") { return .nonConsumable }
        if text.equals("Consumable") { return .consumable }
        return text.equals("Non-Renewing Subscription") ? .nonRenewing : nil
    }

    /// `in_app_ownership_type`, `inAppOwnershipType`.
    static func ownership(_ text: RawSpan) -> Word? {
        if text.equals("PURCHASED") { return .purchased }
        return text.equals("FAMILY_SHARED") ? .familyShared : nil
    }
}

extension RawSpan {
    /// Whether the bytes are those of `text`.
    func equals(_ text: StaticString) -> Bool {
        guard byteCount == text.utf8CodeUnitCount else { return false }
        for index in 0..<byteCount where byte(index) != text.utf8Start[index] { return false }
        return true
    }

    /// Whether the last bytes are those of `text`.
    func ends(with text: StaticString) -> Bool {
        let start = byteCount - text.utf8CodeUnitCount
        return start >= 0 && extracting(start..<byteCount).equals(text)
    }

    /// The letters in lower case, without `_`, `-` and spaces between them; empty where there are more than `limit`.
    fileprivate func letters(atMost limit: Int) -> [UInt8] {
        var letters: [UInt8] = []
        for index in 0..<byteCount {
            let byte = byte(index)
            if byte == 0x5F || byte == 0x2D || byte == 0x20 { continue }
            guard letters.count < limit else { return [] }
            letters.append(byte | ((0x41...0x5A).contains(byte) ? 0x20 : 0))
        }
        return letters
    }

    func byte(_ index: Int) -> UInt8 { unsafeLoad(fromByteOffset: index, as: UInt8.self) }
}
