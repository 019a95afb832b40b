import TillLedger
import TillPricing

// The choices of a report as people read them in its settings.

extension CalendarKind {
    var words: String {
        switch self {
        case .gregorian: "Gregorian months"
        case .appleFiscal: "Apple's fiscal months"
        case .isoWeek: "ISO weeks"
        }
    }
}

extension LedgerRules.RefundDating {
    var words: String {
        switch self {
        case .refund: "by the day of the refund"
        case .purchase: "by the day of the purchase"
        }
    }
}

extension Conversion.DateRule {
    var words: String {
        switch self {
        case .monthAverage: "mean of the month"
        case .monthEnd: "last day of the month"
        case .purchaseDate: "day of purchase"
        }
    }
}

extension Rounding {
    var words: String {
        switch self {
        case .halfEven: "half to even"
        case .halfUp: "half up"
        }
    }
}
