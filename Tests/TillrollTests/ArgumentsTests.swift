import Testing
import TillPipeline
import TillTestSupport

@testable import tillroll

@Suite("Command lines")
struct ArgumentsTests {
    // MARK: Right ones

    /// Builds a command line from flags and values that are chosen first, so what must be read is known beforehand.
    @Test("Flags and values are read back in every spelling and order", arguments: Command.allCases)
    func readsBack(_ command: Command) throws {
        var random = SplitMix64(seed: UInt64(command.name.utf8.reduce(0) { $0 + Int($1) }))
        for _ in 0..<300 {
            var (words, given, operands) = ([String](), [Flag: [String]](), Self.operands(of: command))
            for flag in Flag.all(of: command).shuffled(using: &random).prefix(Int(random.next() % 6)) {
                guard let value = Self.value(of: flag, for: command) else { continue }
                let isRepeated = !flag.entry(for: command).traits.contains(.refusesRepetition) && random.next() % 3 == 0
                for _ in 0...(isRepeated ? 1 : 0) { words += Self.spelled(flag, value, command, &random) }
                given[flag] = isRepeated ? [value, value] : [value]
            }
            guard Flag.conflict(among: Array(given.keys), of: command) == nil else { continue }
            if random.next() % 4 == 0 {
                words += ["--"] + operands + ["--quiet"]
                operands.append("--quiet")
                if command.implementation.operands.last?.count == .one { continue }
                if command.implementation.operands.contains(where: { !$0.words.isEmpty && $0.count == .any }) {
                    continue
                }
            } else {
                words = operands + words
            }
            let arguments = try Arguments(words, of: command)
            #expect(arguments.operands == operands, "\(words)")
            for flag in Flag.all(of: command) {
                #expect(arguments.all(flag) == given[flag, default: []], "\(flag) in \(words)")
                #expect(arguments[flag] == given[flag]?.last ?? flag.entry(for: command).usual, "\(flag) in \(words)")
            }
        }
    }

    private static func operands(of command: Command) -> [String] {
        command.implementation.operands.map { $0.words.first ?? "in.ndjson" }
    }

    /// A right value; `nil` for flags whose form this test does not know.
    private static func value(of flag: Flag, for command: Command) -> String? {
        switch flag.entry(for: command).value {
        case .none: ""
        case .onOff: "true"
        case .text: "a=b -x"
        case .number(let range): String(range.lowerBound)
        case .word(let words): words.last
        case .list(let words): words.joined(separator: ",")
        case .form:
            ["1", "0.5", "2026-03-31T23:59:59Z", "0-10", "chains:3", "0:0", "64M", "120", "out"]
                .first { flag.defect(of: $0, for: command) == nil }
        }
    }

    private static func spelled(
        _ flag: Flag,
        _ value: String,
        _ command: Command,
        _ random: inout SplitMix64
    ) -> [String] {
        switch flag.entry(for: command).value {
        case .none, .onOff: return ["\(flag)"]
        case .text, .form, .number, .word, .list: break
        }
        if let short = flag.entry(for: command).short, random.next() % 2 == 0 {
            return random.next() % 2 == 0 ? ["-\(short)", value] : ["-\(short)\(value)"]
        }
        return random.next() % 2 == 0 ? ["\(flag)", value] : ["\(flag)=\(value)"]
    }

    @Test("The last value of a flag that is given twice counts, and all values of a repeatable one")
    func repeats() throws {
        let words = ["failures", "a.json", "-t", "html", "--format=json", "--fx", "x", "--fx=y", "-", "--jobs", "+3"]
        let arguments = try Arguments(words, of: .report)
        #expect(arguments.operands == ["failures", "a.json", "-"])
        #expect(arguments[.format] == "json" && arguments.all(.fx) == ["x", "y"])
        #expect(arguments.number(.jobs) == 3 && arguments[.trust] == "check" && !arguments.has(.trust))
        #expect(try Arguments(["--no-safe", "--safe", "--no-safe"], of: .convert)[.safe] == "false")
        #expect(try Arguments(["-1009", "--", "-5"], of: .codes).operands == ["-1009", "-5"])
    }

    // MARK: Wrong ones

    @Test(
        "A wrong word is named, with what is possible and the nearest",
        arguments: [
            (.report, [], "report needs <report>; choose revenue,"),
            (.report, ["revnue"], "there is no report 'revnue'; choose revenue, "),
            (
                .report, ["revenue", "--formt", "json"],
                "there is no flag '--formt' for report; did you mean '--format'?"
            ),
            (.report, ["revenue", "--form", "json"], "there is no flag '--form' for report; did you mean '--format'?"),
            (.report, ["revenue", "--json"], "there is no flag '--json' for report; did you mean '--format json'?"),
            (.report, ["revenue", "--against", "x"], "report has no flag --against, which is for prices check"),
            (.reconcile, ["--calendar", "x"], "reconcile has no flag --calendar, which is for report, merge, convert"),
            (.merge, [], "merge needs <partials>: partials, folders of them, or"),
            (.report, ["revenue", "--help=x"], "--help takes no value"),
            (.report, ["revenue", "-5"], "there is no flag '-5' for report"),
            (.report, ["revenue", "-x"], "there is no flag '-x' for report"),
            (.report, ["revenue", "-t", "jsno"], "there is no value 'jsno' for --format; choose table, "),
            (.report, ["revenue", "-t"], "--format needs a value: --format <format>"),
            (.report, ["revenue", "--rejects", "--quiet"], "--rejects needs a value: --rejects <file>"),
            (.report, ["revenue", "--column", ""], "--column needs a value: --column <name>"),
            (.report, ["revenue", "--column="], "--column needs a value: --column <name>"),
            (.report, ["revenue", "--detail=yes"], "--detail takes no value, such as 'yes'"),
            (.report, ["revenue", "--jobs", "many"], "--jobs takes a number from 1 to 256, not 'many'"),
            (.report, ["revenue", "--jobs", "-1"], "--jobs takes a number from 1 to 256, not '-1'"),
            (.report, ["revenue", "--max-ratio", "0"], "--max-ratio takes a number from 1, not '0'"),
            (
                .report, ["revenue", "--environment", "prod"],
                "there is no value 'prod' for --environment; choose production, "
            ),
            (.report, ["revenue", "--environment", "sandbox,sandbox"], "--environment names 'sandbox' twice"),
            (
                .report, ["revenue", "--prices", "a", "--prices", "b"],
                "--prices takes one file; put the rows of all into one"
            ),
            (.report, ["revenue", "--closed-partial"], "--closed-partial needs --partial"),
            (.report, ["revenue", "--as-of", "2026-03-31T23:59:59Z"], "--as-of needs --closed-partial"),
            (.report, ["revenue", "--watch", "--partial"], "--watch cannot be used with --partial; leave one out"),
            (.report, ["revenue", "-t", "csv", "--partial"], "--format cannot be used with --partial; give it to"),
            (.convert, ["--replace", "--append"], "--replace cannot be used with --append; leave one out"),
            (.convert, ["--safe=no"], "--safe takes no value, such as 'no'"),
            (.convert, ["--no-part"], "there is no flag '--no-part' for convert"),
            (.schema, ["evnts"], "there is no table 'evnts'; choose "),
            (.pricesFromStoreKit, ["a", "b"], "'b' is one operand too many"),
        ] as [(Command, [String], String)]
    )
    func refuses(_ command: Command, _ words: [String], _ message: String) throws {
        let error = try #require(throws: UsageError.self) { _ = try Arguments(words, of: command) }
        #expect(error.reason.hasPrefix(message), "\(error.reason)")
    }

    @Test(
        "An address of a network is refused where a file is meant, with what to pipe",
        arguments: [
            (.report, ["revenue", "s3://b/k"], "s3:// addresses are not read, since tillroll uses no network; pipe"),
            (.convert, ["a", "GS://b/k"], "gs:// addresses are not read"),
            (.merge, ["https://u:hunter2@h/p"], "https:// addresses are not read"),
            (.pricesFromStoreKit, ["file:///a"], "file:// addresses are not read; name the path alone"),
            (.report, ["revenue", "--", "hdfs://h/p"], "hdfs:// addresses are not read"),
            (.convert, ["a", "-o", "s3://b/k"], "--output: s3:// addresses are not written"),
            (.convert, ["a", "-o", "x-y+z.1://b/k"], "--output: x-y+z.1:// addresses are not written"),
            (.report, ["all", "--rejects=gs://b/k"], "--rejects: gs:// addresses are not written"),
            (.report, ["all", "--manifest=gs://b/k"], "--manifest: gs:// addresses are not written"),
            (.report, ["all", "--prices", "http://h/p"], "--prices: http:// addresses are not read"),
            (.report, ["all", "--compare", "http://h/p"], "--compare: http:// addresses are not read"),
            (.reconcile, ["--apple", "s3://b/k"], "--apple: s3:// addresses are not read"),
            (
                .verify, ["--anchor", "file:/a", "--anchor", "file:///a"],
                "--anchor takes a path; name it without file://"
            ),
        ] as [(Command, [String], String)]
    )
    func refusesAddresses(_ command: Command, _ words: [String], _ message: String) throws {
        let error = try #require(throws: UsageError.self) { _ = try Arguments(words, of: command) }
        #expect(error.reason.hasPrefix(message), "\(error.reason)")
        #expect(!error.reason.contains("hunter2"))
    }

    @Test(
        "A path with a colon is no address, and other flags take any text",
        arguments: ["a:/b", "./s3://b", "://b", "1://b"]
    )
    func takesPaths(_ path: String) throws {
        #expect(try Arguments(["revenue", path, "-o", path], of: .report).operands == ["revenue", path])
        #expect(try Arguments(["a", "--source", "s3://b/k"], of: .convert)[.source] == "s3://b/k")
        #expect(try Arguments(["s3://b"], of: .codes).operands == ["s3://b"])
    }

    // MARK: The table

    @Test(
        "The help, its short form and all completions name every flag that is not hidden",
        arguments: Command.allCases
    )
    func describes(_ command: Command) {
        let help = Help(width: 80)
        let (whole, short) = (help.whole(command), help.short(command))
        for flag in Flag.all(of: command) {
            let entry = flag.entry(for: command)
            let isShown = !entry.traits.contains(.isHidden)
            let form = flag.form(for: command)
            #expect(whole.contains("\(form)\n") || whole.contains("\(form)  ") == isShown, "\(flag)")
            #expect(short.contains(form) == isShown, "\(flag)")
            #expect(!isShown || entry.help.hasSuffix("."), "\(flag): \(entry.help)")
            for shell in CompletionScript.allCases where isShown {
                #expect(shell.text.contains(shell == .fish ? "-l \(flag.name)" : "\(flag)"))
            }
        }
        #expect(short.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(short)")
        #expect(Set(whole.split(separator: "\n").filter { $0.count > 80 }).allSatisfy { $0.hasPrefix("  ") })
    }

    @Test("Every flag is one of a command, and a usual value is a right one")
    func belongs() {
        for flag in Flag.allCases {
            #expect(Command.allCases.contains { flag.entry(for: $0).commands.contains($0) }, "\(flag)")
            for command in flag.entry(for: .report).commands {
                guard let usual = flag.entry(for: command).usual else { continue }
                #expect(flag.defect(of: usual, for: command) == nil, "\(flag) of \(command)")
            }
        }
    }
}
