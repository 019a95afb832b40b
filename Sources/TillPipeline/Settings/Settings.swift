import TillCore
import TillPricing
import TillReference

/// An option and its value, as on the command line.
public struct GivenOption: Sendable, Hashable {
    /// Without the dashes.
    public var name: String
    /// Empty where the option takes none.
    public var value: String

    /// Makes an option; its value is not checked.
    public init(_ flag: Flag, _ value: String) { self.init(flag.name, value) }

    /// Makes an option; neither its name nor its value is checked.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// The option that chooses apps; none where all are chosen.
    static func bundleIDs(_ ids: [String]) -> [GivenOption] {
        ids.isEmpty ? [] : [GivenOption("bundle-id", ids.sorted().joined(separator: ","))]
    }

    /// Whether its value is the path of a file, whose contents go into partials and manifests.
    var namesFile: Bool { Flag(rawValue: name)?.namesSettlingFile(value) ?? false }
}

/// A file that an option named.
public struct NamedFile: Sendable, Hashable {
    /// The path as the option gives it, by which the file is found again in a partial.
    public var path: String
    /// The contents of the file when the run read it.
    public var bytes: [UInt8]
}

/// The settling flags that were given, and the files that a partial brought with it.
public struct Settings: Sendable {
    /// Flags with one value, then those with several, each in the order of ``Flag``.
    public private(set) var given: [GivenOption] = []
    /// Files that a partial brought with it, in place of those of the same path.
    public var files: [NamedFile] = []
    /// The files that were read; shared with settings of another period.
    private(set) var contents = FileContents()

    /// Makes settings without any flag, so that all defaults apply.
    public init() {}

    /// Makes settings of the options that settle a report; other options are left out.
    ///
    /// - Parameter given: options in any order; of a flag that is not repeatable the last one counts.
    public init(_ given: [GivenOption]) {
        for isRepeatable in [false, true] {
            for flag in Flag.settling where flag.entry(for: .report).traits.contains(.isRepeatable) == isRepeatable {
                let values = given.filter { $0.name == flag.name }
                self.given += isRepeatable ? values : values.suffix(1)
            }
        }
    }

    /// The price list that was named.
    public var pricesPath: String? { self[.prices] }

    /// The value of a flag; `nil` if it was not given.
    subscript(flag: Flag) -> String? { given.first { $0.name == flag.name }?.value }

    /// These flags with others in place of those of a name; what was read of the files is kept.
    func replacing(_ flag: Flag, by options: [GivenOption]) -> Settings {
        var settings = Settings(given.filter { $0.name != flag.name } + options)
        (settings.files, settings.contents) = (files, contents)
        return settings
    }

    /// All values of a flag that is repeatable.
    func all(_ flag: Flag) -> [String] { given.filter { $0.name == flag.name }.map(\.value) }

    /// The case that a flag names; `nil` if it was not given.
    func choice<Choice: FlagChoice>(_ flag: Flag, as type: Choice.Type = Choice.self) -> Choice? {
        self[flag].flatMap(Choice.init(rawValue:))
    }

    /// The options of a partial, with these in place of those of the same name.
    ///
    /// A file that one of these options names is read anew, even where the partial brought a file of the same path.
    ///
    /// - Parameter files: the files that the partial brought with it.
    /// - Throws: where the partial has an option that this version does not know, or a value that it does not take.
    public func over(_ carried: [GivenOption], bringing files: [NamedFile] = []) throws(RunError) -> Settings {
        let names = Set(given.map(\.name))
        let options = carried.filter { !names.contains($0.name) } + given
        for option in options {
            guard let flag = Flag.settling.first(where: { $0.name == option.name }) else {
                throw RunError(.usage, NearestWord.unknown("flag", "--\(option.name)", among: []))
            }
            if let defect = flag.defect(of: option.value, for: .merge) { throw RunError(.usage, defect) }
        }
        var settings = Settings(options)
        let named = Set(given.filter(\.namesFile).map(\.value))
        settings.files = files.filter { !named.contains($0.path) }
        return settings
    }

    /// The files that are read; a file that a partial brought with it is not.
    var sideFiles: [OutputPaths.SideFile] {
        given.filter { option in option.namesFile && !files.contains { $0.path == option.value } }
            .map { OutputPaths.SideFile(option: "--\($0.name)", path: $0.value) }
    }

    /// The files that the flags name, with their contents.
    func readFiles() throws -> [NamedFile] {
        var seen: Set<String> = []
        return try given.filter { $0.namesFile && seen.insert($0.value).inserted }.map { option in
            let limit = PriceList.maximumByteCount
            let bytes = try bytes(of: option.value, option: "--\(option.name)", limit: limit)
            return NamedFile(path: option.value, bytes: bytes)
        }
    }

    /// The bytes of a file that an option names.
    func bytes(of path: String, option: String, limit: Int) throws -> [UInt8] {
        guard let file = files.first(where: { $0.path == path }) else {
            return try contents.bytes(of: path, option: option, limit: limit)
        }
        try ReferenceFile.check(file.bytes.count, of: path, option: option, limit: limit)
        return file.bytes
    }
}
