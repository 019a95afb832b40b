/// The division of days into accounting periods.
public enum CalendarKind: String, Sendable, CaseIterable {
    /// Months of the Gregorian calendar.
    case gregorian
    /// Apple's fiscal months: weeks from Sunday to Saturday, quarters of 5, 4 and 4 weeks.
    case appleFiscal = "apple-fiscal"
    /// Weeks of ISO 8601, Monday to Sunday; it has no months.
    case isoWeek = "iso-week"

    /// The accounting period: the unit by which reports group amounts by default.
    public var period: CalendarUnit { self == .isoWeek ? .week : .month }
}
