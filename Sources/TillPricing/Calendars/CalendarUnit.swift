/// The units of time in which reports count.
public enum CalendarUnit: String, Sendable, CaseIterable {
    case hour, day, week, month
}
