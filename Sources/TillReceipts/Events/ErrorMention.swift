import TillCore
import TillInput

/// An error that a text names somewhere.
struct ErrorMention {
    var error: ClientLogLine.LoggedError
    /// One past its code, or past its name if the code stands before.
    var end: Int
    /// Whether it has the name that an SDK gives it, and not Apple's.
    var isOfSDK = false
}

/// Searches a text for an error: a known domain or error type with an integer or the name of a case nearby, or the name
/// of a code.
///
///     The operation couldn’t be completed. (SKErrorDomain error 2.)
///     StoreKit.StoreKitError.networkError(…)
///     SKErrorPaymentCancelled
///     PurchaseFailureReason: UserCancelled
///
/// Only a few bytes before and after a name are examined, so the time is linear in the length of the text.
struct ErrorMentionSearch: ~Escapable {
    let text: RawSpan
    /// Bytes from here on are not examined.
    let limit: Int

    /// The longest name, and the longest type with the module and generic arguments.
    static let longestName = 64
    static let longestType = 128

    private static let error = Array("Error".utf8)
    private static let domain = Array("Domain".utf8)
    private static let code = Array("Code".utf8)
    private static let codeType = Array(".Code".utf8)

    @_lifetime(copy text)
    init(_ text: RawSpan, to limit: Int) {
        self.text = text
        self.limit = min(limit, text.byteCount)
    }

    /// The first error of Apple's; where there is none, the first that has the name of an SDK.
    func first(from start: Int) -> ErrorMention? {
        var ofSDK: ErrorMention?
        var isAboutPurchases: Bool?
        var index = start
        // All names of Apple's, and all but a few of SDKs, have this letter, which is rare in a log.
        while let found = text.firstIndex(of: 0x45, from: index, to: limit) {
            index = found + 1
            guard index < limit else { break }
            switch text.byte(index) {
            case 0x72 where text.stands(Self.error, at: found):
                if let mention = appleError(at: found) { return mention }
                if ofSDK == nil { ofSDK = revenueCatError(at: found) }
            case 0x52 where ofSDK == nil: ofSDK = revenueCatErrorInCapitals(at: found)
            case 0x5F where ofSDK == nil: ofSDK = reactNativeError(at: found, &isAboutPurchases)
            default: break
            }
        }
        return ofSDK ?? unityError(from: start) ?? flutterError(from: start)
    }

    // MARK: Names of Apple's

    /// The error in whose name `Error` stands at `mark`.
    private func appleError(at mark: Int) -> ErrorMention? {
        let start = startOfWord(before: mark)
        let end = mark + Self.error.count
        if text.stands(Self.domain, at: end) {
            guard let domain = ErrorNames.domains.first(where: { isName($0.prefix, start..<mark) }) else { return nil }
            return mention(of: domain, start..<end + Self.domain.count)
        }
        if mark - start == 2, text.byte(start) == 0x53, text.byte(start + 1) == 0x4B {
            return storeKitError(start..<end)
        }
        guard let type = ErrorNames.types.first(where: { isName($0.prefix, start..<mark) }) else { return nil }
        return typeError(type, start..<end)
    }

    /// `SKError`, which stands for the domain.
    private func storeKitError(_ name: Range<Int>) -> ErrorMention? {
        guard let domain = ErrorNames.domains.first(where: { $0.name == ErrorNames.storeKit }) else { return nil }
        let isCode = text.stands(Self.codeType, at: name.upperBound)
        return mention(of: domain, name)
            ?? (isCode ? mention(of: domain, name.lowerBound..<name.upperBound + Self.codeType.count) : nil)
    }

    /// A type of StoreKit 2. Its cases have no codes; an integer beside it is kept with the type as it is written.
    private func typeError(_ type: ErrorNames.Domain, _ name: Range<Int>) -> ErrorMention? {
        let whole = startOfType(before: name.lowerBound)..<name.upperBound
        // Only now, when the last part is known, is the text copied.
        let written = text.text(whole)
        guard FailureCatalogue.errorType(named: written) == type.name else { return nil }
        let isWhole = written.contains(".") || written == type.name
        return mention(of: ErrorNames.Domain(prefix: [], name: written, cases: type.cases), whole, allowsCode: isWhole)
    }

    /// The error of a domain or type whose name stands at a place, with the code or case that is nearby.
    private func mention(
        of domain: ErrorNames.Domain,
        _ name: Range<Int>,
        allowsCode: Bool = true
    ) -> ErrorMention? {
        if let known = caseName(behind: name.upperBound, domain.cases) { return known }
        guard isEndOfName(name.upperBound), !isAmongIntegers(name) else { return nil }
        let behind = allowsCode ? code(behind: name.upperBound) : nil
        if let behind, behind.isAnnounced { return mention(of: domain, behind) }
        if allowsCode, let value = code(before: name.lowerBound) {
            return mention(of: domain, Code(value: value, end: name.upperBound))
        }
        if let known = caseName(before: name.lowerBound, domain.cases) {
            return ErrorMention(error: known, end: name.upperBound)
        }
        return behind.map { mention(of: domain, $0) }
    }

    private func mention(of domain: ErrorNames.Domain, _ code: Code) -> ErrorMention {
        var value = code.value
        // A hyphen may stand between a domain and its code.
        if value < 0, FailureCatalogue.entry(domain: domain.name, code: value) == nil,
            FailureCatalogue.entry(domain: domain.name, code: -value) != nil
        {
            value = -value
        }
        return ErrorMention(error: ClientLogLine.LoggedError(domain: domain.name, code: value), end: code.end)
    }

    // MARK: Names of SDKs

    /// `ErrorCode.purchaseCancelledError`, and `PurchasesErrorCode` or `RevenueCat.ErrorCode` with a number too.
    private func revenueCatError(at mark: Int) -> ErrorMention? {
        let end = mark + Self.error.count + Self.code.count
        guard text.stands(Self.code, at: mark + Self.error.count) else { return nil }
        let start = startOfType(before: startOfWord(before: mark))
        let type = text.extracting(start..<mark)
        let isOwn = type.equals("RevenueCat.") || type.equals("Purchases.") || type.equals("Purchases")
        guard isOwn || type.byteCount == 0 else { return nil }
        if var known = caseName(behind: end, ErrorNames.revenueCat) {
            // Other programs' errors have this name too.
            guard isOwn || known.error.code.map(ErrorNames.ownOfRevenueCat.contains) == true else { return nil }
            known.isOfSDK = true
            return known
        }
        guard isOwn, isEndOfName(end), let code = code(behind: end), code.isAnnounced else { return nil }
        let error = ClientLogLine.LoggedError(domain: ErrorNames.revenueCatDomain, code: code.value)
        return ErrorMention(error: error, end: code.end, isOfSDK: true)
    }

    private static let revenueCatInCapitals = Array("PURCHASES_ERROR_CODE".utf8)

    /// `PURCHASES_ERROR_CODE.PURCHASE_CANCELLED_ERROR`
    private func revenueCatErrorInCapitals(at mark: Int) -> ErrorMention? {
        // The first E of the name, which is in `PURCHASES`, is followed by no R.
        let start = mark - 10
        guard start >= 0, text.stands(Self.revenueCatInCapitals, at: start) else { return nil }
        var known = caseName(behind: start + Self.revenueCatInCapitals.count, ErrorNames.revenueCatInCapitals)
        known?.isOfSDK = true
        return known
    }

    /// `E_USER_CANCELLED`; names that other programs have too count only in a text about purchases.
    private func reactNativeError(at mark: Int, _ isAboutPurchases: inout Bool?) -> ErrorMention? {
        guard startOfWord(before: mark) == mark, let end = endOfWord(from: mark),
            let known = ErrorNames.reactNative.first(where: { $0.matches(text, mark..<end) })
        else { return nil }
        if !ErrorNames.ownOfReactNative.contains(where: { isName($0, mark..<end) }) {
            let isAbout = isAboutPurchases ?? self.isAboutPurchases
            isAboutPurchases = isAbout
            guard isAbout else { return nil }
        }
        return ErrorMention(error: known.error, end: end, isOfSDK: true)
    }

    private static let topics = ["urchas", "IAP", "Iap"].map { Array($0.utf8) }

    private var isAboutPurchases: Bool {
        Self.topics.contains { text.firstIndex(of: $0, from: 0, to: limit) != nil }
    }

    private static let failureReason = Array("FailureReason".utf8)
    private static let userCancelled = Array("UserCancelled".utf8)

    /// `PurchaseFailureReason: ProductUnavailable`, or `UserCancelled` as the reason why a purchase failed.
    private func unityError(from start: Int) -> ErrorMention? {
        var index = start
        while let found = text.firstIndex(of: 0x46, from: index, to: limit) {
            index = found + 1
            guard text.stands(Self.failureReason, at: found) else { continue }
            let prefix = startOfWord(before: found)..<found
            guard text.extracting(prefix).equals("Purchase"),
                var known = caseName(behind: found + Self.failureReason.count, ErrorNames.unity)
            else { continue }
            known.isOfSDK = true
            return known
        }
        index = start
        while let found = text.firstIndex(of: 0x55, from: index, to: limit) {
            index = found + 1
            let end = found + Self.userCancelled.count
            guard text.stands(Self.userCancelled, at: found), isReason(at: found), endOfWord(from: found) == end,
                let known = ErrorNames.unity.first(where: { $0.matches(text, found..<end) })
            else { continue }
            return isAboutPurchases ? ErrorMention(error: known.error, end: end, isOfSDK: true) : nil
        }
        return nil
    }

    private static let reasons = ["eason", "ailed"].map { Array($0.utf8) }

    /// Whether the word before `start` says that a reason follows: `reason UserCancelled`, `failed: UserCancelled`.
    private func isReason(at start: Int) -> Bool {
        let end = startOfSeparators(before: start)
        guard end < start else { return false }
        return Self.reasons.contains { end >= $0.count && text.stands($0, at: end - $0.count) }
    }

    private static let storeKitWords = ["storekit", "storekit2"].map { Array($0.utf8) }
    private static let platformException = Array("PlatformException(".utf8)

    /// `storekit_duplicate_product_object`; behind `PlatformException(` one that is not known, too.
    private func flutterError(from start: Int) -> ErrorMention? {
        var index = start
        while let found = text.firstIndex(of: 0x5F, from: index, to: limit) {
            index = found + 1
            guard found > 7, text.byte(found - 1) | 0x20 == 0x74 || text.byte(found - 1) == 0x32 else { continue }
            let word = startOfWord(before: found)
            guard Self.storeKitWords.contains(where: { isName($0, word..<found) }), let end = endOfWord(from: word)
            else {
                continue
            }
            if let known = ErrorNames.flutter.first(where: { $0.matches(text, word..<end) }) {
                return ErrorMention(error: known.error, end: end, isOfSDK: true)
            }
            let type = word - Self.platformException.count
            guard type >= 0, text.stands(Self.platformException, at: type) else { continue }
            let error = ClientLogLine.LoggedError(domain: "PlatformException.\(text.text(word..<end))", code: nil)
            return ErrorMention(error: error, end: end, isOfSDK: true)
        }
        return nil
    }

    private func isName(_ name: [UInt8], _ word: Range<Int>) -> Bool {
        word.count == name.count && text.stands(name, at: word.lowerBound)
    }
}
