import ArgumentParser
import TillPipeline

extension SettlingFlag: DeclaredFlag {
    var entry: FlagEntry {
        let declaration = declaration
        let value: FlagEntry.Value =
            switch declaration.value {
            case .none: .none
            case .text: .text
            case .number: .number
            case .choice(let type): .choice(type)
            }
        let completion: FlagEntry.Completion? =
            declaration.traits.contains(.namesFile)
            ? .file : declaration.words.isEmpty ? nil : .words(declaration.words)
        return FlagEntry(
            name,
            value,
            valueName: valueName,
            isRepeatable: !declaration.traits.isDisjoint(with: [.isRepeatable, .refusesRepetition]),
            completion: completion,
            help: declaration.help
        )
    }
}

/// Flags of ``SettlingFlag`` that stand in one section of the help.
protocol SettlingSection: FlagSection where Flag == SettlingFlag {
    static var group: SettlingFlag.Group { get }
}

extension SettlingSection {
    static var flags: [SettlingFlag] { SettlingFlag.allCases.filter { $0.declaration.group == group } }

    static func check(_ flags: Flags<Self>) throws {
        for flag in Self.flags {
            if let problem = flag.declaration.check(flags.all(flag)) {
                throw ValidationError("--\(flag.name) \(problem)")
            }
        }
    }
}

enum PeriodSection: SettlingSection { static let group = SettlingFlag.Group.period }
enum MoneySection: SettlingSection { static let group = SettlingFlag.Group.money }
enum RowsSection: SettlingSection { static let group = SettlingFlag.Group.rows }
enum UngroupedSection: SettlingSection { static let group = SettlingFlag.Group.ungrouped }

/// A command that settles a report.
///
/// The sections are separate properties of each command: one group around all of them would slow down every start.
protocol SettlingCommand: ParsableCommand {
    associatedtype Period: FlagSection
    associatedtype Money: FlagSection
    associatedtype Rows: FlagSection
    associatedtype Ungrouped: FlagSection

    var period: Flags<Period> { get }
    var money: Flags<Money> { get }
    var rows: Flags<Rows> { get }
    var ungrouped: Flags<Ungrouped> { get }
}

extension SettlingCommand {
    var settings: Settings { Settings(period.given + money.given + rows.given + ungrouped.given) }
}
