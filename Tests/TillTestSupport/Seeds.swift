import Foundation

/// Chooses the seeds with which a test of random data runs.
///
/// A run that checks a change takes a few seeds of each range: the first four, which are the same in every run, and one
/// that the change draws. The id of its git tree (`TILLROLL_TREE`) draws it, so the same files draw the same seeds again,
/// and other files draw others. The nightly run takes all seeds (`TILLROLL_SEEDS=all`).
///
///     range 1...150     1 2 3 4 · · · · · · 97 · · · · ·
///                       fixed               drawn
///
/// It is for samples of random data alone. A test of a rule runs with all its values.
public struct Seeds: Sendable {
    /// The number of seeds at the beginning of a range with which every run is made.
    public static let fixedCount = 4

    private let takesAll: Bool
    private let tree: String?

    /// - Parameters:
    ///   - takesAll: whether whole ranges are taken.
    ///   - tree: the id of a git tree; `nil` if no seed is drawn.
    public init(takesAll: Bool = false, tree: String? = nil) {
        self.takesAll = takesAll
        self.tree = tree
    }

    /// The seeds of `range` for this run of the tests: at least one, none of them twice.
    ///
    /// - Parameter fixed: how many seeds every run has. A test whose seeds choose among more than four cases gives the
    ///   number of the cases.
    public static func some<Domain: RandomAccessCollection>(
        of range: Domain,
        fixed: Int = Self.fixedCount
    ) -> [Domain.Element] where Domain.Element: FixedWidthInteger {
        ofEnvironment.some(of: range, fixed: fixed)
    }

    /// The seeds of `range` for this choice: at least one, none of them twice.
    public func some<Domain: RandomAccessCollection>(
        of range: Domain,
        fixed: Int = Self.fixedCount
    ) -> [Domain.Element] where Domain.Element: FixedWidthInteger {
        guard let first = range.first, let last = range.last else { preconditionFailure("a test has no seeds") }
        guard !takesAll else { return Array(range) }
        let others = range.dropFirst(fixed)
        guard let tree, !others.isEmpty else { return Array(range.prefix(fixed)) }
        // The bounds are part of the text, so that ranges draw different places.
        let place = Int(Self.hash("\(tree) \(first) \(last)") % UInt64(others.count))
        return range.prefix(fixed) + [others[others.index(others.startIndex, offsetBy: place)]]
    }

    /// FNV-1a with 64 bits, whose lower bits SplitMix64 mixes once more.
    private static func hash(_ text: String) -> UInt64 {
        let hash = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
        var mixed = SplitMix64(seed: hash)
        return mixed.next()
    }

    /// What the environment asks for. The first use prints it.
    private static let ofEnvironment: Seeds = {
        let environment = ProcessInfo.processInfo.environment
        let tree = environment["TILLROLL_TREE"].flatMap { $0.isEmpty ? nil : $0 }
        let asked = environment["TILLROLL_SEEDS"] ?? ""
        guard ["", "all"].contains(asked) else { preconditionFailure("TILLROLL_SEEDS is '\(asked)', not 'all'") }
        let drawn = tree.map { "1 drawn from tree \($0.prefix(8))" } ?? "none drawn, since TILLROLL_TREE is not set"
        let words = asked == "all" ? "all" : "\(fixedCount) fixed and \(drawn) (TILLROLL_SEEDS=all runs every seed)"
        FileHandle.standardError.write(Data("seeds: \(words)\n".utf8))
        return Seeds(takesAll: asked == "all", tree: tree)
    }()
}
