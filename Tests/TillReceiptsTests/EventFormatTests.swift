import Testing
import TillColumns
import TillInput
import TillJSON
import TillRows
import TillTestSupport

@testable import TillReceipts

@Suite("Client events")
struct EventFormatTests {
    private static func event(_ members: String) -> Reading {
        Reading(#"{"v":1,"event":"failed",\#(members)}"#)
    }

    @Test("Every member that rows have lands in its column")
    func readsMembers() {
        let reading = Reading(
            #"""
            {"v":1,"ts":"2026-03-02T10:15:00.120Z","event":"purchased","api":"sk1","app":"game","app_version":"4.2",
             "os":"iOS","os_version":"17.1","device_model":"iPhone","bundle_id":"com.example.game","storefront":"USA",
             "product_id":"coins.100","quantity":4,"transaction_id":"2000000112","original_transaction_id":2000000111,
             "price":"0.99","currency":"USD","account_hash":"abc","session_id":"s","attempt_id":"a","duration_ms":120,
             "env":"Production","extra":{"deep":[1,{"er":null}]}}
            """#
        )
        #expect(
            reading.events == [
                [
                    "at": "2026-03-02T10:15:00.120Z", "event": "purchased", "environment": "production",
                    "bundle_id": "com.example.game", "app_version": "4.2", "os": "iOS", "os_version": "17.1",
                    "storefront": "USA", "product_id": "coins.100", "quantity": "4", "transaction_id": "2000000112",
                    "original_transaction_id": "2000000111", "price": "990", "currency": "USD",
                    "account_token": "abc", "session_id": "s", "attempt_id": "a", "document": "0",
                ]
            ]
        )
        #expect(reading.documents.isEmpty && reading.accepted == 1)
    }

    @Test(
        "The time of an event is RFC 3339 or milliseconds, as text or number",
        arguments: [
            (#""2026-03-02T10:15:00.120Z""#, "2026-03-02T10:15:00.120Z"),
            (#""2026-03-02T10:15:00.1207Z""#, "2026-03-02T10:15:00.120Z"),
            (#""2026-03-02T12:15:00+02:00""#, "2026-03-02T10:15:00.000Z"),
            ("1772446500120", "2026-03-02T10:15:00.120Z"), (#""1772446500120""#, "2026-03-02T10:15:00.120Z"),
            ("1772446500120.7", "2026-03-02T10:15:00.120Z"), ("null", nil), (#""""#, nil),
        ]
    )
    func readsTimes(_ value: String, _ expected: String?) {
        let reading = Self.event("\"ts\":\(value)")
        #expect(reading.events.count == 1)
        #expect(reading.events.first?["at"] == expected)
    }

    @Test(
        "The collector's time is taken where the device's is missing, impossible or later",
        arguments: [
            (#""ts":1772446500000,"received_at":1772446500001"#, "2026-03-02T10:15:00.000Z"),
            (#""ts":1772446500000,"received_at":1772532900000"#, "2026-03-02T10:15:00.000Z"),
            (#""ts":1772446500000,"received_at":1772532900001"#, "2026-03-02T10:15:00.000Z"),
            (#""ts":1772532900001,"received_at":1772446500000"#, "2026-03-02T10:15:00.000Z"),
            (#""received_at":1772446500000,"ts":1772446500001"#, "2026-03-02T10:15:00.000Z"),
            (#""received_at":1772446500000"#, "2026-03-02T10:15:00.000Z"),
            (#""ts":-9223372036854775808,"received_at":1772446500000"#, "2026-03-02T10:15:00.000Z"),
            (#""session_id":"s""#, nil),
        ]
    )
    func choosesAClock(_ members: String, _ expected: String?) {
        #expect(Self.event(members).events.first?["at"] == expected)
    }

    @Test(
        "The magnitude of a time tells its unit, as it does for the times of a log",
        arguments: [
            ("1772446500", "2026-03-02T10:15:00.000Z"), ("1772446500.125", "2026-03-02T10:15:00.125Z"),
            (#""1772446500""#, "2026-03-02T10:15:00.000Z"), ("1772446500125", "2026-03-02T10:15:00.125Z"),
            ("1772446500125.75", "2026-03-02T10:15:00.125Z"), ("1772446500125999", "2026-03-02T10:15:00.125Z"),
            ("1772446500125999999", "2026-03-02T10:15:00.125Z"),
            (#""1772446500125999""#, "2026-03-02T10:15:00.125Z"),
            ("1772446500125999.5", "2026-03-02T10:15:00.125Z"), ("1.772446500125e9", "2026-03-02T10:15:00.125Z"),
            ("1772446500125999999.5", "2026-03-02T10:15:00.125Z"), ("1.772446500125e18", "2026-03-02T10:15:00.125Z"),
            (#""2026-03-02 11:15:00 +0100""#, "2026-03-02T10:15:00.000Z"),
            (#""1971-03-02T10:15:00Z""#, "1971-03-02T10:15:00.000Z"), ("0", nil),
        ] as [(String, String?)]
    )
    func readsUnits(_ value: String, _ expected: String?) {
        for member in ["ts", "received_at"] {
            let reading = Reading(#"{"\#(member)":\#(value),"product_id":"p","event":"purchased"}"#)
            #expect(reading.events.map { $0["at"] } == [expected], "\(reading.rejects)")
        }
        let response = Reading(#"{"status":21002,"ts":\#(value)}"#)
        #expect(value == "0" || response.documents.map { $0["logged_at"] } == [expected])
    }

    @Test(
        "A price is exact to a thousandth, but for the noise of binary fractions; another one is absent and counted",
        arguments: [
            ("9.99", "9990"), (#""9.99""#, "9990"), ("4.9900000000000002", "4990"), ("0.98999999999999999", "990"),
            (#""4.9900000000000002""#, "4990"), (#""114.98999999999997952""#, "114990"), ("2.98999999999999", "2990"),
            ("4.9995", nil), (#""R$ 149,90""#, nil), (#""9,99""#, nil), (#""1,234.50""#, nil), ("true", nil),
            ("[9.99]", nil), (#"{"amount":9.99}"#, nil),
        ]
    )
    func readsPrices(_ value: String, _ expected: String?) {
        let reading = Self.event("\"price\":\(value)")
        #expect(reading.events.map { $0["price"] } == [expected])
        #expect(reading.unread == (expected == nil ? 1 : 0) && reading.rejects.isEmpty)
    }

    @Test(
        "An optional value that cannot be read is absent and counted, and the event stays",
        arguments: [
            (#""quantity":"many""#, "quantity"), (#""quantity":1.5"#, "quantity"),
            (#""quantity":99999999999"#, "quantity"),
            (#""product_id":["p"]"#, "product_id"), (#""app_version":{"major":5}"#, "app_version"),
            (#""error":{"domain":"StoreKitError","code":true}"#, "error_code"),
        ]
    )
    func countsUnread(_ members: String, _ column: String) {
        let reading = Self.event(members)
        #expect(reading.events.map { $0[column] } == [nil] && reading.unread == 1)
        #expect(Self.event("\"quantity\":null,\"price\":\"\"").unread == 0)
    }

    @Test(
        "A text in place of a code is the code of a library in any spelling, and else is kept",
        arguments: [
            ("user-cancelled", nil, "RNIap.E_USER_CANCELLED", nil, "cancelled"),
            ("UserCancelled", nil, "RNIap.E_USER_CANCELLED", nil, "cancelled"),
            ("eUserCancelled", nil, "RNIap.E_USER_CANCELLED", nil, "cancelled"),
            ("ERR_USER_CANCELED", "RCTErrorDomain", "RNIap.E_USER_CANCELLED", nil, "cancelled"),
            ("ErrorCode.UserCancelled", nil, "RNIap.E_USER_CANCELLED", nil, "cancelled"),
            ("user-cancelled", "SKErrorDomain", "RNIap.E_USER_CANCELLED", nil, "cancelled"),
            ("network-error", "OpenIAP", "RNIap.E_NETWORK_ERROR", nil, "network"),
            ("item-unavailable", nil, "RNIap.E_ITEM_UNAVAILABLE", nil, "catalogue"),
            ("purchase-error", nil, "RNIap.E_PURCHASE_ERROR", nil, "store"),
            ("deferred-payment", nil, "RNIap.E_DEFERRED_PAYMENT", nil, "deferred"),
            ("UserCancelled", "PurchaseFailureReason", "PurchaseFailureReason.UserCancelled", nil, "cancelled"),
            ("storekit2_purchase_pending", nil, "PlatformException.storekit2_purchase_pending", nil, "deferred"),
            ("6777006", nil, "CdvPurchase.ErrorCode", "6777006", "cancelled"),
            ("PAYMENT_NOT_ALLOWED", nil, "CdvPurchase.ErrorCode", "6777008", "not_allowed"),
            ("PURCHASE_CANCELLED_ERROR", nil, "RevenueCat.ErrorCode", "1", "cancelled"),
            ("20", "RCPurchasesErrorDomain", "RCPurchasesErrorDomain", "20", "deferred"),
            ("3", "StoreKit.StoreKitError", "StoreKit.StoreKitError", "3", "cancelled"),
            ("paymentCancelled", nil, "SKErrorDomain", "2", "cancelled"),
            ("userCancelled", nil, "StoreKitError.userCancelled", nil, "cancelled"),
            ("1x", nil, "1x", nil, "unknown"), ("a b", nil, "a b", nil, "unknown"), ("—", nil, "—", nil, "unknown"),
            ("unknown", "com.example.shop", "com.example.shop.unknown", nil, "unknown"),
        ] as [(String, String?, String, String?, String)]
    )
    func namesCodes(_ code: String, _ domain: String?, _ told: String, _ number: String?, _ failureClass: String) throws
    {
        let members = domain.map { "\"domain\":\"\($0)\"," } ?? ""
        let failure = try Self.failure("{\(members)\"code\":\"\(code)\"}")
        #expect(failure == Failure([told, number], failureClass))
    }

    @Test("An error that is only the name of a code is that error, and one word is a message")
    func readsBareNames() throws {
        #expect(try Self.failure(#""user-cancelled""#) == Failure(["RNIap.E_USER_CANCELLED", nil], "cancelled"))
        #expect(try Self.failure(#""UserCancelled""#) == Failure(["RNIap.E_USER_CANCELLED", nil], "cancelled"))
        for text in ["pending", "Unknown", "not-a-code", "the user cancelled"] {
            #expect(try Self.failure("\"\(text)\"") == Failure([nil, nil], "unknown"))
        }
    }

    @Test("A long text in place of a code is kept up to 128 bytes")
    func boundsNames() throws {
        let reading = Self.event(#""error":{"code":"\#(String(repeating: "é", count: 40_000))"}"#)
        #expect(reading.events.first?["error_domain"] == String(repeating: "é", count: 64))
    }

    @Test(
        "The environment and storefront that an error names are the event's, unless the event tells them",
        arguments: [
            (
                #"{"v":1,"event":"failed","error":{"domain":"SKErrorDomain","code":0,"userInfo":{"client-environment-type":"Sandbox","storefront-country-code":"POL"}}}"#,
                "sandbox", "POL"
            ),
            (
                #"{"v":1,"event":"failed","storefront":"DEU","env":"Production","error":"Error Domain=ASDErrorDomain Code=500 \"(null)\" UserInfo={client-environment-type=Sandbox, storefront-country-code=POL}"}"#,
                "production", "DEU"
            ),
            (
                #"{"v":1,"event":"failed","error":"Error Domain=AMSErrorDomain Code=301 \"x\" UserInfo={AMSURL=https://sandbox.itunes.apple.com/WebObjects/MZBuy.woa/wa/inAppBuy}"}"#,
                "sandbox", nil
            ),
            (
                "Error Domain=SKErrorDomain Code=0 \"(null)\" UserInfo={storefront-country-code=DEU, client-environment-type=Production}",
                "production", "DEU"
            ),
            (
                #"{"domain":"SKErrorDomain","code":2,"userInfo":{"client-environment-type":"Sandbox"}}"#, "sandbox", nil
            ),
            (
                "Error Domain=SKErrorDomain Code=0 \"(null)\" UserInfo={storefront-country-code=XKX, client-environment-type=Sandbox}",
                "sandbox", "XKS"
            ),
        ] as [(String, String, String?)]
    )
    func readsOrigins(_ text: String, _ environment: String, _ storefront: String?) {
        let reading = Reading(text)
        #expect(reading.events.map { $0["environment"] } == [environment], "\(reading.rejects)")
        #expect(reading.events.map { $0["storefront"] } == [storefront])
    }

    @Test(
        "Without a time of its own, an event has that of its collector, the preferred member first",
        arguments: [
            (#""timestamp":"2026-03-02T10:15:00Z""#, "2026-03-02T10:15:00.000Z"),
            (#""@timestamp":1772446500"#, "2026-03-02T10:15:00.000Z"),
            (#""time":"2026-03-02 11:15:00 GMT+1","logged_at":1772446500120"#, "2026-03-02T10:15:00.120Z"),
            (#""timestamp":{"$date":1},"time":"soon""#, nil),
            (#""timestamp":{"$date":"2026-03-02T10:15:00Z"}"#, "2026-03-02T10:15:00.000Z"),
            (#""ts":{"$date":{"$numberLong":"1772446500120"}}"#, "2026-03-02T10:15:00.120Z"),
            (#""timestamp":{"of":"collector"},"time":1772446500"#, "2026-03-02T10:15:00.000Z"),
            (#""ts":null,"time":1772446500"#, "2026-03-02T10:15:00.000Z"),
            (#""ts":1772446500000,"logged_at_ms":1772446509000"#, "2026-03-02T10:15:00.000Z"),
            (#""date":1772446500.125999"#, "2026-03-02T10:15:00.125Z"),
            (#""ts_ms":"1772446500125""#, "2026-03-02T10:15:00.125Z"),
            (#""__REALTIME_TIMESTAMP":"1772446500125999""#, "2026-03-02T10:15:00.125Z"),
            (#""date":1772446509,"time":1772446500"#, "2026-03-02T10:15:00.000Z"), (#""date":["soon"],"ts_ms":0"#, nil),
        ]
    )
    func readsTimesOfCollectors(_ members: String, _ expected: String?) {
        let reading = Self.event(members)
        #expect(reading.events.map { $0["at"] } == [expected], "\(reading.rejects)")
    }

    @Test(
        "A number that would lie before the App Store is seconds since 2001, as Swift encodes a date, or no time",
        arguments: [
            ("794139300.25", "2026-03-02T10:15:00.250Z"), ("794139300", "2026-03-02T10:15:00.000Z"), ("12.5", nil),
            ("237340799", nil), ("237340800", "2008-07-10T00:00:00.000Z"), ("1215648000", "2008-07-10T00:00:00.000Z"),
            ("1215647999999", nil), ("1215648000000", "2008-07-10T00:00:00.000Z"), ("500000000000", nil),
            ("-1", nil), ("-10000000000000000", nil), ("-9223372036854775808", nil),
            (#""9999-12-31T23:59:59-23:59""#, nil), (#""9999-12-31T23:59:59Z""#, "9999-12-31T23:59:59.000Z"),
        ]
    )
    func readsSwiftDates(_ value: String, _ expected: String?) {
        for member in ["ts", "received_at", "timestamp"] {
            let reading = Self.event("\"\(member)\":\(value)")
            #expect(reading.events.map { $0["at"] } == [expected], "\(reading.rejects)")
        }
    }

    @Test(
        "The environment beside an event counts if it has none of its own",
        arguments: [
            (#""environment":"Sandbox""#, "sandbox"), (#""environment":"production""#, nil),
            (#""environment":{"a":1}"#, nil),
            (#""env":"Production","environment":"Sandbox""#, "production"),
        ]
    )
    func readsEnvironmentAround(_ members: String, _ expected: String?) {
        #expect(Self.event(members).events.map { $0["environment"] } == [expected])
    }

    @Test(
        "TestFlight, debug and development are the sandbox in any spelling, and other words stay as they are",
        arguments: [
            (#""TestFlight""#, "sandbox"), (#""test-flight""#, "sandbox"), (#"" DEBUG\n""#, "sandbox"),
            (#""Development""#, "sandbox"), (#""Sandbox\u0000""#, "sandbox"), (#""Prod""#, "production"),
            (#""AppStore""#, "AppStore"), (#""release""#, "release"), (#""staging""#, "staging"), ("0", "0"),
            ("null", nil), (#""""#, nil),
        ] as [(String, String?)]
    )
    func readsEnvironments(_ value: String, _ expected: String?) {
        #expect(Self.event(#""env":\#(value)"#).events.map { $0["environment"] } == [expected])
        let response = Reading(#"{"status":21005,"environment":\#(value)}"#)
        #expect(response.documents.map { $0["environment"] } == [expected])
    }

    @Test("The name and version of the schema may stand anywhere; what makes an event is the member event")
    func recognizesEvents() {
        #expect(Reading(#"{"ts":1,"product_id":"p","event":"purchased"}"#).events.count == 1)
        #expect(Reading(#"{"extra":{"status":1},"v":1,"event":"purchased"}"#).events.count == 1)
        #expect(Reading(#"{"v":1,"ts":1}"#).rejects.map(\.code) == ["sniff.unrecognized"])
    }

    struct Failure: Equatable, Sendable {
        var outer: [String?]
        var under: [String?]
        var failureClass: String?

        init(_ outer: [String?], under: [String?] = [nil, nil], _ failureClass: String?) {
            (self.outer, self.under, self.failureClass) = (outer, under, failureClass)
        }

        init(_ row: Reading.Row) {
            outer = [row["error_domain"], row["error_code"]]
            under = [row["underlying_domain"], row["underlying_code"]]
            failureClass = row["error_class"]
        }
    }

    private static func failure(_ error: String) throws -> Failure {
        let reading = event("\"error\":\(error)")
        return Failure(try #require(reading.events.first, "\(reading.rejects.map(\.code))"))
    }

    @Test("An error without others under it shows itself and its class")
    func readsErrors() throws {
        let plain = try Self.failure(#"{"domain":"SKErrorDomain","code":2,"message":"m"}"#)
        #expect(plain == Failure(["SKErrorDomain", "2"], "cancelled"))
        let text = try Self.failure(#"{"code":"4","domain":"SKErrorDomain","underlying":[]}"#)
        #expect(text == Failure(["SKErrorDomain", "4"], "not_allowed"))
        let unknown = try Self.failure(#"{"domain":"MyDomain","code":77,"underlying":null}"#)
        #expect(unknown == Failure(["MyDomain", "77"], "unknown"))
        #expect(try Self.failure("null") == Failure([nil, nil], nil))
    }

    @Test("Of the errors under it the deepest known one is shown and sets the class, in a list or nested")
    func readsChains() throws {
        let ams = #"{"domain":"AMSErrorDomain","code":306}"#
        let asd = #"{"domain":"ASDErrorDomain","code":500"#
        let expected = Failure(["SKErrorDomain", "0"], under: ["AMSErrorDomain", "306"], "network")
        for under in ["[\(asd)},\(ams)]", "[\(asd),\"underlying\":[\(ams)]}]", "\(asd),\"underlying\":\(ams)}"] {
            #expect(try Self.failure("{\"domain\":\"SKErrorDomain\",\"code\":0,\"underlying\":\(under)}") == expected)
            #expect(try Self.failure("{\"underlying\":\(under),\"code\":0,\"domain\":\"SKErrorDomain\"}") == expected)
        }
        let strange = #"{"domain":"SKErrorDomain","code":0,"underlying":[\#(ams),{"domain":"Other","code":1}]}"#
        #expect(try Self.failure(strange) == expected)
        let unknown =
            #"{"domain":"SKErrorDomain","code":0,"underlying":[{"domain":"A","code":1},{"domain":"B","code":2}]}"#
        #expect(try Self.failure(unknown).under == ["B", "2"])
    }

    @Test("SK 907 over AMS 6 is a cancellation, and an outer cancellation stays one")
    func tellsCancellations() throws {
        let daemon = #"{"domain":"ASDErrorDomain","code":907,"underlying":[{"domain":"AMSErrorDomain","code":6}]}"#
        #expect(try Self.failure(daemon).failureClass == "cancelled")
        let under = #"{"domain":"SKErrorDomain","code":0,"underlying":[\#(daemon)]}"#
        #expect(try Self.failure(under).failureClass == "cancelled")
        let sheet = #"{"domain":"SKErrorDomain","code":907,"underlying":[{"domain":"AMSErrorDomain","code":6}]}"#
        #expect(try Self.failure(sheet).failureClass == "cancelled")
        let offline = #"{"domain":"SKErrorDomain","code":2,"underlying":[{"domain":"NSURLErrorDomain","code":-1009}]}"#
        #expect(try Self.failure(offline).failureClass == "cancelled")
    }

    @Test(
        "A code without a domain gets the one that its number tells, and says so",
        arguments: [
            (#"{"code":2}"#, "SKErrorDomain", "true"), (#"{"code":5020}"#, "SSServerErrorDomain", "true"),
            (#"{"code":3532}"#, "ASDServerErrorDomain", "true"), (#"{"code":-1009}"#, "NSURLErrorDomain", "true"),
            (#"{"code":0,"message":"Cannot connect to iTunes Store"}"#, "SSErrorDomain", "true"),
            (#"{"message":"Cannot connect to iTunes Store","code":0}"#, "SSErrorDomain", "true"),
            (#"{"code":2,"message":"Cannot connect to iTunes Store"}"#, "SKErrorDomain", "true"),
            (#"{"code":123456}"#, nil, "false"), (#"{"domain":"SKErrorDomain","code":2}"#, "SKErrorDomain", "false"),
            (#"{"domain":"","code":2}"#, "SKErrorDomain", "true"),
            (#"{"domain":null,"code":2}"#, "SKErrorDomain", "true"),
        ]
    )
    func infersDomains(_ error: String, _ domain: String?, _ isInferred: String) throws {
        let row = try #require(Self.event("\"error\":\(error)").events.first)
        #expect(row["error_domain"] == domain)
        #expect(row["domain_inferred"] == isInferred)
    }

    @Test("The class of one chain is not that of another, however often they alternate")
    func keepsChainsApart() {
        let errors = [
            (#"{"domain":"SKErrorDomain","code":2}"#, "cancelled"),
            (#"{"domain":"SKErrorDomain","code":4}"#, "not_allowed"),
            (#"{"domain":"NSURLErrorDomain","code":-1009}"#, "network"), (#"{"code":2}"#, "cancelled"),
        ]
        let lines = (0..<40).map { #"{"event":"failed","error":\#(errors[$0 * 7 % 4].0)}"# }.joined(separator: "\n")
        let expected = (0..<40).map { errors[$0 * 7 % 4].1 }
        #expect(Reading(lines).events.map { $0["error_class"] } == expected)
        #expect(Reading(lines, step: 17).events.map { $0["error_class"] } == expected)
    }

    @Test(
        "A code that tells its domain is believed before a domain beside it, in whatever order they come (quirk 72)",
        arguments: [
            #"{"domain":"RNIap","code":"ESKERRORDOMAIN2"}"#, #"{"code":"ESKERRORDOMAIN2","domain":"RNIap"}"#,
            #"{"code":"ESKERRORDOMAIN2","domain":null}"#, #"{"code":"ESKERRORDOMAIN2"}"#,
        ]
    )
    func wrappedCode(_ error: String) {
        let row = Self.event("\"error\":\(error)").events.first
        #expect(row?["error_domain"] == "SKErrorDomain")
        #expect(row?["error_code"] == "2")
        #expect(row?["error_class"] == "cancelled")
    }

    /// Errors of StoreKit 2; the domain and code that they get, and the class.
    static let named: [(String, String, String?, String)] = [
        (#"{"domain":"StoreKitError","code":"userCancelled"}"#, "StoreKitError.userCancelled", nil, "cancelled"),
        (#"{"code":"userCancelled","domain":"StoreKitError"}"#, "StoreKitError.userCancelled", nil, "cancelled"),
        (
            #"{"domain":"StoreKit.StoreKitError","code":"userCancelled"}"#, "StoreKitError.userCancelled", nil,
            "cancelled"
        ),
        (#"{"domain":"StoreKitError.userCancelled"}"#, "StoreKitError.userCancelled", nil, "cancelled"),
        (#"{"code":"StoreKit.StoreKitError.notEntitled"}"#, "StoreKitError.notEntitled", nil, "integration"),
        (
            #"{"domain":"StoreKitError","code":"networkError(Error Domain=NSURLErrorDomain Code=-1009 \"x\")"}"#,
            "StoreKitError.networkError", nil, "network"
        ),
        (
            #"{"domain":"Product.PurchaseError","code":"productUnavailable"}"#,
            "Product.PurchaseError.productUnavailable", nil, "catalogue"
        ),
        (
            #"{"domain":"StoreKit.Product.PurchaseError","code":"invalidQuantity"}"#,
            "Product.PurchaseError.invalidQuantity", nil, "integration"
        ),
        (
            #"{"domain":"PurchaseError","code":"ineligibleForOffer"}"#, "Product.PurchaseError.ineligibleForOffer", nil,
            "offer"
        ),
        (#"{"domain":"SK2","code":"userCancelled"}"#, "StoreKitError.userCancelled", nil, "cancelled"),
        // All cases of one class: any is of it, by name, by code, or untold.
        (
            #"{"domain":"VerificationResult.VerificationError","code":1}"#, "VerificationResult.VerificationError", "1",
            "verification"
        ),
        (
            #"{"domain":"StoreKit.VerificationResult.VerificationError","code":0}"#,
            "StoreKit.VerificationResult.VerificationError", "0", "verification"
        ),
        (
            #"{"domain":"StoreKit.VerificationResult<StoreKit.Transaction>.VerificationError","code":"invalidSignature"}"#,
            "VerificationResult.VerificationError.invalidSignature", nil, "verification"
        ),
        (
            #"{"domain":"VerificationResult.VerificationError"}"#, "VerificationResult.VerificationError", nil,
            "verification"
        ),
        (
            #"{"domain":"StoreKit.Transaction.RefundRequestError","code":1}"#,
            "StoreKit.Transaction.RefundRequestError", "1", "refund"
        ),
        (
            #"{"domain":"RefundRequestError","code":"duplicateRequest"}"#,
            "Transaction.RefundRequestError.duplicateRequest", nil, "refund"
        ),
        // What is not known stays as it came.
        (#"{"domain":"StoreKitError","code":"brandNew"}"#, "StoreKitError.brandNew", nil, "unknown"),
        (#"{"domain":"StoreKit.StoreKitError","code":1}"#, "StoreKit.StoreKitError", "1", "system"),
        (#"{"domain":"RNIap","code":"E_BRAND_NEW"}"#, "RNIap.E_BRAND_NEW", nil, "unknown"),
        // Names of SDKs.
        (#"{"domain":"RNIap","code":"E_USER_CANCELLED"}"#, "RNIap.E_USER_CANCELLED", nil, "cancelled"),
        (#"{"code":"E_UNKNOWN"}"#, "RNIap.E_UNKNOWN", nil, "store"),
        (#"{"code":"storekit_user_cancelled"}"#, "PlatformException.storekit_user_cancelled", nil, "cancelled"),
        (
            #"{"domain":"PurchaseFailureReason","code":"SignatureInvalid"}"#, "PurchaseFailureReason.SignatureInvalid",
            nil, "verification"
        ),
        (#"{"domain":"RevenueCat.ErrorCode","code":5}"#, "RevenueCat.ErrorCode", "5", "catalogue"),
        (#"{"domain":"RevenueCat.ErrorCode","code":99}"#, "RevenueCat.ErrorCode", "99", "unknown"),
    ]

    @Test("A case of StoreKit 2, which has a name and no code, is its domain, and has its class", arguments: named)
    func namedErrors(_ error: String, _ domain: String, _ code: String?, _ failureClass: String) throws {
        #expect(try Self.failure(error) == Failure([domain, code], failureClass))
    }

    @Test(
        "The errors under an NSError are read where programs put them",
        arguments: [
            #""userInfo":{"a":[1],"NSUnderlyingError":{"domain":"NSURLErrorDomain","code":-1009}}"#,
            #""userInfo":{"NSUnderlyingError":"Error Domain=NSURLErrorDomain Code=-1009 \"x\""}"#,
            #""userInfo":{"NSMultipleUnderlyingErrorsKey":[{"domain":"NSURLErrorDomain","code":-1009}]}"#,
            #""underlyingErrors":[{"domain":"NSURLErrorDomain","code":-1009}]"#,
            #""NSUnderlyingError":{"domain":"NSURLErrorDomain","code":-1009}"#,
        ]
    )
    func readsNSErrors(_ members: String) throws {
        let expected = Failure(["SKErrorDomain", "0"], under: ["NSURLErrorDomain", "-1009"], "network")
        #expect(try Self.failure(#"{"domain":"SKErrorDomain","code":0,\#(members)}"#) == expected)
        let bare = Reading(#"{"domain":"SKErrorDomain","code":0,\#(members)}"#)
        #expect(bare.events.map(Failure.init) == [expected], "\(bare.rejects)")
    }

    @Test("What else is in userInfo does not matter")
    func skipsUserInfo() throws {
        for info in ["7", "[1]", "null", #"{"NSUnderlyingError":7}"#, #"{"NSMultipleUnderlyingErrorsKey":["x"]}"#] {
            let failure = try Self.failure(#"{"domain":"SKErrorDomain","code":2,"userInfo":\#(info)}"#)
            #expect(failure == Failure(["SKErrorDomain", "2"], "cancelled"), "\(info)")
        }
    }

    @Test(
        "The name of a code of SKError is its number, and the type is its domain",
        arguments: [
            #"{"domain":"SKErrorDomain","code":"paymentCancelled"}"#,
            #"{"domain":"SKError","code":"paymentCancelled"}"#,
            #"{"domain":"SKError","code":2}"#, #"{"code":"SKErrorPaymentCancelled"}"#,
            #"{"code":"SKError.Code.paymentCancelled","domain":"RNIap"}"#,
        ]
    )
    func readsNamesOfCodes(_ error: String) throws {
        #expect(try Self.failure(error) == Failure(["SKErrorDomain", "2"], "cancelled"))
    }

    @Test(
        "The error of an event may stand in members of the event",
        arguments: [
            (#""error_domain":"SKErrorDomain","error_code":2"#, ["SKErrorDomain", "2"], "cancelled"),
            (#""errorDomain":"MyDomain","errorCode":"77""#, ["MyDomain", "77"], "unknown"),
            (#""domain":"SKErrorDomain","code":4"#, ["SKErrorDomain", "4"], "not_allowed"),
            (#""error_code":"ESKERRORDOMAIN2""#, ["SKErrorDomain", "2"], "cancelled"),
            (#""error_code":2,"error":null"#, ["SKErrorDomain", "2"], "cancelled"),
            (#""error_code":"user-cancelled""#, ["RNIap.E_USER_CANCELLED", nil], "cancelled"),
            (#""error":"user\u002dcancelled""#, ["RNIap.E_USER_CANCELLED", nil], "cancelled"),
            (#""error":{"code":"(foo"}"#, ["(foo", nil], "unknown"),
            (#""error":{"code":"größer (als 2)"}"#, ["größer", nil], "unknown"),
            (#""error_code":[2]"#, [nil, nil], nil),
            (#""error_code":2,"error":{"domain":"SKErrorDomain","code":5}"#, ["SKErrorDomain", "5"], "catalogue"),
        ] as [(String, [String?], String?)]
    )
    func readsErrorsInMembers(_ members: String, _ outer: [String?], _ failureClass: String?) throws {
        #expect(try Failure(#require(Self.event(members).events.first)) == Failure(outer, failureClass))
    }

    @Test(
        "An event with an error and a name that is none of the schema's is a failure, of a restore if the name says so",
        arguments: [
            ("purchase_error", "failed"), ("Failed", "failed"), ("RestoreFailed", "restore_failed"),
            ("restore_error", "restore_failed"), ("didRestore", "restore_failed"), ("RESTORE_ERROR", "restore_failed"),
            ("FirestoreError", "failed"), ("FIRESTORE_ERROR", "failed"), ("firestore, restore", "restore_failed"),
            ("verify_failed", "verify_failed"), ("restored", "restored"),
            ("AppStore", "failed"),
        ]
    )
    func countsFailuresByAnyName(_ name: String, _ expected: String) {
        let error = #""error":{"domain":"SKErrorDomain","code":0}"#
        for members in [error, #""error":"SKErrorDomain error 0""#] {
            let reading = Reading(#"{"v":1,"product_id":"p","event":"\#(name)",\#(members)}"#)
            #expect(reading.events.map { $0["event"] } == [expected], "\(reading.rejects)")
        }
        #expect(Reading(#"{"v":1,"product_id":"p","event":"\#(name)"}"#).events.map { $0["event"] } == [name])
    }

    @Test("A row of events that convert wrote is a reject, as rows of other tables are")
    func rejectsItsOwnRows() {
        let row =
            #"{"table":"events","at":"2026-03-02T10:15:00.000Z","event":"failed","product_id":"p","#
            + #""error_domain":"SKErrorDomain","error_code":2,"price":990,"source":"a","document":1}"#
        let reading = Reading(row)
        #expect(reading.events.isEmpty && reading.rejects.map(\.code) == ["sniff.unrecognized"])
    }

    /// Objects that hold errors; the failures in them.
    static let objects: [(String, [Failure])] = {
        let offline = Failure(["SKErrorDomain", "0"], under: ["NSURLErrorDomain", "-1009"], "network")
        let cancelled = Failure(["SKErrorDomain", "2"], "cancelled")
        let url = #"{"type":"NSURLErrorDomain","value":"offline","meta":{"domain":"NSURLErrorDomain","code":-1009}}"#
        let unknown = #"{"type":"SKErrorDomain","value":"An unknown error","meta":{"domain":"SKErrorDomain","code":0}}"#
        let line = #""Error Domain=SKErrorDomain Code=2 \"x\"""#
        let event = #"{"v":1,"event":"failed","product_id":"p","error":{"domain":"SKErrorDomain","code":5}}"#
        return [
            // Sentry: the outermost is the last.
            (#"{"exception":{"values":[\#(url),\#(unknown)]}}"#, [offline]),
            (
                #"{"contexts":{"x":\#(line)},"exception":{"values":[\#(url),\#(unknown)]},"message":\#(line)}"#,
                [offline]
            ),
            (
                #"{"exception":{"values":[\#(unknown)]},"breadcrumbs":{"values":[{"message":\#(line)}]}}"#,
                [Failure(["SKErrorDomain", "0"], "store")]
            ),
            (
                #"{"exceptions":[{"message":"(SKErrorDomain error 2.)"}],"meta":{"domain":"SKErrorDomain","code":2}}"#,
                [cancelled]
            ),
            (
                #"{"error":[{"title":"SKErrorDomain","code":"2"}],"logs":[{"message":\#(line)},{"message":\#(line)}]}"#,
                [cancelled]
            ),
            (#"{"breadcrumbs":[{"message":\#(line)}],"exception":{"values":[{"type":"EXC_BAD_ACCESS"}]}}"#, []),
            // Records of a list, and what stands beside an event.
            (
                #"{"batch":[\#(event),{"message":\#(line)},{"error":{"domain":"SKErrorDomain","code":2}}]}"#,
                [Failure(["SKErrorDomain", "5"], "catalogue"), cancelled, cancelled]
            ),
            (
                #"{"last":\#(event),"message":\#(line),"logs":[\#(line)]}"#,
                [Failure(["SKErrorDomain", "5"], "catalogue")]
            ),
            (
                #"{"message":\#(line),"history":[\#(event)]}"#,
                [cancelled, Failure(["SKErrorDomain", "5"], "catalogue")]
            ),
            (
                #"{"error":{"nsError":{"domain":"SKErrorDomain","code":2},"underlyingErrors":[{"domain":"ASDErrorDomain","code":500}]}}"#,
                [cancelled]
            ),
        ]
    }()

    @Test("An error with those under it is one failure; records of a list are one each", arguments: objects)
    func countsErrorsOfObjects(_ text: String, _ expected: [Failure]) {
        let reading = Reading(text)
        #expect(reading.events.map(Failure.init) == expected, "\(reading.rejects)")
    }

    @Test("A failure beside the transaction that it is about is counted, and so is the transaction")
    func countsFailuresBesideTransactions() {
        let transaction =
            #"{"transactionId":"200","originalTransactionId":"200","productId":"p","purchaseDate":1773066151000,"#
            + #""bundleId":"b","environment":"Production","type":"Consumable","signedDate":1773066151000}"#
        let reading = Reading(#"{"error":{"domain":"SKErrorDomain","code":0},"transaction":\#(transaction)}"#)
        #expect(reading.events.count == 1 && reading.transactions.count == 1, "\(reading.rejects)")
    }

    @Test(
        "A failure of a restore is one where the object around the error or the text before it says so",
        arguments: [
            (
                #"{"event":"restore_failed","properties":{"error":{"domain":"SKErrorDomain","code":2}}}"#,
                "restore_failed"
            ),
            (
                #"{"event":"Restore Failed","properties":{"error":{"domain":"SKErrorDomain","code":2}}}"#,
                "restore_failed"
            ),
            (#"{"event":"verify_failed","properties":{"error":{"domain":"SKErrorDomain","code":2}}}"#, "verify_failed"),
            (#"{"event":"Purchase Failed","properties":{"error":{"domain":"SKErrorDomain","code":2}}}"#, "failed"),
            (#"{"event":"failed","message":"Restore: Error Domain=SKErrorDomain Code=2"}"#, "restore_failed"),
            (
                #"{"message":"restoreCompletedTransactionsFailedWithError: Error Domain=SKErrorDomain Code=2"}"#,
                "restore_failed"
            ),
            (#"{"message":"App Store: Error Domain=SKErrorDomain Code=2 \"restore\""}"#, "failed"),
        ]
    )
    func tellsRestores(_ text: String, _ expected: String) {
        let reading = Reading(text)
        #expect(reading.events.map { $0["event"] } == [expected], "\(reading.rejects)")
    }

    /// Errors that are strings; the domain and code that they get, the class, and the message.
    static let texts: [(String, [String?])] = [
        (
            "The operation couldn’t be completed. (SKErrorDomain error 2.)",
            ["SKErrorDomain", "2", "cancelled", "The operation couldn’t be completed. (SKErrorDomain error 2.)"]
        ),
        ("ESKERRORDOMAIN4", ["SKErrorDomain", "4", "not_allowed", "ESKERRORDOMAIN4"]),
        (#"Error Domain=SKErrorDomain Code=5 \"weg\" UserInfo={}"#, ["SKErrorDomain", "5", "catalogue", "weg"]),
        (#"\u0053KErrorDomain: 2"#, ["SKErrorDomain", "2", "cancelled", "SKErrorDomain: 2"]),
        ("StoreKitError.userCancelled: no", ["StoreKitError.userCancelled", nil, "cancelled", "no"]),
        ("oops", [nil, nil, "unknown", "oops"]), ("error 500", [nil, nil, "unknown", "error 500"]),
        ("FailedTransaction Code=x", [nil, nil, "unknown", "FailedTransaction Code=x"]),
        ("password=geheim12", [nil, nil, "unknown", "password=***"]), ("", [nil, nil, nil, nil]),
    ]

    @Test(
        "An error that is a string is read as a line of a log is, and one that names none is the message",
        arguments: texts
    )
    func readsErrorTexts(_ text: String, _ expected: [String?]) throws {
        let row = try #require(Self.event("\"error\":\"\(text)\"").events.first)
        #expect(row["event"] == "failed")
        #expect(["error_domain", "error_code", "error_class", "error_message"].map { row[$0] } == expected)
    }

    @Test("The localized description is the message where there is no other")
    func readsLocalizedDescription() {
        let error = #"{"domain":"SKErrorDomain","code":2,"localizedDescription":"a""#
        #expect(Self.event("\"error\":\(error)}").events.first?["error_message"] == "a")
        #expect(Self.event("\"error\":\(error),\"message\":\"b\"}").events.first?["error_message"] == "b")
        #expect(Self.event(#""error":{"code":2,"localizedDescription":{"de":"a"}}"#).events.count == 1)
    }

    @Test("A case of StoreKit 2 is shown under another error, and over one")
    func namedChains() throws {
        let url = #"{"domain":"NSURLErrorDomain","code":-1009}"#
        let over = #"{"domain":"StoreKitError","code":"networkError","underlying":[\#(url)]}"#
        let network = Failure(["StoreKitError.networkError", nil], under: ["NSURLErrorDomain", "-1009"], "network")
        #expect(try Self.failure(over) == network)
        let under = #"{"domain":"MyDomain","code":1,"underlying":[{"domain":"StoreKitError","code":"notEntitled"}]}"#
        let entitled = Failure(["MyDomain", "1"], under: ["StoreKitError.notEntitled", nil], "integration")
        #expect(try Self.failure(under) == entitled)
    }

    @Test("Errors under one another deeper than anybody looks are still read to their end")
    func boundsChains() {
        let nested = (0..<40).reduce(#"{"domain":"SKErrorDomain","code":2}"#) { under, _ in
            #"{"domain":"D","code":1,"underlying":[\#(under)]}"#
        }
        #expect(Self.event("\"error\":\(nested)").events.count == 1)
    }

    @Test(
        "A value that its column cannot hold is a reject that names the member",
        arguments: [
            (#""ts":"noon""#, "receipt.date", "ts"),
            (#""error":7"#, "receipt.type", "error"), (#""error":[]"#, "receipt.type", "error"),
            (#""error":{"code":1,"underlying":7}"#, "receipt.type", "error › underlying"),
            (#""error":{"code":1,"underlying":[null]}"#, "receipt.type", "error › underlying"),
            (#""error":{"code":1,"underlying":[{"domain":"d","code":1},5]}"#, "receipt.type", "error › underlying"),
            (#""error":{"code":1,"underlying":[{1}]}"#, "json.syntax", "error › underlying"),
            (#""error":{"code":1,"underlying":[{"domain":}]}"#, "json.syntax", "error › domain"),
        ]
    )
    func rejectsOthers(_ members: String, _ code: String, _ path: String) throws {
        let reading = Self.event(members)
        #expect(reading.events.isEmpty)
        let reject = try #require(reading.rejects.first)
        #expect(reject.code == code)
        #expect(reject.path == path)
        #expect(reject.kind == "event")
    }

    /// Objects that are errors by themselves, with domain, code and class.
    static let bare: [(String, [String]?)] = [
        (#"{"domain":"SKErrorDomain","code":2}"#, ["SKErrorDomain", "2", "cancelled"]),
        (#"{"code":"5","userInfo":{"a":[1]},"domain":"SKErrorDomain"}"#, ["SKErrorDomain", "5", "catalogue"]),
        (
            #"{"domain":"NSURLErrorDomain","code":-1009,"localizedDescription":"off"}"#,
            ["NSURLErrorDomain", "-1009", "network"]
        ),
        (#"{"domain":"StoreKitError","code":"userCancelled"}"#, ["StoreKitError.userCancelled", "", "cancelled"]),
        (#"{"type":"SKErrorDomain","value":"Code: 2"}"#, ["SKErrorDomain", "2", "cancelled"]),
        (#"{"table":"sessions","domain":"SKErrorDomain","code":2}"#, ["SKErrorDomain", "2", "cancelled"]),
        (#"{"table":"events","error_domain":"SKErrorDomain","error_code":2}"#, nil),
        (#"{"domain":"example.com","code":2}"#, nil), (#"{"domain":"SKErrorDomain"}"#, nil),
        (#"{"domain":"SKErrorDomain","code":"x"}"#, nil), (#"{"domain":"SKErrorDomain","code":[2]}"#, nil),
        (#"{"code":2}"#, nil), (#"{"type":"renewal","value":2}"#, nil), ("{}", nil), ("[2]", nil),
        (#"{"domain":"#, nil),
    ]

    @Test("An object of a known domain and a code is an error by itself, any other is none", arguments: bare)
    func readsBareErrors(_ text: String, _ expected: [String]?) throws {
        let bytes = Array(text.utf8) + Array(repeating: 0, count: ByteBuffer.padding)
        var format = EventFormat()
        var cursor = JSONCursor(bytes.span.bytes, limit: text.utf8.count)
        #expect(format.recognizesError(at: cursor) == (expected != nil))
        guard let expected else { return }
        var rows = RowBatch()
        try format.decode(error: &cursor, into: &rows)
        #expect(cursor.position == text.utf8.count && rows.events.rowCount == 1)
        func cell(_ column: EventColumn) -> String {
            rows.events[column, 0].map { rows.dictionary.text(of: Int($0)) } ?? ""
        }
        #expect(cell(.event) == "failed")
        let code = rows.events[.errorCode, 0].map { String($0) } ?? ""
        #expect([cell(.errorDomain), code, cell(.errorClass)] == expected)
    }

    @Test("No key of an event tells another format: an event is told by its own members")
    func sharesNoTellingKey() {
        let names = Set(EventFormat.Key.allCases.map(\.name))
        for format in ReceiptFormatRegistry.all where format.name != EventFormat.name {
            let certain = Set(format.jsonKeys).subtracting(format.weakKeys)
            #expect(names.isDisjoint(with: certain), "\(format.name)")
        }
    }
}
