import TillRows

/// Apple's spellings of words that rows write in one way; `nil` for a word that is not known, which rows keep.
enum AppleWord {
    /// `environment` and `receipt_type`. The VPP forms count as what they are bought in (quirk 18); V1 notifications
    /// write `PROD` (quirk 60).
    static func environment(_ text: RawSpan) -> Word? {
        if text.equals("Production") || text.equals("ProductionVPP") || text.equals("PROD") { return .production }
        if text.equals("Sandbox") || text.equals("ProductionSandbox") || text.equals("ProductionVPPSandbox") {
            return .sandbox
        }
        if text.equals("Xcode") { return .xcode }
        return text.equals("LocalTesting") ? .localTesting : nil
    }

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

    func byte(_ index: Int) -> UInt8 { unsafeLoad(fromByteOffset: index, as: UInt8.self) }
}
