import Foundation
public import TillPricing
import TillReference

extension TimeZoneRules {
    private static let folder = "/usr/share/zoneinfo"

    /// Whether the machine has time zones.
    public static let hasDatabase = FileManager.default.fileExists(atPath: folder + "/Europe/Berlin")

    /// The rules of a zone, by the database of the machine.
    public static func ofDatabase(_ name: String) throws -> TimeZoneRules {
        guard name != "UTC" else { return .utc }
        return try TimeZoneRules(name: name, tzif: Array(Data(contentsOf: URL(filePath: "\(folder)/\(name)"))))
    }
}
