import ArgumentParser
import Testing
import TillPipeline
import TillTestSupport

@testable import tillroll

@Suite("Command lines that are read without the parser")
struct PlainArgumentsTests {
    /// Values that flags of any kind are given: right ones, wrong ones, and ones that look like options.
    private static let values = [
        "-", "json", "out.html", "rows/", "2026-03", "24h", "5", "007", "+5", "-5", "0", "1e3", "month", "revenue",
        "auto", "never",
        "keep", "zstd", "production", "production,sandbox", "EUR", "half-even", "purchase", "gregorian", "z>4", "0.30",
        "10%",
        "64M", "UTC", "a=b", "ö", "--", "--quiet", "-o", "", " ", "month=2026-03", "0-10", "120", "none", "check",
        "2026-03-31T23:59:59Z",
    ]
    private static let operands = [
        "-", "Samples/verify", "revenue", "failures", "all", "a b", "é.json", "", "=", "report",
    ]

    /// Words of a command line: mostly flags of the command with values, sometimes shortened, joined or unknown.
    private static func words(_ command: any PlainCommand.Type, _ random: inout SplitMix64) -> [String] {
        let entries = command.sections.flatMap { $0.allEntries }
        var words = random.next() % 8 == 0 ? [] : [["revenue", "failures", "all"].randomElement(using: &random) ?? ""]
        for _ in 0..<Int(random.next() % 6) {
            guard random.next() % 4 != 0, let entry = entries.randomElement(using: &random) else {
                words.append(operands.randomElement(using: &random) ?? "")
                continue
            }
            words += spelling(of: entry, &random)
        }
        if random.next() % 16 == 0 { words.shuffle(using: &random) }
        return words
    }

    private static func spelling(of entry: FlagEntry, _ random: inout SplitMix64) -> [String] {
        var name = "--" + entry.name
        if let short = entry.short, random.next() % 2 == 0 { name = "-\(short)" }
        switch random.next() % 16 {
        case 0: name = String(name.dropLast())
        case 1: name = "--no-" + entry.name
        default: break
        }
        let value = values.randomElement(using: &random) ?? ""
        switch entry.value {
        case .none, .inverted: return random.next() % 16 == 0 ? [name + "=" + value] : [name]
        case .text, .number, .choice:
            switch random.next() % 8 {
            case 0: return [name]
            case 1, 2: return [name + "=" + value]
            case 3: return name.hasPrefix("--") ? [name, value] : [name + value]
            default: return [name, entry.usual ?? value]
            }
        }
    }

    @Test(
        "A command line that is plainly right gives the command of the parser; the parser judges every other one",
        arguments: [ReportCommand.self, ConvertCommand.self, MergeCommand.self] as [any PlainCommand.Type]
    )
    func equalsParser(_ command: any PlainCommand.Type) {
        var random = SplitMix64(seed: 24)
        var (plainCount, rightCount) = (0, 0)
        for _ in 0..<500 {
            let words = Self.words(command, &random)
            let plain = command.plain(words)
            let parsed = try? command.parseAsRoot(words) as? any PlainCommand
            if parsed != nil { rightCount += 1 }
            guard let plain else { continue }
            plainCount += 1
            #expect(parsed?.told == plain.told, "\(words)")
        }
        // What only the parser takes: shortened names, joined values, words that are empty or begin with a dash.
        #expect(plainCount > 50 && plainCount * 2 > rightCount, "\(plainCount) of \(rightCount)")
    }

    @Test(
        "What needs the parser is left to it",
        arguments: [
            [], ["--help"], ["revenue", "--"], ["revenue", "-h"], ["revenue", "--form", "json"], ["revenue", "-tjson"],
            ["revenue", "-t", "nothing"], ["revenue", "--jobs", "0"], ["revenue", "--jobs", "x"],
            ["revenue", "--jobs"],
            ["revenue", "--detail=yes"], ["revenue", "--since", "-5"], ["nothing"], ["revenue", ""], ["--version"],
        ]
    )
    func leavesRest(_ words: [String]) {
        #expect(ReportCommand.plain(words) == nil)
    }

    @Test("Usual values, repeated flags and both ways to write a value")
    func reads() throws {
        let words = [
            "failures", "a.json", "-t", "html", "--format=json", "--fx", "x", "--fx=y", "--detail", "-", "--jobs", "+3",
        ]
        let command = try #require(ReportCommand.plain(words))
        #expect(command.name == "failures" && command.inputs == ["a.json", "-"])
        #expect(command.output[.format] == "json" && command.output.has(.detail) && !command.output.has(.partial))
        #expect(command.money.all(.fx) == ["x", "y"])
        #expect(command.reading.number(.jobs) == 3 && command.reading[.trust] == "check")
        #expect(try #require(ConvertCommand.plain(["--no-safe"])).own[.safe] == "false")
    }
}

extension ReportCommand? {
    fileprivate static func == (command: Self, none: _OptionalNilComparisonType) -> Bool {
        if case .none = command { true } else { false }
    }
}

extension FlagSection {
    fileprivate static var allEntries: [FlagEntry] { flags.map(\.entry) }
}

extension PlainCommand {
    /// Everything that a command was told.
    fileprivate var told: [String] {
        var told: [String] = []
        switch self {
        case let report as ReportCommand:
            told = [report.name] + report.inputs
            told += report.own.words + report.settings.given.map(\.word) + report.output.words + report.reading.words
        case let convert as ConvertCommand:
            told = convert.inputs + convert.own.words + convert.period.words + convert.reading.words
        case let merge as MergeCommand:
            told =
                merge.partials + merge.own.words + merge.settings.given.map(\.word) + merge.memory.words
                + merge.division.words
            told += merge.output.words + merge.color.words
        default: break
        }
        return told
    }
}

extension Flags {
    fileprivate var words: [String] { given.map(\.word) }
}

extension GivenOption {
    fileprivate var word: String { "--\(name)=\(value)" }
}
