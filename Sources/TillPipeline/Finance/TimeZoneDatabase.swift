import SystemPackage
import TillCore
import TillPricing
import TillReference
import TillSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The tz database as systems install it: a file for each time zone below one folder.
enum TimeZoneDatabase {
    private static let usualFolders = ["/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/usr/share/lib/zoneinfo"]
    /// Names that need no database.
    private static let universal: Set<String> = ["UTC", "Etc/UTC", "GMT", "Etc/GMT", "Z", "Zulu", "Etc/Zulu"]

    /// The rules of the time zone that `--tz` names.
    static func rules(forOption name: String) throws(RunError) -> TimeZoneRules {
        do throws(Finding) {
            return try rules(of: name)
        } catch {
            throw RunError(error.cause == .system ? .inputOutputError : .usage, "--tz: \(error.message)")
        }
    }

    /// The rules of a time zone.
    ///
    /// `TZDIR` names the folder, else the usual folders are searched. A missing database is an error and not UTC,
    /// because days that begin at a wrong hour give wrong figures.
    static func rules(of name: String) throws(Finding) -> TimeZoneRules {
        if universal.contains(name) { return .utc }
        guard TimeZoneRules.isName(name) else {
            throw Finding("tz.name", "'\(name)' is not the name of a time zone, such as Europe/Berlin")
        }
        let named = getenv("TZDIR").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        let folders = named.map { [$0] } ?? usualFolders
        guard let folder = folders.first(where: isFolder) else {
            throw Finding(
                "tz.no-database",
                "there is no time zone database in \(folders.joined(separator: ", ")); install tzdata, or say in TZDIR "
                    + "where it is"
            )
        }
        let found: [UInt8]?
        do {
            found = try contents(of: folder + "/" + name)
        } catch {
            throw Finding("tz.unreadable", cause: .system, "\(folder)/\(name): cannot be read: \(error)")
        }
        guard let bytes = found else {
            let known = names(in: folder)
            guard !known.contains(name) else {
                throw Finding("tz.unknown", "the rules of '\(name)' in \(folder) cannot be read; install tzdata anew")
            }
            let question = NearestWord.clause(about: name, among: known)
            throw Finding("tz.unknown", "there is no time zone '\(name)' in \(folder)\(question)")
        }
        return try TimeZoneRules(name: name, tzif: bytes)
    }

    /// The names of the zones of territories, which `zone.tab` lists: code, coordinates, name, comment.
    private static func names(in folder: String) -> [String] {
        // They are needed for suggestions only.
        let table = (try? contents(of: folder + "/zone.tab")) ?? []
        let lines = table.split(separator: 0x0A).filter { $0.first != UInt8(ascii: "#") }
        let names = lines.map { $0.split(separator: 0x09, omittingEmptySubsequences: false).dropFirst(2).first ?? [] }
        return ["UTC"] + names.map { String(decoding: $0, as: UTF8.self) }
    }

    private static func isFolder(_ path: String) -> Bool {
        (try? FileSystem.status(of: FilePath(path)))?.kind == .folder
    }

    /// `nil` if there is no file; more bytes than the limit if the file is longer.
    private static func contents(of path: String) throws(Errno) -> [UInt8]? {
        guard try FileSystem.statusIfThere(of: FilePath(path))?.kind == .regular else { return nil }
        let file = try OpenFile(FilePath(path), .readOnly)
        // The bytes are complete, even if close fails.
        defer { try? file.close() }
        return try file.readAll(limit: TimeZoneRules.maximumByteCount)
    }
}
