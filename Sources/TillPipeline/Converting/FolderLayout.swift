/// What all parts of a folder of tables share.
struct FolderLayout {
    var partitionKeys: [PartitionKey] = []
    var tables = TableName.allCases

    private static let keysWord = "=partition-by "
    private static let tablesWord = "=tables "

    private var keys: String { partitionKeys.map(\.rawValue).joined(separator: ",") }

    /// Its lines in a listing.
    var lines: [String] {
        [Self.keysWord + keys, Self.tablesWord + tables.map(\.rawValue).joined(separator: ",")]
    }

    /// Throws if the lines of the folder `name` say another layout: its rows could not be read together.
    func check(_ old: [String], _ name: String) throws(RunError) {
        let options = [("--partition-by", Self.keysWord), ("--table", Self.tablesWord)]
        for ((option, word), line) in zip(options, lines) where !old.contains(line) {
            let known = old.first { $0.hasPrefix(word) }?.dropFirst(word.count) ?? ""
            throw RunError(
                .usage,
                "\(option): \(name) was written with \(known.isEmpty ? "none" : String(known)), not with "
                    + "\(line.count == word.count ? "none" : String(line.dropFirst(word.count))); use the same, or name another "
                    + "folder"
            )
        }
    }
}
