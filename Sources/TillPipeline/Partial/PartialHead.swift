import TillCore
public import TillLedger
import TillStorage

/// The head of a partial: data about the run that wrote it, before the ledger.
public struct PartialHead: Sendable, Equatable {
    /// The report that it is a part of.
    public var report: String
    /// The options for reading rows; equal in all parts of a report.
    public var reading: [GivenOption]
    /// The additional data that the ledger keeps; equal in all parts of a report.
    public var needs: LedgerNeeds
    /// The options for settling; a merge may replace them.
    public var settling: [GivenOption]
    /// The files that options of ``settling`` name, with their contents, so that a merge need not find them.
    public var files: [NamedFile] = []

    /// Makes a head without files; the files that options of `settling` name must be added.
    public init(report: String, reading: [GivenOption], needs: LedgerNeeds, settling: [GivenOption]) {
        self.report = report
        self.reading = reading
        self.needs = needs
        self.settling = settling
    }

    /// The options for settling; for a file, its contents instead of its name.
    private func rules(without names: Set<String>) -> [(name: String, value: [UInt8])] {
        settling.filter { !names.contains($0.name) }.map { option in
            let file = option.namesFile ? files.first { $0.path == option.value } : nil
            return (option.name, file?.bytes ?? Array(option.value.utf8))
        }
    }

    /// The environments that were counted.
    public var environments: EnvironmentFilter { EnvironmentFilter(list("environment")) }

    /// How signatures were checked.
    var trust: String { list("trust").first ?? "off" }

    /// The apps whose documents were read; empty for all.
    var bundleIDs: [String] { list("bundle-id") }

    private func list(_ name: String) -> [String] {
        let value = reading.first { $0.name == name }?.value ?? ""
        return value.split(separator: ",").map(String.init)
    }

    /// Why this partial and the partial `name` cannot be parts of one report, as a clause; `nil` if they can.
    ///
    /// - Parameter chosen: names of options by which the report will be settled; `nil` if that cannot be chosen any
    ///   more.
    func difference(from other: PartialHead, named name: String, choosing chosen: Set<String>?) -> String? {
        guard report == other.report else {
            return "is a part of report '\(report)', not '\(other.report)' as in \(name)"
        }
        if let difference = readingDifference(from: other, named: name) { return difference }
        guard needs == other.needs else { return "was read with other options than \(name)" }
        return settledDifference(from: other, choosing: chosen ?? []).map {
            "carries another --\($0) than \(name); "
                + (chosen == nil ? "closed partials need the same settings" : "give --\($0) to choose")
        }
    }

    /// The first option for reading with different values in the two partials, as a clause; `nil` if there is none.
    private func readingDifference(from other: PartialHead, named name: String) -> String? {
        func values(_ options: [GivenOption], _ name: String) -> String? {
            let values = options.filter { $0.name == name }.map(\.value)
            return values.isEmpty ? nil : values.joined(separator: ",")
        }
        for option in (reading + other.reading).map(\.name) {
            switch (values(reading, option), values(other.reading, option)) {
            case (let mine?, let theirs?) where mine != theirs:
                return "was read with --\(option) \(mine), not \(theirs) as in \(name)"
            case (let mine?, nil): return "was read with --\(option) \(mine), and \(name) without it"
            case (nil, let theirs?): return "was read without --\(option), and \(name) with \(theirs)"
            default: continue
            }
        }
        return nil
    }

    /// The name of an option with different values in the two partials; `nil` if there is none.
    func settledDifference(from other: PartialHead, choosing chosen: Set<String> = []) -> String? {
        let (mine, theirs) = (rules(without: chosen), other.rules(without: chosen))
        let all = Set(mine.map(\.name)).union(theirs.map(\.name)).sorted()
        return all.first { name in
            mine.filter { $0.name == name }.map(\.value) != theirs.filter { $0.name == name }.map(\.value)
        }
    }

    // MARK: Bytes

    func encode() -> [UInt8] {
        var writer = PartialWriter()
        writer.write(text: report)
        writer.write(word: needs.rawValue)
        for options in [reading, settling] {
            writer.write(count: options.count)
            for option in options {
                writer.write(text: option.name)
                writer.write(text: option.value)
            }
        }
        writer.write(count: files.count)
        for file in files {
            writer.write(text: file.path)
            writer.write(blob: file.bytes)
        }
        return writer.bytes
    }

    init(_ payload: RawSpan, offset: Int) throws(Finding) {
        var cursor = PartialCursor(payload, base: offset)
        report = try cursor.text()
        needs = LedgerNeeds(rawValue: try cursor.word(as: UInt32.self))
        reading = try Self.options(&cursor)
        settling = try Self.options(&cursor)
        for _ in 0..<(try cursor.count(ofSize: 2)) {
            let path = try cursor.text()
            files.append(NamedFile(path: path, bytes: try cursor.blob()))
        }
        try cursor.finish()
    }

    private static func options(_ cursor: inout PartialCursor) throws(Finding) -> [GivenOption] {
        var options: [GivenOption] = []
        for _ in 0..<(try cursor.count(ofSize: 2)) {
            let name = try cursor.text()
            options.append(GivenOption(name, try cursor.text()))
        }
        return options
    }
}
