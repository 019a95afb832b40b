public import TillJSON

/// The JSON Schema (draft 2020-12) of a client event, for programs that check events before they send them.
///
/// ``EventFormat`` reads what the schema allows. The exceptions are in `docs/event-schema.md`: days that no calendar has,
/// and the decimals of a price that is a number. The schema is the contract of that page, so it refuses some values that
/// are also read, such as a boolean in place of a text, or a date in another notation.
public enum EventSchema {
    /// The version of the schema, as the events and their documentation name it.
    static let id = "tillroll-event/1"

    public static var json: JSONValue {
        .object([
            ("$schema", .text("https://json-schema.org/draft/2020-12/schema")), ("$id", .text(id)),
            ("title", .text("StoreKit client event")),
            ("description", .text("One JSON object for each event. Other members are allowed and are not read.")),
            ("type", .text("object")), ("required", .list([.text(EventFormat.Key.event.name)])),
            ("anyOf", .list(recognized)),
            ("not", row),
            ("properties", properties(of: EventFormat.Key.allCases.map { ($0.name, $0.schema) })),
            ("additionalProperties", .flag(true)),
            ("$defs", .object([("error", error)])),
        ])
    }

    /// A row of the table `events` that `convert` wrote.
    private static var row: JSONValue {
        let table = JSONValue.object([("const", .text("events"))])
        return .object([("properties", .object([("table", table)])), required("table")])
    }

    private static var error: JSONValue {
        .object([
            (
                "description",
                .text("An error and the errors under it. The first \(FailureClasses.chainLimit) of them are read.")
            ),
            ("type", .text("object")),
            ("properties", properties(of: EventFormat.ErrorKey.allCases.map { ($0.name, $0.schema) })),
            ("additionalProperties", .flag(true)),
        ])
    }

    /// The members that make an object an event, beside its name (`EventFormat.isEvent`).
    private static var recognized: [JSONValue] {
        func any(of members: UInt64) -> JSONValue {
            .list(EventFormat.Key.allCases.filter { $0.bit & members != 0 }.map { .object([required($0.name)]) })
        }
        let names = JSONValue.object([("enum", .list(EventName.all.map(JSONValue.text)))])
        return [
            .object([required(EventFormat.Key.version.name), ("anyOf", any(of: EventFormat.subjects))]),
            .object([
                ("properties", .object([(EventFormat.Key.event.name, names)])),
                ("anyOf", any(of: EventFormat.schemaKeys)),
            ]),
        ]
    }

    private static func required(_ name: String) -> (String, JSONValue) { ("required", .list([.text(name)])) }

    private static func properties(of members: [(name: String, schema: Member?)]) -> JSONValue {
        .object(members.compactMap { name, schema in schema.map { (name, $0.json) } })
    }

    /// What the schema says of one member.
    fileprivate struct Member {
        var description: String
        /// Keywords that restrict the value.
        var form: [(String, JSONValue)]
        var example: JSONValue

        init(_ form: [(String, JSONValue)], _ description: String, _ example: JSONValue) {
            (self.form, self.description, self.example) = (form, description, example)
        }

        var json: JSONValue {
            .object([("description", .text(description))] + form + [("examples", .list([example]))])
        }

        static func text(_ description: String, _ example: String) -> Member {
            Member(types("string", "number", "null"), description, .text(example))
        }

        static func id(_ description: String, _ example: JSONValue) -> Member {
            Member(types("string", "integer", "null"), description, example)
        }

        static func time(_ description: String, _ example: JSONValue) -> Member {
            let day = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
            let clock = #"[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?"#
            let zone = "([Zz]|[+-][0-9]{2}:[0-9]{2})"
            let pattern = "^(\(day)[Tt ]\(clock)\(zone)|" + #"[0-9]{1,19}(\.[0-9]+)?)?$"#
            return Member(types("string", "number", "null") + [("pattern", .text(pattern))], description, example)
        }

        static func any(_ description: String, _ example: JSONValue) -> Member { Member([], description, example) }

        static func underlying(_ description: String) -> Member {
            let list = JSONValue.object([("type", .text("array")), ("items", .object(reference))])
            let forms = [.object(reference), list, .object(types("null"))]
            return Member([("anyOf", .list(forms))], description, .list([error("NSURLErrorDomain", -1009)]))
        }

        static let reference: [(String, JSONValue)] = [("$ref", .text("#/$defs/error"))]

        static func error(_ domain: String, _ code: Int) -> JSONValue {
            .object([("domain", .text(domain)), ("code", .number(code))])
        }

        static func types(_ names: String...) -> [(String, JSONValue)] {
            [("type", names.count == 1 ? .text(names[0]) : .list(names.map(JSONValue.text)))]
        }
    }
}

extension EventFormat.Key {
    /// `nil` for a member that collectors add.
    fileprivate var schema: EventSchema.Member? {
        typealias Member = EventSchema.Member
        return switch self {
        case .version: Member(Member.types("integer", "string"), "version of the schema, 1", .number(1))
        case .sentAt:
            .time(
                "time on the device: RFC 3339, or a number of seconds, milliseconds, microseconds or nanoseconds",
                .text("2026-03-02T10:16:01.120Z")
            )
        case .event: Member(Member.types("string"), "name of the event", .text("failed"))
        case .interface:
            Member(Member.types("string", "null"), "sk1 or sk2; used only to recognise an event", .text("sk2"))
        case .bundleID: .text("bundle id of the app", "com.example.app")
        case .appVersion: .text("version of the app", "5.2.0")
        case .osVersion: .text("version of the system", "18.4")
        case .storefront: .text("ISO 3166-1 code of three letters", "DEU")
        case .productID: .text("id of the product", "coins.100")
        case .quantity:
            Member(
                Member.types("integer", "string", "null") + [
                    ("minimum", .number(Int(Int32.min))), ("maximum", .number(Int(Int32.max))),
                    ("pattern", .text("^([+-]?[0-9]{1,9})?$")),
                ],
                "number of products, as number or text",
                .number(1)
            )
        case .transactionID: .id("id of the transaction, as text or number", .text("2000000112"))
        case .originalTransactionID: .id("id of the original transaction, as text or number", .number(2_000_000_111))
        case .error:
            Member(
                [("anyOf", .list([.object(Member.reference), .object(Member.types("string", "null"))]))],
                "an error, or a text such as the description of an NSError",
                Member.error("SKErrorDomain", 2)
            )
        case .price:
            Member(
                Member.types("number", "string", "null") + [
                    ("pattern", .text(#"^([+-]?[0-9]{1,15}(\.([0-9]{1,2}|[0-9]{3}(0{0,2}|(000|999)[0-9]*)))?)?$"#))
                ],
                "decimal number or text with up to three decimals, also with the noise of a binary fraction "
                    + "(114.98999999999997952 is 114.99)",
                .text("9.99")
            )
        case .currency: .text("ISO 4217 code", "EUR")
        case .receivedAt:
            .time(
                "time at the collector; used if ts is missing, impossible (before 10 July 2008, or from 2100 on) "
                    + "or later",
                .number(1_772_446_561_500)
            )
        case .app: .any("any value; not used", .text("game"))
        case .os: .text("name of the system", "iOS")
        case .deviceModel: .any("any value; not used", .text("iPhone17,1"))
        case .accountHash: .text("the customer; account_token in the table", "5f2b8c0e")
        case .sessionID: .text("the session", "b41c77")
        case .attemptID:
            .text(
                "the same for all events of one attempt; without it, transaction_id identifies the attempt, else each "
                    + "event is an attempt",
                "971e9c7156"
            )
        case .durationMilliseconds: .any("any value; not used", .number(120))
        case .environment:
            .text("Production or Sandbox in any spelling; environment is read if env is missing", "Production")
        case .extra:
            .any(
                "any value; receipts and signed transactions in it are read as further documents",
                .object([("screen", .text("shop"))])
            )
        case .loggedAtMilliseconds, .loggedAt, .timestamp, .atTimestamp, .time, .date, .realtimeTimestamp,
            .tsMilliseconds, .environmentAround, .table:
            nil
        }
    }
}

extension EventFormat.ErrorKey {
    fileprivate var schema: EventSchema.Member? {
        typealias Member = EventSchema.Member
        return switch self {
        case .domain: .text("the domain, or the name of the type in Swift", "SKErrorDomain")
        case .code: .id("a number, or a name such as paymentCancelled", .number(2))
        case .message: .text("the text; personal data in it is masked", "An unknown error occurred")
        case .underlying: .underlying("a list of errors of the same form, or one error")
        case .localizedDescription: .text("the text if message is missing", "An unknown error occurred")
        case .userInfo:
            Member(
                Member.types("object", "null"),
                "errors under NSUnderlyingError and NSMultipleUnderlyingErrorsKey are read; other members are not used",
                .object([("NSUnderlyingError", Member.error("NSURLErrorDomain", -1009))])
            )
        case .underlyingErrors, .underlyingError: .underlying("the same as underlying")
        }
    }
}
