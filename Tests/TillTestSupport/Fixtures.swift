public import Foundation

/// Files that tests read: the package's samples, and the published receipts beside the package.
public enum Fixtures {
    /// The folder that holds `Package.swift`.
    public static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    public static let samples = package.appending(path: "Samples")
    public static let vectors = package.deletingLastPathComponent().appending(path: "shared/vectors")

    /// A file of the published reference data beside the package.
    public static func reference(_ name: String) -> URL {
        package.deletingLastPathComponent().appending(path: "shared/reference/\(name)")
    }

    /// Whether the published receipts are there; without them their tests are skipped.
    public static var hasVectors: Bool {
        FileManager.default.fileExists(atPath: vectors.appending(path: "facts.json").path)
    }

    public static func bytes(_ file: URL) throws -> [UInt8] {
        try Array(Data(contentsOf: file))
    }

    /// All files below a folder, in the order of their paths.
    public static func files(below folder: URL) -> [URL] {
        let walker = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.isRegularFileKey])
        let files = (walker?.allObjects as? [URL] ?? []).filter { file in
            (try? file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true
        }
        return files.sorted { $0.path < $1.path }
    }
}
