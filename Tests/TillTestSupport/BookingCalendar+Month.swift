public import TillCore
public import TillPricing

extension BookingCalendar {
    /// A month, written `2026-03`.
    public func month(_ text: String) throws(Finding) -> Period { try months(named: text) }
}
