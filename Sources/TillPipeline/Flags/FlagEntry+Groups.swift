/// Entries of one group, which have their commands, group and traits in common.
extension FlagEntry {
    static func period(
        _ value: Value,
        valueName: String,
        help: @escaping @Sendable () -> String
    ) -> FlagEntry {
        FlagEntry([.report, .merge, .reconcile, .convert], .period, value, valueName: valueName, .settles, help: help)
    }

    static func money(
        of commands: [Command] = Command.settling,
        _ value: Value,
        valueName: String? = nil,
        _ traits: Traits = [],
        proposing proposals: [String] = [],
        help: @escaping @Sendable () -> String
    ) -> FlagEntry {
        FlagEntry(
            commands,
            .money,
            value,
            valueName: valueName,
            proposals: proposals,
            traits.union(.settles),
            help: help
        )
    }

    static func reading(
        _ value: Value,
        valueName: String? = nil,
        usual: String? = nil,
        _ traits: Traits = [],
        help: @escaping @Sendable () -> String
    ) -> FlagEntry {
        FlagEntry(Command.reading, .reading, value, valueName: valueName, usual: usual, traits, help: help)
    }
}

extension FlagEntry.Condition {
    /// For parts of a report: only a partial may be of less than all inputs.
    static let partOfReport = Self(.partial, "because a report is of all its inputs")
    /// For what is decided where partials are merged.
    static let partial = Self(.partial, "give it to 'tillroll merge'")
}
