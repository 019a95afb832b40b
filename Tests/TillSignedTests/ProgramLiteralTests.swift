import Testing
import TillTestSupport

/// Objects as programming languages print them.
@Suite("Objects of programs")
struct ProgramLiteralTests {
    /// The language, and a response as it prints it.
    static let responses: [(String, String)] = [
        (
            "Python",
            #"{'status': 0, 'environment': 'Production', 'is_retryable': False, 'latest_receipt': None, 'receipt': {'bundle_id': "#
                + #""b", 'in_app': [{'transaction_id': '7', 'product_id': 'it\'s "p"', 'quantity': 1, "#
                + #"'purchase_date_ms': 1772442600000}]}}"#
        ),
        (
            "Python 2",
            #"{u'status': 0, u'environment': u'Production', u'receipt': {u'bundle_id': u'b', u'in_app': ({u'transaction_id': "#
                + #"u'7', u'product_id': u'it\'s "p"', u'quantity': 1L, u'purchase_date_ms': 1772442600000L},)}}"#
        ),
        (
            "Ruby",
            #"{"status"=>0, "environment"=>"Production", "latest_receipt"=>nil, :receipt=>{:bundle_id=>"b", "#
                + #""in_app"=>[{"transaction_id"=>"7", "product_id"=>"it's \"p\"", "quantity"=>1, "#
                + #""purchase_date_ms"=>"1772442600000"}]}}"#
        ),
        (
            "Node",
            #"{ status: 0, environment: 'Production', latest_receipt: undefined, receipt: { bundle_id: 'b', "#
                + #"in_app: [ { transaction_id: '7', product_id: 'it\'s "p"', quantity: 1, purchase_date_ms: '1772442600000', } ], }, }"#
        ),
        (
            "Java",
            #"{status=0, environment=Production, latest_receipt=null, receipt={bundle_id=b, in_app=[{transaction_id=7, "#
                + #"product_id="it's \"p\"", quantity=1, purchase_date_ms=1772442600000}]}}"#
        ),
        (
            "Swift",
            #"["status": 0, "environment": "Production", AnyHashable("receipt"): ["bundle_id": "b", "in_app": "#
                + #"[["transaction_id": Optional("7"), "product_id": "it\'s \"p\"", "quantity": 1, "purchase_date_ms": "#
                + #"1772442600000]]]]"#
        ),
        (
            "Foundation",
            #"{ environment = Production; receipt = { "bundle_id" = b; "in_app" = ( { "transaction_id" = 7; "product_id" = "#
                + #""it's \"p\""; quantity = 1; "purchase_date_ms" = 1772442600000; } ); }; status = 0; }"#
        ),
        (
            "Elixir",
            #"%{"status" => 0, "environment" => "Production", "receipt" => %{"bundle_id" => "b", "in_app" => [%{"#
                + #""transaction_id" => "7", "product_id" => "it's \"p\"", "quantity" => 1, "purchase_date_ms" => 1772442600000}]}}"#
        ),
        (
            "a data class of Kotlin",
            #"Response(status=0, environment=Production, latestReceipt=null, receipt=Receipt(bundleId=b, inApp=[InApp("#
                + #"transactionId=7, productId="it's \"p\"", quantity=1, purchaseDateMs=1772442600000)]))"#
        ),
        (
            "a class of Python",
            #"shop.Response(status=0, environment=<Environment.PRODUCTION: 'Production'>, receipt=Receipt(bundle_id='b', "#
                + #"in_app=[InApp(transaction_id='7', product_id='it\'s "p"', quantity=1, purchase_date_ms=1772442600000)]))"#
        ),
        (
            "a record of Java",
            #"Response[status=0, environment=Production, receipt=Receipt[bundle_id=b, in_app=[InApp[transaction_id=7, "#
                + #"product_id="it's \"p\"", quantity=1, purchase_date_ms=1772442600000]]]]"#
        ),
        (
            "a class of Java",
            #"Response{status=0, environment='Production', receipt=Receipt{bundle_id='b', in_app=[InApp{transaction_id='7', "#
                + #"product_id='it\'s "p"', quantity=1, purchase_date_ms=1772442600000}]}}"#
        ),
        (
            "a class of Node",
            #"Response { status: 0, environment: 'Production', receipt: Receipt { bundle_id: 'b', in_app: [ InApp { "#
                + #"transaction_id: '7', product_id: 'it\'s "p"', quantity: 1, purchase_date_ms: '1772442600000' } ] } }"#
        ),
        (
            "a structure of Swift",
            #"Response(status: 0, environment: Optional(Shop.Environment(rawValue: "Production")), receipt: Optional(Shop."#
                + #"Receipt(bundle_id: "b", in_app: [Shop.InApp(transaction_id: "7", product_id: "it\'s \"p\"", quantity: 1, "#
                + #"purchase_date: 2026-03-02 09:10:00 +0000)])))"#
        ),
        (
            "a structure of Ruby",
            #"#<struct Response status=0, environment="Production", receipt=#<OpenStruct bundle_id="b", in_app=[#<Shop::"#
                + #"InApp:0x000071 @transaction_id="7", @product_id="it's \"p\"", @quantity=1, "#
                + #"@purchase_date=2026-03-02 09:10:00 UTC>]>>"#
        ),
    ]

    @Test("A response is read in the notation of any language, alone and amid text", arguments: responses)
    func reads(_ language: String, _ text: String) {
        let plain = SignedReading(
            #"{"status":0,"environment":"Production","receipt":{"bundle_id":"b","in_app":[{"transaction_id":"7","#
                + #""product_id":"it's \"p\"","quantity":1,"purchase_date_ms":1772442600000}]}}"#
        )
        #expect(plain.transactions.count == 1)
        for line in [
            text, "2026-03-02 10:15:00 INFO response=\(text) in 12 ms",
            #"{"message":\#(Unsigned.quoted("got \(text)"))}"#,
        ] {
            let reading = SignedReading(line)
            #expect(reading.codes.isEmpty && reading.accepted == 1, "\(language): \(line): \(reading.rejects)")
            #expect(reading.transactions == plain.transactions, "\(language): \(line)")
        }
    }

    /// A transaction that would be read if it stood by itself.
    private static let transaction = #"{"transaction_id":"7","product_id":"p","purchase_date_ms":1772442600000}"#

    @Test("What an instance says outside of an object in it holds for that object")
    func readsWholeInstances() {
        for text in [
            "Response(status=21007, environment=Sandbox, receipt={in_app=[\(Self.transaction)]})",
            "got Response(status: 21007, environment: Sandbox, receipt: {\"in_app\":[\(Self.transaction)]}) in 5 ms",
            "#<Response status=21007, environment=\"Sandbox\", receipt={\"in_app\"=>[\(Self.transaction)]}>",
        ] {
            let reading = SignedReading(text)
            #expect(reading.transactions.isEmpty && reading.accepted == 1 && reading.codes.isEmpty, "\(text)")
            #expect(reading.documents.map { $0["status"] } == ["21007"], "\(text)")
            #expect(reading.documents.map { $0["environment"] } == ["sandbox"], "\(text)")
        }
        // What only tells of an error is a line, whose text is its message.
        let line = SignedReading("Failure(code: 2, domain: SKErrorDomain, status: x)")
        #expect(line.events.map { $0["error_code"] } == ["2"])
    }

    @Test(
        "What is cut or is no document is a reject, to the byte, with the code that it has as JSON",
        arguments: [
            ("{'status': 0, 'environment': 'Sandbox', 'receipt': [Object]}", "json.syntax"),
            ("x {'status': 0, 'environment': 'Sandbox', 'receipt': {'in_app': [...]}}", "json.syntax"),
            (
                "{ status: 0, environment: 'Sandbox', receipt: { in_app: [ [Object], ... 3 more items ] } }",
                "json.syntax"
            ),
            ("{'user': 'x', 'plan': 'pro'}", "json.syntax"), ("a { color: red; }", "sniff.unrecognized"),
            ("{'status': 21007, 'environment': 'Sandbox'", "json.syntax"),
            (#"{"status":21007,'environment':'Sandbox'}"#, "json.syntax"),
            ("x [\"status\", 21007]", "sniff.unrecognized"),
            ("if (x) { return {'a': 1}; }", "sniff.unrecognized"), ("{'status': f(1, 2)}", "json.syntax"),
            ("Response(status=21007, receipt=Receipt(f(1, 2), in_app=[\(transaction)]))", "json.syntax"),
            ("x Response[status=21007, environment=Sandbox, in_app=[\(transaction)", "json.syntax"),
            ("#<Response status=21007, receipt=#<Receipt ...>, in_app=[\(transaction)]>", "json.syntax"),
            ("Color(red=1, green=2) and Point(x: 1)", "sniff.unrecognized"),
            (
                "{" + String(repeating: "'a': {", count: 40) + "'status': 21007" + String(repeating: "}", count: 41),
                "json.syntax"
            ),
        ]
    )
    func refuses(_ text: String, _ code: String) {
        for stream in [text, text + "\n{\"status\":21003}\n"] {
            let reading = SignedReading(stream)
            #expect(reading.codes == [code] && reading.accepted == (stream == text ? 0 : 1), "\(reading.rejects)")
            #expect(reading.rejects.map(\.raw) == [Array(text.utf8)])
        }
    }

    @Test("Failures are read too, and the bytes behind a document are read as before")
    func readsFailures() {
        let reading = SignedReading("{'status': 21007}\n{\"status\":21003}\nx {'status': 21002} y\n{'status': 21005}")
        #expect(reading.documents.map { $0["status"] } == ["21007", "21003", "21002", "21005"])
        let event = SignedReading("got {'domain': 'SKErrorDomain', 'code': 2}")
        #expect(event.events.map { $0["error_code"] } == ["2"])
    }
}
