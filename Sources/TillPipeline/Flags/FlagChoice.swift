import TillLedger
import TillPricing
import TillReceipts

/// An enumeration whose raw values are the words that a flag takes.
public protocol FlagChoice: RawRepresentable<String>, CaseIterable, Sendable {}

extension LedgerRules.RefundDating: FlagChoice {}
extension CalendarKind: FlagChoice {}
extension Conversion.DateRule: FlagChoice {}
extension Conversion.GapRule: FlagChoice {}
extension Rounding: FlagChoice {}
extension SignatureOptions.Mode: FlagChoice {}

/// The words for when to show progress or colours.
public enum Showing: String, FlagChoice {
    case auto, always, never
}
