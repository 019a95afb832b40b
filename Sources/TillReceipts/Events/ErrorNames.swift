import TillCore

/// The names of known errors in texts, as bytes: made once, and compared without copying a text.
enum ErrorNames {
    /// An error domain, or the type that stands for one.
    struct Domain {
        /// The part of its name before `Error`: `SK`, `NSURL`.
        var prefix: [UInt8]
        /// As it is told: `SKErrorDomain`.
        var name: String
        /// The names of its codes; of StoreKit only, since Apple names no other ones.
        var cases: [Case] = []
    }

    /// The name of a code, or of a case that has none.
    struct Case {
        var name: [UInt8]
        var error: ClientLogLine.LoggedError

        /// - Parameter capital: how the first letter of the name may differ.
        func matches(_ text: RawSpan, _ word: Range<Int>, anyCapital: Bool = false) -> Bool {
            guard word.count == name.count, let first = name.first else { return false }
            let begins = text.byte(word.lowerBound)
            guard begins == first || anyCapital && begins.lowercased == first.lowercased else { return false }
            return name.indices.dropFirst().allSatisfy { text.byte(word.lowerBound + $0) == name[$0] }
        }
    }

    private static let suffix = "ErrorDomain"

    /// The domains of `NSError`, each known by what stands before `ErrorDomain`.
    static let domains: [Domain] = {
        var domains: [Domain] = []
        for name in FailureCatalogue.entries.map(\.domain) where name.hasSuffix(suffix) {
            guard domains.last?.name != name else { continue }
            let prefix = Array(name.utf8.dropLast(suffix.utf8.count))
            domains.append(Domain(prefix: prefix, name: name, cases: name == storeKit ? storeKitCodes : []))
        }
        return domains
    }()

    static let storeKit = "SK" + suffix

    /// The codes of StoreKit by their names: `paymentCancelled`.
    static let storeKitCodes: [Case] = FailureCatalogue.entries.filter { $0.domain == storeKit }
        .compactMap { entry in
            entry.codes.map { codes in
                let error = ClientLogLine.LoggedError(domain: storeKit, code: codes.lowerBound)
                return Case(name: Array(entry.name.utf8), error: error)
            }
        }

    /// The error types of StoreKit 2, each known by what stands before `Error` in the last part of its name.
    static let types: [Domain] = {
        var types: [Domain] = []
        for entry in FailureCatalogue.entries where entry.codes == nil {
            let error = ClientLogLine.LoggedError(domain: "\(entry.domain).\(entry.name)", code: nil)
            let named = Case(name: Array(entry.name.utf8), error: error)
            if types.last?.name == entry.domain, let last = types.indices.last {
                types[last].cases.append(named)
                continue
            }
            let type = entry.domain.split(separator: ".").last.map(String.init) ?? entry.domain
            let prefix = Array(type.utf8.dropLast("Error".utf8.count))
            types.append(Domain(prefix: prefix, name: entry.domain, cases: [named]))
        }
        return types
    }()

    // MARK: Counts

    /// Units: a number before one of these words is a count or a measure and not a code.
    static let units = words(
        """
        times errors failures exceptions attempts retries tries requests events occurrences purchases transactions \
        products items users devices sessions calls crashes hits lines rows records results reports s sec secs seconds \
        ms msec msecs millis milliseconds us ns m min mins minutes h hr hrs hours d days weeks months percent pct \
        bytes kb mb mal fois veces volte vezes razy kez kali
        """
    )
    /// Words after the name of a domain that say that errors are counted.
    static let counted = words("errors failures exceptions")
    /// Units after a 1. After other numbers, these words may begin the next phrase: `2 attempt 3 follows`.
    static let unitsOfOne = words(
        """
        time error failure exception attempt retry try request event occurrence purchase transaction product item user \
        device session call crash hit line row record result report second minute hour day week month
        """
    )
    /// Text between a number and such a word.
    static let wordsBeforeUnits = words("more other consecutive failed further total different")
    /// The same in languages without spaces.
    static let signsOfCounts = ["回", "次", "번", "회", "秒", "초"].map { Array($0.utf8) }

    private static func words(_ text: String) -> [[UInt8]] { text.split(separator: " ").map { Array($0.utf8) } }

    // MARK: SDKs

    static let revenueCatDomain = "RevenueCat.ErrorCode"
    /// Codes of RevenueCat whose names no other known program uses.
    static let ownOfRevenueCat: Set<Int64> = [1, 2, 3, 4, 5, 6, 18, 20, 32, 34, 35]
    static let revenueCat = sdk(revenueCatDomain)
    /// RevenueCat's names in JavaScript: `PURCHASE_CANCELLED_ERROR`.
    static let revenueCatInCapitals = revenueCat.map { known in
        var name: [UInt8] = []
        for byte in known.name {
            if byte != byte.lowercased, !name.isEmpty { name.append(0x5F) }
            name.append(byte.lowercased & ~0x20)
        }
        return Case(name: name, error: known.error)
    }
    static let reactNative = sdk("RNIap")
    /// Names of React Native that no other known program uses.
    static let ownOfReactNative = ["E_USER_CANCELLED", "E_IAP_NOT_AVAILABLE"].map { Array($0.utf8) }
    static let unity = sdk("PurchaseFailureReason")
    static let flutter = sdk("PlatformException")

    private static func sdk(_ domain: String) -> [Case] {
        FailureCatalogue.entriesOfSDKs.filter { $0.domain == domain }
            .map { entry in
                let code = entry.codes?.lowerBound
                let name = code == nil ? "\(entry.domain).\(entry.name)" : entry.domain
                return Case(
                    name: Array(entry.name.utf8),
                    error: ClientLogLine.LoggedError(domain: name, code: code)
                )
            }
    }
}
