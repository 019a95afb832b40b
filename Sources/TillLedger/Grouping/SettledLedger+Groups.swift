public import TillCore
public import TillPricing
import TillRows

extension SettledLedger {
    /// The number of a transaction's value for a key; ``GroupCode/unknown`` if the value is unknown.
    ///
    /// `date` is the date of the counted amount: the purchase of a sale, the booking of a refund.
    public static func code(
        of transaction: SettledTransaction,
        by key: GroupKey,
        at date: Timestamp?,
        in calendar: BookingCalendar
    ) -> Int64 {
        switch key {
        case .month: Self.code(of: date, by: .month, in: calendar)
        case .week: Self.code(of: date, by: .week, in: calendar)
        case .day: Self.code(of: date, by: .day, in: calendar)
        case .hour: Self.code(of: date, by: .hour, in: calendar)
        case .productID: transaction.product.map(Int64.init) ?? GroupCode.unknown
        case .currency: transaction.price.map { Int64($0.currency.packed) } ?? GroupCode.unknown
        case .saleKind: Int64(SaleKind.allCases.firstIndex(of: transaction.saleKind) ?? 0)
        case .storefront: text(transaction.facts.storefront)
        case .bundleID: text(transaction.facts.bundleID)
        case .appVersion: text(transaction.facts.appVersion)
        case .environment: text(transaction.facts.environment)
        case .productType: text(transaction.facts.productType)
        case .osVersion, .underlyingCode: GroupCode.unknown
        }
    }

    private static func code(of date: Timestamp?, by unit: CalendarUnit, in calendar: BookingCalendar) -> Int64 {
        date.map { calendar.code(of: $0, by: unit) } ?? GroupCode.unknown
    }

    private static func text(_ code: Int32) -> Int64 { code < 0 ? GroupCode.unknown : Int64(code) }

    /// The text of a code of a key; `nil` for an unknown value. An hour is named by its first instant.
    public func name(of code: Int64, by key: GroupKey) -> String? {
        guard code != GroupCode.unknown else { return nil }
        switch key {
        case .month, .week, .day, .hour: return key.unit.map { rules.calendar.name(of: code, by: $0) }
        case .currency: return CurrencyCode(packed: UInt32(truncatingIfNeeded: code)).description
        case .saleKind: return SaleKind.allCases[Int(code)].rawValue
        case .productID, .productType, .storefront, .bundleID, .appVersion, .osVersion, .underlyingCode, .environment:
            return text(of: Int(code))
        }
    }
}
