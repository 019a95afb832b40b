public import ArgumentParser

/// An enumeration that an option takes by the raw values of its cases.
///
/// What the parser would say of one by itself is the same. But it does so through key paths and unspecialised
/// algorithms, and looking up their types at run time was an eighth of a start.
public protocol Choice: ExpressibleByArgument, CaseIterable, RawRepresentable<String> where AllCases == [Self] {}

extension Choice {
    public static var allValueStrings: [String] { allCases.map { $0.rawValue } }

    /// None: the words speak for themselves.
    public static var allValueDescriptions: [String: String] { [:] }
}
