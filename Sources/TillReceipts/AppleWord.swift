import CKernels
import TillInput
import TillRows

/// Spellings of words that rows write in one way; `nil` for a word that is not known, which rows keep.
///
/// Programs with enumerations print the names of their cases: `LOCAL_TESTING`, `familyShared`, `Environment.sandbox`.
enum AppleWord {
    /// `environment` and `receipt_type`, as Apple or programs spell them.
    static func environment(_ text: RawSpan) -> Word? {
        appleEnvironment(text) ?? environments[text.letters(atMost: 20)]
    }

    /// The same as Apple spells them. The VPP forms count as their environment (quirk 18); V1 notifications write
    /// `PROD` (quirk 60).
    static func appleEnvironment(_ text: RawSpan) -> Word? {
        if text.equals("Production") || text.equals("ProductionVPP") || text.equals("PROD") { return .production }
        if text.equals("Sandbox") || text.equals("ProductionSandbox") || text.equals("ProductionVPPSandbox") {
            return .sandbox
        }
        if text.equals("Xcode") { return .xcode }
        return text.equals("LocalTesting") ? .localTesting : nil
    }

    /// The environment that something around a document says it is of. The `production` of a server is none of Apple's,
    /// but what is of a sandbox in any spelling is not booked.
    static func environmentAround(_ text: RawSpan) -> Word? {
        if let word = appleEnvironment(text) { return word }
        return environment(text).flatMap { $0 == .production ? nil : $0 }
    }

    /// Environments by their letters. Programs have words of their own for the builds whose purchases Apple's sandbox
    /// answers.
    private static let environments = byLetters([
        (.production, ["production", "productionvpp", "prod"]),
        (
            .sandbox,
            ["sandbox", "productionsandbox", "productionvppsandbox", "testflight", "debug", "development"]
        ),
        (.xcode, ["xcode"]), (.localTesting, ["localtesting"]),
    ])

    private static func byLetters(_ words: [(Word, [String])]) -> [[UInt8]: Word] {
        var table: [[UInt8]: Word] = [:]
        for (word, spellings) in words { for spelling in spellings { table[Array(spelling.utf8)] = word } }
        return table
    }

    /// `type` of a signed transaction.
    static func productType(_ text: RawSpan) -> Word? {
        if text.equals("Auto-Renewable Subscription") { return .autoRenewable }
        if text.equals("Non-Consumable") { return .nonConsumable }
        if text.equals("Consumable") { return .consumable }
        if text.equals("Non-Renewing Subscription") { return .nonRenewing }
        return productTypes[text.letters(atMost: 25)]
    }

    private static let productTypes = byLetters([
        (.autoRenewable, ["autorenewablesubscription", "autorenewable"]), (.nonConsumable, ["nonconsumable"]),
        (.consumable, ["consumable"]),
        (.nonRenewing, ["nonrenewingsubscription", "nonrenewing", "nonrenewable"]),
    ])

    /// `in_app_ownership_type`, `inAppOwnershipType`.
    static func ownership(_ text: RawSpan) -> Word? {
        if text.equals("PURCHASED") { return .purchased }
        if text.equals("FAMILY_SHARED") { return .familyShared }
        return ownerships[text.letters(atMost: 12)]
    }

    private static let ownerships = byLetters([(.purchased, ["purchased"]), (.familyShared, ["familyshared"])])

    /// The enumerations of Apple's documents whose values are numbers.
    enum Enumeration {
        case revocationReason, offerType, autoRenewStatus, expirationIntent, priceIncreaseStatus
    }

    /// The number of a value whose name is written in its place, as Apple's server libraries and StoreKit name it; `nil`
    /// for a name that is not known.
    static func number(of text: RawSpan, in enumeration: Enumeration) -> Int64? {
        numbers[enumeration]?[text.letters(atMost: 64)]
    }

    private static let numbers: [Enumeration: [[UInt8]: Int64]] = [
        .revocationReason: numbered([
            "refundedforotherreason other", "refundedduetoissue developerissue appissue",
        ]),
        .offerType: numbered([
            "", "introductoryoffer introductory", "promotionaloffer promotional",
            "offercode subscriptionoffercode code", "winbackoffer winback",
        ]),
        .autoRenewStatus: numbered(["off false disabled", "on true enabled"]),
        .expirationIntent: numbered([
            "", "customercancelled customercanceled autorenewdisabled", "billingerror",
            "customerdidnotconsenttopriceincrease didnotconsenttopriceincrease",
            "productnotavailable productunavailable", "other unknown",
        ]),
        .priceIncreaseStatus: numbered([
            "customerhasnotresponded pending",
            "customerconsentedorwasnotifiedwithoutneedingconsent customerconsentedorwasnotified agreed",
        ]),
    ]

    /// The numbers of names by their letters: the names of 0 first, then the names of 1, and so on.
    private static func numbered(_ names: [String]) -> [[UInt8]: Int64] {
        var table: [[UInt8]: Int64] = [:]
        for (number, names) in names.enumerated() {
            for name in names.split(separator: " ") { table[Array(name.utf8)] = Int64(number) }
        }
        return table
    }

    /// Whether a word is the one that has these letters, in lower case. It allocates nothing.
    static func isWord(_ text: RawSpan, _ letters: StaticString) -> Bool {
        guard var start = start(of: letters, atEndOf: text) else { return false }
        while start > 0, text.byte(start - 1).isSeparator { start -= 1 }
        return start == 0 || text.byte(start - 1) == 0x2E
    }

    /// Whether a name ends with the word that has these letters, in lower case. It allocates nothing.
    static func ends(_ text: RawSpan, with letters: StaticString) -> Bool { start(of: letters, atEndOf: text) != nil }

    /// The index at which these letters begin, if a text ends with them, separators aside; else `nil`.
    private static func start(of letters: StaticString, atEndOf text: RawSpan) -> Int? {
        let first = letters.utf8Start
        var rest = letters.utf8CodeUnitCount
        var index = text.byteCount
        while rest > 0 {
            guard index > 0 else { return nil }
            index -= 1
            let byte = text.byte(index)
            if byte.isSeparator { continue }
            rest -= 1
            guard byte.lowercased == first[rest] else { return nil }
        }
        return index
    }
}

extension UInt8 {
    /// Whether it can separate the words of one name: `_`, `-`, a space or a control character.
    fileprivate var isSeparator: Bool { self == 0x5F || self == 0x2D || self <= 0x20 }
}

extension RawSpan {
    /// Whether the bytes are those of `text`.
    func equals(_ text: StaticString) -> Bool {
        guard byteCount == text.utf8CodeUnitCount else { return false }
        return withUnsafeBytes { bytes in
            bytes.baseAddress.map { till_are_same($0, text.utf8Start, bytes.count) } ?? true
        }
    }

    /// Whether the last bytes are those of `text`.
    func ends(with text: StaticString) -> Bool {
        let start = byteCount - text.utf8CodeUnitCount
        return start >= 0 && extracting(start..<byteCount).equals(text)
    }

    /// The letters in lower case, without separators between them, and without the type before a period; empty
    /// where there are more than `limit`.
    func letters(atMost limit: Int) -> [UInt8] {
        let start = lastIndex(of: 0x2E, before: byteCount).map { $0 + 1 } ?? 0
        var letters: [UInt8] = []
        for index in start..<byteCount {
            let byte = byte(index)
            if byte.isSeparator { continue }
            guard letters.count < limit else { return [] }
            letters.append(byte.lowercased)
        }
        return letters
    }

    func byte(_ index: Int) -> UInt8 { unsafeLoad(fromByteOffset: index, as: UInt8.self) }
}
