/// The error codes of the App Store: their meanings, their classes, and advice.
public enum FailureCatalogue {
    /// Every domain of which codes are known.
    static let domains: [FailureDomain] = [
        .verifyReceipt, .storeKit, .storeServices, .storeServicesServer, .appStoreDaemon, .appStoreServer,
        .appleMediaServices, .url, .cocoa, .posix, .storeKitError, .purchaseError, .verificationError,
        .refundRequestError,
    ]

    /// All entries of Apple's: first verifyReceipt statuses, then StoreKit, the frameworks below it, and StoreKit 2.
    public static var entries: [FailureEntry] { domains.flatMap(\.entries) }

    /// The error codes and names of SDKs above StoreKit, each with the meaning of Apple's error from which the SDK
    /// makes it.
    public static var entriesOfSDKs: [FailureEntry] { FailureDomain.sdks.flatMap(\.entries) }

    /// The entry of a code; `nil` if there is none. Without a code, the domain may be a case of StoreKit 2
    /// (``caseName(_:of:)``).
    public static func entry(domain: String, code: Int64?) -> FailureEntry? {
        guard let code else { return namedEntries[caseName(domain, of: nil)] }
        let known = domains.first { $0.name == domain } ?? FailureDomain.sdks.first { $0.isCalled(domain) }
        return (known ?? FailureDomain.named(domain))?.entry(for: code)
    }

    private static let namedEntries = Dictionary(
        (FailureDomain.storeKit2 + FailureDomain.sdks).flatMap(\.entries).filter { $0.codes == nil }
            .map { ("\($0.domain).\($0.name)", $0) },
        uniquingKeysWith: { first, _ in first }
    )

    /// The error type of StoreKit 2 that a text names, as the documentation spells it; `nil` if it names none.
    public static func errorType(named text: String) -> String? {
        FailureDomain.named(text)?.name
    }

    /// A case of an error type in one word: `StoreKitError.userCancelled`.
    ///
    /// A known case is spelled as in Apple's documentation, even if the text has the module, the enclosing type,
    /// generic arguments, or associated values such as `networkError(…)`. So is a name of an SDK
    /// (`RNIap.E_USER_CANCELLED`). Anything else is returned unchanged.
    public static func caseName(_ name: String, of type: String?) -> String {
        var start = name.prefix { $0 != "(" }
        while start.last == " " { start.removeLast() }
        let plain = start.isEmpty ? name : String(start)
        // The name may bring its type along.
        let whole = type.map { "\($0).\(plain)" }
        return knownCase(plain) ?? whole.map { knownCase($0) ?? $0 } ?? plain
    }

    /// The error that a name in place of a code means: a case of StoreKit 2, or a code of an SDK in any spelling. An
    /// unknown name is kept.
    ///
    ///     user-cancelled   E_USER_CANCELLED   ErrorCode.UserCancelled       RNIap.E_USER_CANCELLED
    ///     PURCHASE_CANCELLED_ERROR                                          RevenueCat.ErrorCode 1
    ///
    /// - Parameter type: the name of the domain, if there is one.
    public static func error(named name: String, of type: String?) -> (domain: String, code: Int64?) {
        let known = caseName(name, of: type)
        guard namedEntries[known] == nil else { return (known, nil) }
        if type == nil, let own = ownNames[name] { return own }
        let parts = name.split(separator: ".").map(String.init)
        let last = parts.last ?? name
        guard let found = FailureDomain.sdkCode(named: last, of: type ?? parts.dropLast().last) else {
            return (known, nil)
        }
        let code = found.row.codes?.lowerBound
        return (code == nil ? "\(found.domain.name).\(found.row.name)" : found.domain.name, code)
    }

    /// The codes of StoreKit, and the cases of StoreKit 2, whose names need no type: `paymentCancelled`. Names of one
    /// word, such as `unknown`, do.
    private static let ownNames: [String: (domain: String, code: Int64?)] = {
        var names: [String: (domain: String, code: Int64?)] = [:]
        for entry in ([FailureDomain.storeKit] + FailureDomain.storeKit2).flatMap(\.entries)
        where names[entry.name] == nil && entry.name.contains(where: \.isUppercase) {
            let code = entry.codes?.lowerBound
            names[entry.name] = (code == nil ? "\(entry.domain).\(entry.name)" : entry.domain, code)
        }
        return names
    }()

    /// The case and its type as the documentation spells them; `nil` if the text names none. Of SDKs, names of several
    /// words need no type.
    private static func knownCase(_ text: String) -> String? {
        guard let dot = text.lastIndex(of: ".") else {
            guard let found = FailureDomain.sdkCode(named: text, of: ""), found.row.codes == nil else { return nil }
            return "\(found.domain.name).\(found.row.name)"
        }
        let known = FailureDomain.all(named: String(text[..<dot])).map { "\($0.name)\(text[dot...])" }
        return known.first { namedEntries[$0] != nil }
    }

    /// The domain whose name is `name` when written in capitals, as wrappers do: `SKERRORDOMAIN`; `nil` if none is
    /// known.
    public static func domain(inCapitals name: String) -> String? {
        namesByCapitals[name]
    }

    private static let namesByCapitals = Dictionary(
        domains.map { ($0.name.uppercased(), $0.name) },
        uniquingKeysWith: { first, _ in first }
    )

    /// The class of an error with its underlying errors, from the outermost to the deepest.
    ///
    /// An outermost error that is a cancellation or a deferral stays one whatever lies under it. Otherwise the deepest
    /// known pair decides, since the outer ones often say no more than that something failed.
    public static func failureClass(of chain: [(domain: String, code: Int64?)]) -> FailureClass {
        let classes = chain.map { knownClass(domain: $0.domain, code: $0.code) }
        if let outermost = classes.first, outermost == .cancelled || outermost == .deferred {
            return outermost ?? .unknown
        }
        if isCancelledPaymentSheet(chain) { return .cancelled }
        return classes.compactMap(\.self).last ?? (chain.contains { isOfStore($0.domain) } ? .store : .unknown)
    }

    /// The class of one error; `nil` if it is unknown. If all known cases of a type have one class, unknown cases have
    /// it too. An unknown code of the frameworks below StoreKit is a failure of the store.
    public static func failureClass(domain: String, code: Int64?) -> FailureClass? {
        knownClass(domain: domain, code: code) ?? (isOfStore(domain) ? .store : nil)
    }

    private static func isOfStore(_ domain: String) -> Bool {
        [FailureDomain.appStoreDaemon, .appStoreServer, .appleMediaServices].contains { $0.name == domain }
    }

    private static func knownClass(domain: String, code: Int64?) -> FailureClass? {
        if let entry = entry(domain: domain, code: code) { return entry.failureClass }
        if let type = FailureDomain.named(domain) { return type.onlyClass }
        guard code == nil, let dot = domain.lastIndex(of: ".") else { return nil }
        return FailureDomain.named(String(domain[..<dot]))?.onlyClass
    }

    /// The class of a verifyReceipt status in its response.
    ///
    /// `isRetryable` is the response's `is-retryable`, which comes with internal data access errors: one that is not
    /// retryable is the store's failure for good.
    public static func failureClass(ofStatus status: Int64, isRetryable: Bool?) -> FailureClass {
        let known = entry(domain: FailureDomain.verifyReceipt.name, code: status)?.failureClass ?? .unknown
        let obeysFlag = status == 21_009 || FailureDomain.internalDataAccess.contains(status)
        return obeysFlag && isRetryable == false ? .store : known
    }

    /// The domain of a code that was logged without one; `nil` if the number does not decide it.
    ///
    /// Text decides in one case only: "Cannot connect to iTunes Store" marks a small number as one of the older
    /// framework. Not for the two cancellations, which were logged with the same text.
    public static func inferDomain(code: Int64, message: String?) -> String? {
        switch code {
        case 2, 15, 907: FailureDomain.storeKit.name
        case 0...21:
            message?.contains("Cannot connect to iTunes Store") == true
                ? FailureDomain.storeServices.name : FailureDomain.storeKit.name
        case 3500...3600: FailureDomain.appStoreServer.name
        case 5000...5999: FailureDomain.storeServicesServer.name
        case -1999...(-999): FailureDomain.url.name
        case 6_777_001...6_777_099: FailureDomain.cordova.name
        default: nil
        }
    }

    /// Code 907 is an "unhandled exception" of StoreKit or of the App Store daemon; over AMSErrorDomain 6 it is how
    /// closing the payment sheet looks (RevenueCat, issue 1445; flutter, issue 66886). AMSErrorDomain 6 elsewhere is a
    /// payment sheet that failed.
    private static func isCancelledPaymentSheet(_ chain: [(domain: String, code: Int64?)]) -> Bool {
        let outers = [FailureDomain.storeKit.name, FailureDomain.appStoreDaemon.name]
        guard let outer = chain.firstIndex(where: { $0.code == 907 && outers.contains($0.domain) }) else {
            return false
        }
        return chain[outer...].contains { $0 == (FailureDomain.appleMediaServices.name, 6) }
    }
}
