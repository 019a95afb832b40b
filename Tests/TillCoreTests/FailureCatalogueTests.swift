import Testing

@testable import TillCore

@Suite("Failure catalogue")
struct FailureCatalogueTests {
    static let statuses: [(ClosedRange<Int64>, FailureClass?)] = [
        (0...0, .ok), (1...20_999, nil), (21_000...21_000, .client), (21_001...21_001, .client),
        (21_002...21_002, .client), (21_003...21_003, .invalid), (21_004...21_004, .config),
        (21_005...21_005, .transient), (21_006...21_006, .okExpired), (21_007...21_008, .routing),
        (21_009...21_009, .transient), (21_010...21_010, .invalid), (21_011...21_099, nil),
        (21_100...21_199, .transient), (21_200...21_300, nil), (-100...(-1), nil),
    ]

    @Test("Every verifyReceipt status has its class, every other number none", arguments: statuses)
    func classifiesStatus(_ codes: ClosedRange<Int64>, _ failureClass: FailureClass?) {
        for code in codes {
            let entry = FailureCatalogue.entry(domain: "verifyReceipt", code: code)
            #expect(entry?.failureClass == failureClass)
            #expect(FailureCatalogue.failureClass(of: [("verifyReceipt", code)]) == failureClass ?? .unknown)
        }
    }

    static let flags: [(Int64, Bool?, FailureClass)] = [
        (21_100, nil, .transient), (21_100, true, .transient), (21_199, false, .store), (21_009, nil, .transient),
        (21_009, false, .store), (21_005, false, .transient), (21_003, true, .invalid), (0, false, .ok),
        (99, nil, .unknown), (21_200, false, .unknown),
    ]

    @Test("Only internal data access errors, 21100 to 21199 and 21009, obey is-retryable (quirk 51)", arguments: flags)
    func retryable(_ status: Int64, _ isRetryable: Bool?, _ failureClass: FailureClass) {
        #expect(FailureCatalogue.failureClass(ofStatus: status, isRetryable: isRetryable) == failureClass)
    }

    static let storeKit: [FailureClass] = [
        .store, .notAllowed, .cancelled, .integration, .notAllowed, .catalogue, .notAllowed, .network, .notAllowed,
        .notAllowed, .integration, .offer, .offer, .offer, .offer, .cancelled, .integration, .network, .offer,
        .integration, .integration, .paymentSetup,
    ]

    @Test("SKErrorDomain has the codes 0 to 21 and 907")
    func storeKitCodes() {
        for (code, failureClass) in zip(Int64(0)..., Self.storeKit) {
            #expect(FailureCatalogue.entry(domain: "SKErrorDomain", code: code)?.failureClass == failureClass)
        }
        #expect(FailureCatalogue.entry(domain: "SKErrorDomain", code: 907)?.failureClass == .store)
        for code: Int64 in [-1, 22, 906, 908] {
            #expect(FailureCatalogue.entry(domain: "SKErrorDomain", code: code) == nil)
        }
    }

    static let others: [(String, Int64, FailureClass?)] = [
        ("SSErrorDomain", 0, .store), ("SSErrorDomain", 2, .store), ("SSErrorDomain", 16, .store),
        ("SSErrorDomain", 100, .store), ("SSServerErrorDomain", 0, .store), ("SSServerErrorDomain", 5002, .store),
        ("SSServerErrorDomain", 5020, .auth), ("SSServerErrorDomain", -5000, .auth), ("SSServerErrorDomain", 1, nil),
        ("ASDErrorDomain", 500, .store), ("ASDErrorDomain", 603, .throttled), ("ASDErrorDomain", 1, nil),
        ("ASDServerErrorDomain", 3532, .alreadyOwned), ("ASDServerErrorDomain", 3504, .catalogue),
        ("ASDServerErrorDomain", 3500, nil), ("AMSErrorDomain", 6, .store), ("AMSErrorDomain", 100, .auth),
        ("AMSErrorDomain", 301, .store), ("AMSErrorDomain", 306, .network), ("AMSErrorDomain", 1, nil),
        ("NSURLErrorDomain", -999, .network), ("NSURLErrorDomain", -1001, .network),
        ("NSURLErrorDomain", -1003, .network), ("NSURLErrorDomain", -1004, .network),
        ("NSURLErrorDomain", -1005, .network), ("NSURLErrorDomain", -1009, .network),
        ("NSURLErrorDomain", -1200, .network), ("NSURLErrorDomain", -1100, .network),
        ("NSCocoaErrorDomain", 4097, .system), ("NSPOSIXErrorDomain", .max, .system),
        ("NSPOSIXErrorDomain", .min, .system), ("skerrordomain", 2, nil), ("", 0, nil),
    ]

    @Test("The other domains have their codes, and those of the system any code", arguments: others)
    func otherDomains(_ domain: String, _ code: Int64, _ failureClass: FailureClass?) {
        #expect(FailureCatalogue.entry(domain: domain, code: code)?.failureClass == failureClass)
    }

    static let chains: [([(domain: String, code: Int64?)], FailureClass)] = [
        ([], .unknown),
        ([("SKErrorDomain", 2)], .cancelled),
        ([("SKErrorDomain", 2), ("NSURLErrorDomain", -1009)], .cancelled),
        ([("SKErrorDomain", 15), ("ASDErrorDomain", 500)], .cancelled),
        ([("SKErrorDomain", 0), ("NSURLErrorDomain", -1009)], .network),
        ([("SKErrorDomain", 0), ("ASDErrorDomain", 500), ("AMSErrorDomain", 301)], .store),
        ([("SKErrorDomain", 0), ("ASDErrorDomain", 500), ("AMSErrorDomain", 306)], .network),
        ([("SKErrorDomain", 0), ("ASDServerErrorDomain", 3532), ("Mystery", 1)], .alreadyOwned),
        ([("SKErrorDomain", 907)], .store),
        ([("SKErrorDomain", 907), ("AMSErrorDomain", 6)], .cancelled),
        ([("SKErrorDomain", 907), ("ASDErrorDomain", 500), ("AMSErrorDomain", 6)], .cancelled),
        ([("SKErrorDomain", 907), ("AMSErrorDomain", 100)], .auth),
        ([("AMSErrorDomain", 6)], .store),
        ([("AMSErrorDomain", 6), ("SKErrorDomain", 907)], .store),
        ([("SKErrorDomain", 0), ("AMSErrorDomain", 6)], .store),
        ([("SKErrorDomain", 0), ("SKErrorDomain", 2)], .cancelled),
        ([("SKErrorDomain", 99)], .unknown),
        // A code of the store's frameworks that is not known is a failure of the store, unless more is known.
        ([("ASDErrorDomain", 825)], .store), ([("ASDServerErrorDomain", 9610)], .store),
        ([("AMSErrorDomain", 2)], .store),
        ([("SKErrorDomain", 99), ("AMSErrorDomain", 2)], .store),
        ([("SKErrorDomain", 5), ("ASDServerErrorDomain", 1)], .catalogue),
        ([("RevenueCat.ErrorCode", 20), ("SKErrorDomain", 0)], .deferred),
        ([("StoreKit.StoreKitError", 3)], .cancelled), ([("StoreKitError", 0), ("NSURLErrorDomain", -1009)], .network),
        ([("Mystery", 1), ("Mystery", 2)], .unknown),
        ([("StoreKitError.userCancelled", nil), ("NSURLErrorDomain", -1009)], .cancelled),
        ([("SKErrorDomain", 0), ("VerificationResult.VerificationError", 1)], .verification),
        ([("StoreKitError", nil)], .unknown),
        ([("VerificationError.brandNew", nil)], .verification),
        ([("StoreKitError.brandNew", nil)], .unknown),
    ]

    @Test("A cancelled outer error is a cancellation, else the deepest known pair decides", arguments: chains)
    func classifiesChain(_ chain: [(domain: String, code: Int64?)], _ failureClass: FailureClass) {
        #expect(FailureCatalogue.failureClass(of: chain) == failureClass)
    }

    static let bare: [(Int64, String?, String?)] = [
        (0, nil, "SKErrorDomain"), (21, "", "SKErrorDomain"), (22, nil, nil), (-1, nil, nil),
        (0, "Cannot connect to iTunes Store", "SSErrorDomain"),
        (3, "Error: Cannot connect to iTunes Store.", "SSErrorDomain"),
        (2, "Cannot connect to iTunes Store", "SKErrorDomain"),
        (15, "Cannot connect to iTunes Store", "SKErrorDomain"),
        (3499, nil, nil), (3500, nil, "ASDServerErrorDomain"), (3600, nil, "ASDServerErrorDomain"), (3601, nil, nil),
        (4999, nil, nil), (5000, nil, "SSServerErrorDomain"), (5999, nil, "SSServerErrorDomain"), (6000, nil, nil),
        (-998, nil, nil), (-999, nil, "NSURLErrorDomain"), (-1999, nil, "NSURLErrorDomain"), (-2000, nil, nil),
        (907, nil, "SKErrorDomain"), (906, nil, nil), (.min, nil, nil), (.max, nil, nil),
    ]

    @Test("A code without a domain is placed by its number; the text tells only the older framework", arguments: bare)
    func infers(_ code: Int64, _ message: String?, _ domain: String?) {
        #expect(FailureCatalogue.inferDomain(code: code, message: message) == domain)
    }

    @Test("Every entry has a name, a meaning and advice, in whole sentences", arguments: FailureCatalogue.domains)
    func isComplete(_ domain: FailureDomain) {
        #expect(!domain.rows.isEmpty)
        for row in domain.rows {
            #expect(!row.name.isEmpty)
            #expect(row.meaning.hasSuffix("."))
            #expect(row.advice.hasSuffix("."))
            guard let codes = row.codes else { continue }
            let entry = domain.entry(for: codes.lowerBound)
            #expect(codes == FailureDomain.anyCode || entry?.name == row.name, "hidden by an earlier row")
        }
    }

    static let cases: [(String, [FailureClass])] = [
        (
            "StoreKitError",
            [.store, .cancelled, .network, .system, .catalogue] + Array(repeating: .integration, count: 3)
        ),
        (
            "Product.PurchaseError",
            [.integration, .catalogue, .notAllowed, .offer, .offer, .offer, .offer, .offer, .paymentSetup]
        ),
        ("VerificationResult.VerificationError", Array(repeating: .verification, count: 6)),
        ("Transaction.RefundRequestError", [.refund, .refund]),
    ]

    @Test("The errors of StoreKit 2 have names and no codes", arguments: cases)
    func storeKit2(_ domain: String, _ classes: [FailureClass]) {
        let entries = FailureCatalogue.entries.filter { $0.domain == domain }
        #expect(entries.map(\.failureClass) == classes)
        #expect(entries.allSatisfy { $0.codes == nil })
        let numbered = domain == "StoreKitError" ? 7 : 0
        for code in Int64(0)...8 {
            #expect((FailureCatalogue.entry(domain: domain, code: code) != nil) == (code < numbered))
        }
    }

    @Test("StoreKitError has numbers: cases with a payload first, then the others as they are declared")
    func numbersOfStoreKitError() {
        let names = (Int64(0)..<7).map { FailureCatalogue.entry(domain: "StoreKit.StoreKitError", code: $0)?.name }
        #expect(
            names == [
                "networkError", "systemError", "unknown", "userCancelled", "notAvailableInStorefront", "notEntitled",
                "unsupported",
            ]
        )
    }

    @Test("Every code of a library stands for an error of Apple's, or is a deferral", arguments: FailureDomain.sdks)
    func librariesAreComplete(_ domain: FailureDomain) {
        #expect(domain.rows.count > 10)
        for row in domain.rows {
            #expect(
                row.failureClass != .unknown && row.meaning.hasSuffix(".") && row.advice.hasSuffix("."),
                "\(row.name)"
            )
        }
    }

    /// A case and its type as they were logged, and the word that it is known by.
    static let caseNames: [(String, String?, String)] = [
        ("userCancelled", "StoreKitError", "StoreKitError.userCancelled"),
        ("userCancelled", "StoreKit.StoreKitError", "StoreKitError.userCancelled"),
        ("StoreKitError.userCancelled", nil, "StoreKitError.userCancelled"),
        ("failed", "RefundRequestError", "Transaction.RefundRequestError.failed"),
        (
            "invalidEncoding", "StoreKit.VerificationResult<A<B>>.VerificationError",
            "VerificationResult.VerificationError.invalidEncoding"
        ),
        ("systemError(a.b(c))", "StoreKitError", "StoreKitError.systemError"),
        ("brandNew", "StoreKit.StoreKitError", "StoreKit.StoreKitError.brandNew"),
        ("StoreKitError.userCancelled", "StoreKitError", "StoreKitError.userCancelled"),
        ("userCancelled", "SK2", "StoreKitError.userCancelled"),
        ("userCancelled", "Mystery", "Mystery.userCancelled"), ("userCancelled", nil, "userCancelled"),
        ("a>b", "<", "<.a>b"), ("", "", "."), (".", nil, "."),
    ]

    @Test("A case of StoreKit 2 has one word, however its type was written", arguments: caseNames)
    func namesCases(_ name: String, _ type: String?, _ expected: String) {
        #expect(FailureCatalogue.caseName(name, of: type) == expected)
        let isKnown = FailureCatalogue.entry(domain: expected, code: nil) != nil
        #expect(isKnown == (FailureCatalogue.failureClass(domain: expected, code: nil) != nil))
    }

    @Test("A domain in capitals is found, an unknown one is not (quirk 72)")
    func capitals() {
        #expect(FailureCatalogue.domain(inCapitals: "SSSERVERERRORDOMAIN") == "SSServerErrorDomain")
        #expect(FailureCatalogue.domain(inCapitals: "NSURLERRORDOMAIN") == "NSURLErrorDomain")
        #expect(FailureCatalogue.domain(inCapitals: "MYERRORDOMAIN") == nil)
    }

    @Test("The words of the classes are those of the event format")
    func words() {
        let words = """
            ok ok-expired cancelled deferred not_allowed integration catalogue network store offer auth throttled already_owned \
            payment_setup system verification refund invalid config client transient routing unknown transport
            """
        #expect(Set(FailureClass.allCases.map(\.rawValue)) == Set(words.split(separator: " ").map(String.init)))
    }
}
