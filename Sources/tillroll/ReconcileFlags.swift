import ArgumentParser
import TillPipeline

/// The flags of a section for `reconcile`, whose help shows only those that it uses.
///
/// The others are parsed too, so that an error can say that they have no meaning for it.
enum Reconciling<Section: FlagSection>: FlagSection {
    static var flags: [Section.Flag] { Section.flags }

    static func entry(of flag: Section.Flag) -> FlagEntry {
        var entry = flag.entry
        if let flag = flag as? SettlingFlag {
            entry.isHidden = !ReconcileRun.uses(flag)
            if flag == .by { entry.help = { "Rows by storefront too: 'storefront'." } }
            if flag == .tz {
                entry.help = {
                    "The time zone in which days begin (default: \(ReconcileRun.usualTimeZone), as in Apple's reports)."
                }
            }
        } else if let flag = flag as? OutputFlag {
            entry.isHidden = [.partial, .manifest, .alert, .examples].contains(flag)
        }
        return entry
    }

    static func check(_ flags: Flags<Self>) throws { try Section.check(Flags<Section>(flags)) }
}
