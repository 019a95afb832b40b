import Foundation
import Testing
import TillJSON
import TillTestSupport

@testable import TillReceipts

/// The JSON Schema of an event agrees with `docs/event-schema.md` and with what the reader does.
@Suite("Schema of events")
struct EventSchemaTests {
    private static let page = Fixtures.package.appending(path: "docs/event-schema.md")

    private static func text(_ value: JSONValue) -> String {
        var json: [UInt8] = []
        value.write(to: &json)
        return String(decoding: json, as: UTF8.self)
    }

    /// The text of a value with its members in the order of their names.
    private static func sorted(_ value: Any) throws -> String {
        let data = try JSONSerialization.data(withJSONObject: value, options: [.sortedKeys, .fragmentsAllowed])
        return String(decoding: data, as: UTF8.self)
    }

    private static func schema() throws -> SchemaCheck {
        try SchemaCheck(root: #require(SchemaCheck.parse(text(EventSchema.json)) as? [String: Any]))
    }

    /// The rows of a table of the page as the schema has them: description and example by member.
    private static func rows(below heading: String) throws -> [String: [String]] {
        let text = try String(contentsOf: page, encoding: .utf8)
        let start = try #require(text.range(of: heading)).upperBound
        let lines = text[start...].split(separator: "\n", omittingEmptySubsequences: false)
        let rows = lines.dropFirst(2).prefix { $0.hasPrefix("|") }
        return Dictionary(
            uniqueKeysWithValues: rows.map { line in
                let cells = line.split(separator: "|").map {
                    $0.replacing("`", with: "").trimmingCharacters(in: .whitespaces)
                }
                return (cells[0], Array(cells[1...]))
            }
        )
    }

    @Test(
        "The page and the schema have the same members, with the same descriptions and examples",
        arguments: [("| member | value | example |", false), ("| member of `error` | value | example |", true)]
    )
    func agreesWithThePage(_ heading: String, _ isOfError: Bool) throws {
        let root = try Self.schema().root
        let object = isOfError ? ((root["$defs"] as? [String: Any])?["error"] as? [String: Any]) : root
        let properties = try #require(object?["properties"] as? [String: [String: Any]])
        let rows = try Self.rows(below: heading)
        #expect(Set(rows.keys) == Set(properties.keys))
        for (name, property) in properties {
            let row = try #require(rows[name])
            #expect(row.first == property["description"] as? String, "\(name)")
            let examples = try #require(property["examples"] as? [Any])
            #expect(examples.count == 1)
            #expect(try Self.sorted(#require(SchemaCheck.parse(row[1]))) == Self.sorted(examples[0]), "\(name)")
        }
    }

    @Test("The schema has the names of events that the page has")
    func agreesOnNames() throws {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        let start = try #require(text.range(of: "| `event` | meaning |")).upperBound
        let end = try #require(text.range(of: "An event that has an error")).lowerBound
        let names = text[start..<end].split(separator: "\n").dropFirst().flatMap { line in
            line.split(separator: "|")[0].matches(of: #/`(\w+)`/#).map { String($0.1) }
        }
        #expect(Set(names) == Set(EventName.all))
    }

    @Test("The examples of the page are events, for the reader and for the schema")
    func pageExamples() throws {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        let block = text.split(separator: "\n").filter { $0.hasPrefix("    ") }.joined()
        let examples = block.split(separator: "    {\"v\"").map { "{\"v\"" + $0.replacing("    ", with: "") }
        #expect(examples.count == 2)
        for example in examples { try check(example, isValid: true) }
    }

    @Test("The example of each member is read, and the schema allows it")
    func memberExamples() throws {
        for (name, row) in try Self.rows(below: "| member | value | example |") where name != "event" && name != "v" {
            try check(#"{"v":1,"event":"failed","api":"sk2","\#(name)":\#(row[1])}"#, isValid: true)
        }
        for (name, row) in try Self.rows(below: "| member of `error` | value | example |") {
            try check(#"{"event":"failed","error":{"\#(name)":\#(row[1])}}"#, isValid: true)
        }
    }

    @Test(
        "The schema allows values that the reader reads without a loss",
        arguments: [
            #"{"event":"failed","error":{"code":"userCancelled","underlying":{"domain":"d","underlying":[]}}}"#,
            #"{"event":"failed","error":"The operation couldn’t be completed. (SKErrorDomain error 2.)"}"#,
            #"{"event":"failed","error":null}"#, #"{"event":"purchased","transaction_id":2000000112}"#,
            #"{"event":"tapped","v":1,"bundle_id":null}"#, #"{"event":"failed","env":"PROD"}"#,
            #"{"event":"failed","env":"x","ts":1772446500.125,"received_at":"1772446500125"}"#,
            #"{"event":"failed","env":"x","ts":"2026-03-02T12:15:00+02:00","price":"4.9900000000000002"}"#,
            #"{"event":"failed","env":"x","ts":"","price":"","quantity":"","other":[1]}"#,
            #"{"event":"failed","env":"x","price":9.99,"quantity":"-3","app_version":5.2}"#,
            #"{"event":"failed","env":"x","price":"0.98999999999999999"}"#,
        ]
    )
    func allows(_ event: String) throws {
        try check(event, isValid: true)
    }

    @Test(
        "The schema refuses values that the reader rejects, or leaves unread",
        arguments: [
            #"{"event":"failed"}"#, #"{"event":"tapped","env":"x"}"#, #"{"event":"tapped","v":1}"#,
            #"{"event":"failed","price":1}"#, #"{"event":"failed","env":["x"]}"#,
            #"{"event":"failed","env":"x","ts":"yesterday"}"#, #"{"event":"failed","env":"x","ts":true}"#,
            #"{"event":"failed","env":"x","quantity":1.5}"#, #"{"event":"failed","env":"x","quantity":99999999999}"#,
            #"{"event":"failed","env":"x","quantity":"many"}"#, #"{"event":"failed","product_id":["p"]}"#,
            #"{"event":"failed","env":"x","price":"9,99"}"#, #"{"event":"failed","env":"x","price":"4.9995"}"#,
            #"{"event":"failed","env":"x","price":true}"#, #"{"event":"failed","transaction_id":{"a":1}}"#,
            #"{"event":"failed","error":2}"#, #"{"event":"failed","error":["x"]}"#,
            #"{"event":"failed","error":{"domain":"d","code":true}}"#, #"{"event":"failed","error":{"code":1.5}}"#,
            #"{"event":"failed","error":{"domain":["d"]}}"#, #"{"event":"failed","error":{"underlying":"d"}}"#,
            #"{"event":"failed","error":{"underlying":[{"code":{"a":1}}]}}"#,
            #"{"event":"failed","error":{"underlying":[null]}}"#, #"{"table":"events","event":"failed","env":"x"}"#,
        ]
    )
    func refuses(_ event: String) throws {
        try check(event, isValid: false)
    }

    private func check(_ event: String, isValid: Bool) throws {
        let reading = Reading(event)
        let isRead = reading.events.count == 1 && reading.rejects.isEmpty && reading.unread == 0
        #expect(isRead == isValid, "the reader: \(event) \(reading.rejects)")
        let value = try #require(SchemaCheck.parse(event))
        #expect(try Self.schema().allows(value) == isValid, "the schema: \(event)")
    }
}

/// A check of a value by the keywords of JSON Schema that the schema of events uses.
private struct SchemaCheck {
    let root: [String: Any]

    /// Keywords that say nothing about a value.
    private static let notes: Set = [
        "$schema", "$id", "$defs", "title", "description", "examples", "additionalProperties",
    ]

    static func parse(_ json: String) -> Any? {
        try? JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed)
    }

    func allows(_ value: Any) throws -> Bool { try allows(value, root) }

    private func allows(_ value: Any, _ schema: [String: Any]) throws -> Bool {
        for (keyword, rule) in schema where !Self.notes.contains(keyword) {
            guard try allows(value, keyword, rule) else { return false }
        }
        return true
    }

    private func allows(_ value: Any, _ keyword: String, _ rule: Any) throws -> Bool {
        let object = value as? [String: Any]
        switch keyword {
        case "$ref":
            #expect(rule as? String == "#/$defs/error")
            return try allows(value, #require((root["$defs"] as? [String: [String: Any]])?["error"]))
        case "type":
            let kinds = kinds(of: value)
            return (rule as? [String] ?? [rule as? String ?? ""]).contains(where: kinds.contains)
        case "required": return try object == nil || #require(rule as? [String]).allSatisfy { object?[$0] != nil }
        case "properties":
            return try #require(rule as? [String: [String: Any]]).allSatisfy { name, schema in
                try object?[name].map { try allows($0, schema) } ?? true
            }
        case "items": return try (value as? [Any] ?? []).allSatisfy { try allows($0, #require(rule as? [String: Any])) }
        case "anyOf": return try #require(rule as? [[String: Any]]).contains { try allows(value, $0) }
        case "not": return try !allows(value, #require(rule as? [String: Any]))
        case "enum": return try #require(rule as? [String]).contains(value as? String ?? "")
        case "const": return value as? String == rule as? String
        case "pattern": return try (value as? String)?.contains(Regex(#require(rule as? String))) ?? true
        case "minimum", "maximum":
            guard kinds(of: value).contains("number") else { return true }
            let number = try #require(value as? NSNumber).doubleValue
            let limit = try #require(rule as? Double)
            return keyword == "minimum" ? number >= limit : number <= limit
        default:
            Issue.record("\(keyword) is not checked")
            return false
        }
    }

    private func kinds(of value: Any) -> [String] {
        switch value {
        case is NSNull: ["null"]
        case is String: ["string"]
        case is [Any]: ["array"]
        case is [String: Any]: ["object"]
        case let number as NSNumber where String(cString: number.objCType) == "c": ["boolean"]
        case let number as NSNumber:
            number.doubleValue == number.doubleValue.rounded() ? ["integer", "number"] : ["number"]
        default: []
        }
    }
}
