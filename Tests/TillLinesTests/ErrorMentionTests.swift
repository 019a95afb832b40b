import Testing

@Suite("Errors that a text names")
struct ErrorMentionTests {
    /// A line, then its domain, code and class.
    typealias Line = (String, [String?])

    static let cancelled: [String?] = ["SKErrorDomain", "2", "cancelled"]

    /// What `localizedDescription` of one error gives in the languages of a device.
    static let localized = [
        "The operation couldn’t be completed. (SKErrorDomain error 2.)",
        "Der Vorgang konnte nicht abgeschlossen werden. (SKErrorDomain-Fehler 2.)",
        "L’opération n’a pas pu s’achever. (erreur SKErrorDomain 2.)",
        "No se ha podido completar la operación. (SKErrorDomain error 2.)",
        "No se puede completar la operación. (error de SKErrorDomain 2.)",
        "L’operazione non può essere completata. (Errore SKErrorDomain 2.)",
        "A operação não pôde ser concluída. (erro 2 de SKErrorDomain.)",
        "A operação não pôde ser concluída. (SKErrorDomain erro 2.)",
        "操作を完了できませんでした。（SKErrorDomainエラー2）", "操作を完了できませんでした。 (SKErrorDomainエラー 2)",
        "未能完成操作。（SKErrorDomain错误2。）", "無法完成作業。（SKErrorDomain錯誤2。）",
        "작업을 완료할 수 없습니다. (SKErrorDomain 오류 2.)", "Не удалось завершить операцию. (ошибка SKErrorDomain 2.)",
        "De bewerking kan niet worden voltooid. (SKErrorDomain-fout 2.)",
        "Åtgärden kunde inte slutföras. (SKErrorDomain-fel 2.)", "İşlem tamamlanamadı. (SKErrorDomain hatası 2.)",
        "Nie można było ukończyć działania. (błąd SKErrorDomain 2)", "Operaci nelze dokončit. (chyba SKErrorDomain 2)",
        "ไม่สามารถทำการดำเนินการได้ (SKErrorDomain ข้อผิดพลาด 2)", "تعذر إكمال العملية. (خطأ SKErrorDomain 2.)",
        "Η λειτουργία δεν ολοκληρώθηκε. (Σφάλμα SKErrorDomain 2.)",
    ]

    @Test("The description of an error is read in every language", arguments: localized)
    func readsLanguages(_ line: String) { Self.expect(line, Self.cancelled) }

    /// Apple's names, as programs and tools print them.
    static let written: [Line] = [
        ("[#SKErrorDomain:2]", cancelled), ("SKErrorDomain:2", cancelled), ("SKErrorDomain: 2", cancelled),
        ("SKErrorDomain Code: 2", cancelled), ("SKErrorDomain code=2", cancelled), ("SKErrorDomain (2)", cancelled),
        ("SKErrorDomain_2", cancelled), ("SKErrorDomain2", cancelled), ("SKErrorDomain-2", cancelled),
        ("SKErrorDomain/2", cancelled), ("x SKErrorDomain -> 2", cancelled),
        ("SKErrorDomain with error code 2", cancelled),
        ("purchase: code 2 in SKErrorDomain", cancelled), ("error 2 (SKErrorDomain)", cancelled),
        (#"x {"domain":"SKErrorDomain","code":2}"#, cancelled),
        (#"x {"code":2,"domain":"SKErrorDomain","line":300}"#, cancelled),
        (#"x {\"code\":2,\"domain\":\"SKErrorDomain\"}"#, cancelled),
        ("x {ErrorDomain = SKErrorDomain; Code = 2}", cancelled), ("x {domain = SKErrorDomain; code = 2;}", cancelled),
        ("SKErrorDomain 3 times, code 2", cancelled), ("SKErrorDomain 2 attempt 3", cancelled),
        ("failed 3 times: SKErrorDomain 2", cancelled), ("SKErrorDomain 2 timeslot", cancelled),
        ("error 2 of SKErrorDomain, 5 times", cancelled), ("SKErrorDomain 2 (3 times)", cancelled),
        ("SKErrorPaymentCancelled", cancelled), ("SKError.Code.paymentCancelled", cancelled),
        ("StoreKit.SKError.paymentCancelled", cancelled), ("SKError.Code(rawValue: 2)", cancelled),
        ("SKErrorDomain paymentCancelled", cancelled), ("paymentCancelled (SKErrorDomain)", cancelled),
        ("failed with SKErrorClientInvalid", ["SKErrorDomain", "1", "not_allowed"]),
        ("SKErrorUnknown: try again", ["SKErrorDomain", "0", "store"]),
        ("SKErrorCloudServiceRevoked", ["SKErrorDomain", "8", "not_allowed"]),
        ("SKErrorDomain error 907", ["SKErrorDomain", "907", "store"]),
        ("(NSURLErrorDomain error -1009.)", ["NSURLErrorDomain", "-1009", "network"]),
        ("(NSURLErrorDomain-fel −1001.)", ["NSURLErrorDomain", "-1001", "network"]),
        ("NSURLErrorDomain-1001", ["NSURLErrorDomain", "-1001", "network"]),
        ("AMSErrorDomain 100", ["AMSErrorDomain", "100", "auth"]),
        ("ASDServerErrorDomain: 3532", ["ASDServerErrorDomain", "3532", "already_owned"]),
        ("(SSServerErrorDomain error 5020.)", ["SSServerErrorDomain", "5020", "auth"]),
        ("(NSPOSIXErrorDomain error 60.)", ["NSPOSIXErrorDomain", "60", "system"]),
        ("StoreKit.StoreKitError.userCancelled", ["StoreKitError.userCancelled", nil, "cancelled"]),
        ("StoreKitError: notEntitled", ["StoreKitError.notEntitled", nil, "integration"]),
        ("StoreKit.StoreKitError error 1", ["StoreKit.StoreKitError", "1", "system"]),
        ("(StoreKit.StoreKitError error 1.)", ["StoreKit.StoreKitError", "1", "system"]),
        ("PlatformException(userCancelled, StoreKitError, x)", ["StoreKitError.userCancelled", nil, "cancelled"]),
        ("Product.PurchaseError.productUnavailable", ["Product.PurchaseError.productUnavailable", nil, "catalogue"]),
        (
            "StoreKit.Product.PurchaseError.purchaseNotAllowed",
            ["Product.PurchaseError.purchaseNotAllowed", nil, "not_allowed"]
        ),
        ("PurchaseError.ineligibleForOffer", ["Product.PurchaseError.ineligibleForOffer", nil, "offer"]),
        (
            "VerificationResult.VerificationError.invalidSignature",
            ["VerificationResult.VerificationError.invalidSignature", nil, "verification"]
        ),
        (
            "x StoreKit.VerificationResult<StoreKit.Transaction>.VerificationError.invalidEncoding",
            ["VerificationResult.VerificationError.invalidEncoding", nil, "verification"]
        ),
        (
            "Transaction.RefundRequestError.duplicateRequest",
            ["Transaction.RefundRequestError.duplicateRequest", nil, "refund"]
        ),
        (
            "StoreKit.Transaction.RefundRequestError error 1",
            ["StoreKit.Transaction.RefundRequestError", "1", "refund"]
        ),
    ]

    @Test("A known domain or type with its code or case is a failure, however they are joined", arguments: written)
    func readsNames(_ line: String, _ expected: [String?]) { Self.expect(line, expected) }

    /// What SDKs and tools print.
    static let sdks: [Line] = [
        (
            "[Purchases] - ERROR: 😿‼️ There was a problem with the App Store. (SKErrorDomain error 0)",
            ["SKErrorDomain", "0", "store"]
        ),
        ("PurchasesErrorCode.purchaseCancelledError", ["RevenueCat.ErrorCode", "1", "cancelled"]),
        ("throws ErrorCode.storeProblemError", ["RevenueCat.ErrorCode", "2", "store"]),
        ("RevenueCat.ErrorCode error 5", ["RevenueCat.ErrorCode", "5", "catalogue"]),
        ("PurchasesErrorCode.networkError", ["RevenueCat.ErrorCode", "10", "network"]),
        ("PURCHASES_ERROR_CODE.PRODUCT_ALREADY_PURCHASED_ERROR", ["RevenueCat.ErrorCode", "6", "already_owned"]),
        ("ErrorCode.storeProblemError: (SKErrorDomain error 5.)", ["SKErrorDomain", "5", "catalogue"]),
        ("Error: code: 'E_USER_CANCELLED'", ["RNIap.E_USER_CANCELLED", nil, "cancelled"]),
        ("[RNIap] E_NETWORK_ERROR", ["RNIap.E_NETWORK_ERROR", nil, "network"]),
        ("requestPurchase failed E_ITEM_UNAVAILABLE", ["RNIap.E_ITEM_UNAVAILABLE", nil, "catalogue"]),
        ("[RNIap] E_USER_CANCELLED: SKErrorDomain 2", cancelled),
        ("PurchaseFailureReason.UserCancelled", ["PurchaseFailureReason.UserCancelled", nil, "cancelled"]),
        (
            "OnPurchaseFailed: Product: 'c.1', PurchaseFailureReason: PaymentDeclined",
            ["PurchaseFailureReason.PaymentDeclined", nil, "store"]
        ),
        (
            "UnityIAP: purchase failed coins.100 reason UserCancelled",
            ["PurchaseFailureReason.UserCancelled", nil, "cancelled"]
        ),
        ("Purchase failed: UserCancelled", ["PurchaseFailureReason.UserCancelled", nil, "cancelled"]),
        ("Purchase failed: UserCancelled, SKErrorPaymentCancelled", cancelled),
        ("SKError{code: 2, domain: SKErrorDomain, userInfo: {a: 5}}", cancelled),
        (
            "PlatformException(storekit_duplicate_product_object, There is a pending transaction, null)",
            ["PlatformException.storekit_duplicate_product_object", nil, "integration"]
        ),
        ("code storekit_user_cancelled", ["PlatformException.storekit_user_cancelled", nil, "cancelled"]),
        ("PlatformException(storekit_brand_new, x", ["PlatformException.storekit_brand_new", nil, "unknown"]),
        (#"x "type":"SKErrorDomain","value":"Code: 2""#, cancelled),
        ("Non-fatal Exception: SKErrorDomain, 2", cancelled), ("Error: SKErrorDomain 2", cancelled),
    ]

    @Test("What SDKs print is read, and Apple's name of an error before an SDK's", arguments: sdks)
    func readsSDKs(_ line: String, _ expected: [String?]) { Self.expect(line, expected) }

    static let others = [
        "the domain example.com has error 2", "NSURLErrorDomain alone in prose", "SKErrorDomainX 2", "code 2",
        "error 500", "UserCancelled the newsletter", "SKErrorDomain was mentioned in 2 articles",
        "SKErrorDomain in 2 articles", "MySKErrorDomain 2", "XSKErrorDomain: 2", "my_SKErrorDomain 2",
        "SKErrorDomain.swift:12: note", "SKError+Extensions.swift:64", "StoreKitError.swift:45", "SKErrorDomain",
        "SKErrorDomain 2.5", "SKErrorDomain 10:15:00", "SKErrorDomain 2026-03-02", "SKErrorDomain 0x281",
        "SKErrorDomain v2", "SKErrorDomain 2%", "SKErrorDomain 99999999999", "SKErrorDomain. Then 2",
        "SKErrorDomain! 2", "2 SKErrorDomain", "shop 17 SKErrorDomain", "MyErrorDomain error 2", "ErrorDomain 2",
        "StoreKitError.localizedDescription", "StoreKitError is unsupported", "MyApp.PurchaseError.productUnavailable",
        "PurchaseError 3", "PurchaseError.brandNew", "RefundRequestError was", "VerificationError 2",
        "E_UNKNOWN token", "E_NETWORK_ERROR", "E_BRAND_NEW", "CODE_USER_CANCELLED", "ErrorCode.networkError",
        "MyErrorCode.storeProblemError", "ErrorCode 2", "purchase page: UserCancelled the upload",
        "reason UserCancelled", "PurchaseFailureReason", "PurchaseFailureReason: Brand",
        "storekit_enabled", "my_storekit_user_cancelled", "SKErrorHandler 2", "paymentCancelled", "userCancelled",
        "unknown SKError", "unknown StoreKitError met",
        "SKErrorDomain 3 times", "SKErrorDomain 12 errors", "SKErrorDomain error 3 times", "SKErrorDomain: 250 ms",
        "SKErrorDomain 5 %", "SKErrorDomain 1 attempt", "SKErrorDomain after 2 more retries", "SKErrorDomain 3回",
        "error 3 times in SKErrorDomain", "SKErrorDomain 30 Seconds", "3 errors SKErrorDomain", "SKErrorDomain -1 s",
    ]

    @Test("A line that looks like one is none", arguments: others)
    func passesOver(_ line: String) {
        for text in [line, "2026-03-02 10:00:00 Shop[1:2f] \(line)\n"] {
            let reading = LinesReading(text)
            #expect(reading.events.isEmpty && reading.codes == ["sniff.unrecognized"], "\(text)")
        }
    }

    @Test("A code is nearby within 24 characters and with two words between, however many bytes these are")
    func isNear() {
        for (gap, isNear) in [(24, true), (25, false)] {
            #expect(LinesReading("SKErrorDomain\(String(repeating: " ", count: gap))2").accepted == (isNear ? 1 : 0))
            #expect(
                LinesReading("code 2\(String(repeating: " ", count: gap))SKErrorDomain").accepted == (isNear ? 1 : 0)
            )
            #expect(LinesReading("SKErrorDomain\(String(repeating: "ผ", count: gap))2").accepted == (isNear ? 1 : 0))
        }
        #expect(LinesReading("SKErrorDomain a code 2").accepted == 1)
        #expect(LinesReading("SKErrorDomain a b code 2").accepted == 0)
        #expect(LinesReading("code 2 of a SKErrorDomain").accepted == 1)
        #expect(LinesReading("code 2 of a b SKErrorDomain").accepted == 0)
    }

    /// Lines with several errors: the outermost, and the one under it that is shown.
    static let chains: [(String, [String?])] = [
        (
            #"StoreKitError.networkError(URLError(_nsError: Error Domain=NSURLErrorDomain Code=-1009 "off" UserInfo={}))"#,
            ["StoreKitError.networkError", nil, "NSURLErrorDomain", "-1009", "network"]
        ),
        (
            #"systemError: StoreKit.StoreKitError.systemError(Error Domain=ASDErrorDomain Code=500 "x" UserInfo={"#
                + #"NSUnderlyingError=0x1 {Error Domain=AMSErrorDomain Code=306 "y"}})"#,
            ["StoreKitError.systemError", nil, "AMSErrorDomain", "306", "network"]
        ),
        (
            "StoreKitError.networkError(SKErrorDomain error 0 (NSURLErrorDomain error -1001.))",
            ["StoreKitError.networkError", nil, "NSURLErrorDomain", "-1001", "network"]
        ),
        ("SKErrorDomain error 0, then NSURLErrorDomain error -1009", ["SKErrorDomain", "0", nil, nil, "store"]),
        (
            #"SKErrorPaymentCancelled: Error Domain=SKErrorDomain Code=5 "x" UserInfo={}"#,
            ["SKErrorDomain", "5", nil, nil, "catalogue"]
        ),
        ("SKErrorDomain 5 … ESKERRORDOMAIN2", ["SKErrorDomain", "5", nil, nil, "catalogue"]),
        ("ESKERRORDOMAIN2 (SKErrorDomain error 5.)", cancelled[0..<2] + [nil, nil, "cancelled"]),
        ("FailedTransaction Code=2 (SKErrorDomain error 5.)", cancelled[0..<2] + [nil, nil, "cancelled"]),
        ("(SKErrorDomain error 5.) FailedTransaction Code=2", ["SKErrorDomain", "5", nil, nil, "catalogue"]),
        ("E_USER_CANCELLED ESKERRORDOMAIN5", ["SKErrorDomain", "5", nil, nil, "catalogue"]),
    ]

    @Test("Of several errors the first counts; one in the parentheses of another is under it", arguments: chains)
    func tellsOutermost(_ line: String, _ expected: [String?]) throws {
        let event = try #require(LinesReading(line).events.first)
        let columns = ["error_domain", "error_code", "underlying_domain", "underlying_code", "error_class"]
        #expect(columns.map { event[$0] } == expected)
        #expect(LinesReading(line).events.count == 1)
    }

    /// Objects that are errors, alone and inside others.
    static let objects = [
        #"{"domain":"SKErrorDomain","code":2}"#, #"{"errorDomain":"SKErrorDomain","errorCode":2,"message":"x"}"#,
        #"{"error_code":"2","error_domain":"SKErrorDomain"}"#, #"{"type":"SKErrorDomain","exceptionMessage":"Code=2"}"#,
        #"{"type":"SKErrorDomain","value":"Code: 2"}"#, #"{"reason":"error 2","type":"SKErrorDomain"}"#,
    ]

    @Test("An object that is an error is a failure, wherever it stands", arguments: objects)
    func readsObjects(_ object: String) {
        for text in [object, #"{"a":\#(object)}"#, #"{"list":[{"exceptions":[\#(object)]}]}"#] {
            let events = LinesReading(text).events
            #expect(
                events.map { [$0["error_domain"], $0["error_code"], $0["error_class"]] } == [Self.cancelled],
                "\(text)"
            )
        }
    }

    @Test(
        "An object with a domain of its own, or a count, is none",
        arguments: [
            #"{"errorDomain":"com.example","errorCode":2}"#, #"{"errorDomain":"SKErrorDomain","count":2}"#,
            #"{"error_domain":"SKErrorDomain"}"#, #"{"type":"SKErrorDomain","exceptionMessage":"3 times"}"#,
            #"{"reason":"error 2","type":"warning"}"#,
        ]
    )
    func passesOverObjects(_ object: String) {
        #expect(LinesReading(object).codes == ["sniff.unrecognized"])
        #expect(LinesReading(#"{"a":\#(object)}"#).codes == ["sniff.unrecognized"])
    }

    static let messages: [(String, String?)] = [
        ("SKErrorDomain: 2, try again.", "try again."), ("(SKErrorDomain error 2.)", nil),
        ("（SKErrorDomainエラー2。） もう一度", "もう一度"), ("SKErrorDomain 2 (10 ms)", "(10 ms)"),
        ("StoreKitError.userCancelled - password=geheim12", "password=***"),
        ("StoreKitError.networkError(URLError) offline", "offline"), ("SKErrorPaymentCancelled\nnext", nil),
    ]

    @Test("What stands behind an error in its line is the message, without what is secret", arguments: messages)
    func readsMessage(_ line: String, _ expected: String?) throws {
        let event = try #require(LinesReading(line).events.first)
        #expect(event["error_message"] == expected)
    }

    @Test("An error behind the first 64 KiB is not looked for, and text that is not UTF-8 is a reject")
    func isBounded() {
        let filling = String(repeating: "a b ", count: 16 << 10)
        #expect(LinesReading("\(filling.dropLast(30)) SKErrorDomain 2").accepted == 1)
        #expect(LinesReading("\(filling) SKErrorDomain 2").accepted == 0)
        #expect(LinesReading(Array("SKErrorDomain 2 caf".utf8) + [0xC3, 0x28]).codes == ["receipt.utf8"])
    }

    private static func expect(_ line: String, _ expected: [String?]) {
        for text in [line, "\(line)\n", "2026-03-02T10:00:00Z Shop[1:2f] \(line)\r\n"] {
            let reading = LinesReading(text)
            #expect(reading.accepted == 1 && reading.rejects.isEmpty && reading.openBrackets == 0, "\(text)")
            let event = reading.events.first
            #expect(event?["event"] == "failed")
            #expect(["error_domain", "error_code", "error_class"].map { event?[$0] } == expected, "\(text)")
            #expect(event?["at"] == (text.hasPrefix("2026") ? "2026-03-02T10:00:00Z" : nil))
        }
    }
}
