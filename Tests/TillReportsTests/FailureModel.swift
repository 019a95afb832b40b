import TillCore
import TillLedger
import TillPricing
import TillRows
import TillTestSupport

/// The failures of rows, found row by row: the auditor of what the ledger counts.
struct FailureModel {
    struct Failure: Hashable {
        var domain: String?
        var code: Int64?
        /// By the names of keys.
        var values: [String: String]
        var at: Int64?
        var document: Int64
    }

    let failures: [Failure]

    /// - Parameter period: whose failures count; `nil` for all.
    init(_ rows: Rows, in period: Period?) {
        var failures = rows.events.compactMap(Self.failure)
        failures += Self.verifications(rows.documents)
        self.failures = failures.filter { failure in
            period?.contains(failure.at.map { Timestamp(milliseconds: $0) }) ?? true
        }
    }

    private static func counts(_ environment: RowValue?) -> Bool { [nil, "production"].contains(environment?.text) }

    private static func failure(_ row: Row<EventColumn>) -> Failure? {
        let names = ["failed", "restore_failed", "verify_failed", "product_request_failed"]
        guard counts(row[.environment]), names.contains(row[.event]?.text ?? "") else { return nil }
        var values = time(row[.at]?.number)
        for (column, name) in [
            (EventColumn.appVersion, "app_version"), (.osVersion, "os_version"), (.storefront, "storefront"),
            (.productID, "product_id"),
        ] {
            values[name] = row[column]?.text
        }
        return Failure(
            domain: row[.errorDomain]?.text,
            code: row[.errorCode]?.number,
            values: values,
            at: row[.at]?.number,
            document: row[.document]?.number ?? 0
        )
    }

    /// Responses that failed, without the 21007 that a success of the same request followed.
    private static func verifications(_ rows: [Row<DocumentColumn>]) -> [Failure] {
        let responses = rows.filter { $0[.kind]?.text == "verify" && $0[.status] != nil }
        return responses.compactMap { row in
            guard counts(row[.environment]), let status = row[.status]?.number, status != 0 else { return nil }
            let isFollowed = responses.contains { other in
                guard let request = row[.pairKey], other[.pairKey] == request,
                    [0, 21_006].contains(other[.status]?.number)
                else { return false }
                // A success without a time may have followed; a failure without one came before all.
                return (row[.loggedAt]?.number ?? .min) <= (other[.loggedAt]?.number ?? .max)
            }
            if status == 21_007, isFollowed { return nil }
            var values = time(row[.loggedAt]?.number)
            values["app_version"] = row[.appVersion]?.text
            return Failure(
                domain: "verifyReceipt",
                code: status,
                values: values,
                at: row[.loggedAt]?.number,
                document: row[.document]?.number ?? 0
            )
        }
    }

    /// The units of time of an instant, which are the beginnings of its text.
    private static func time(_ milliseconds: Int64?) -> [String: String] {
        guard let text = milliseconds.map({ Timestamp(milliseconds: $0).description }) else { return [:] }
        return [
            "month": String(text.prefix(7)), "day": String(text.prefix(10)), "hour": text.prefix(13) + ":00:00Z",
        ]
    }

    struct GroupKey: Hashable {
        var domain: String?
        var code: Int64?
        var values: [String?]
    }

    struct Group: Hashable {
        var count = 0
        var first: Int?
        var last: Int?
    }

    /// The failures of each domain, code and values of some keys.
    func groups(by keys: [String]) -> [GroupKey: Group] {
        var groups: [GroupKey: Group] = [:]
        for failure in failures {
            let key = GroupKey(domain: failure.domain, code: failure.code, values: keys.map { failure.values[$0] })
            var group = groups[key] ?? Group()
            group.count += 1
            if let hour = failure.at.map({ Timestamp(milliseconds: $0).hour }) {
                group.first = min(group.first ?? hour, hour)
                group.last = max(group.last ?? hour, hour)
            }
            groups[key] = group
        }
        return groups
    }
}
