import SystemPackage
import TillStorage
import TillSystem

/// The memory available to this process: the machine's memory, or less in a container or under `ulimit`.
///
/// The limit of a container is the lowest limit of its control group and the groups above it. The kernel kills a
/// process above this limit, so the default of `--memory` follows it.
public enum MemoryLimit {
    /// Bytes for the data of a report: half of the available memory, or less, so that ``base`` bytes are left for the
    /// rest of the process. `nil` if the system does not report its memory.
    public static var forReports: Int? {
        [Machine.memory, Machine.memoryLimit, ofControlGroup(below: "")].compactMap(\.self).min().map(share)
    }

    /// Memory of a run without transactions: the program, chunks of input and the output.
    static let base = 64 << 20

    static func share(of limit: Int) -> Int { max(MemoryAllowance.smallest, min(limit / 2, limit - base)) }

    /// The smallest limit of the control groups of this process; `nil` if there is none.
    ///
    /// `/proc/self/cgroup` has a line for each hierarchy, `number:controllers:path`. That of version 2 has the number 0
    /// and no controllers; one of version 1 counts if `memory` is among them. Inside a container the path may be that
    /// of the host, and the files of the container's own group lie at the mount point, so all folders from the path up
    /// are asked.
    ///
    /// - Parameter root: the prefix of `/proc` and `/sys`: empty, or a folder of a test.
    static func ofControlGroup(below root: String) -> Int? {
        let lines = text(of: root + "/proc/self/cgroup").split(separator: "\n")
        return lines.compactMap { line -> Int? in
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { return nil }
            if parts[0] == "0", parts[1].isEmpty {
                return smallest(of: ["memory.max", "memory.high"], from: parts[2], up: root + "/sys/fs/cgroup")
            }
            guard parts[1].split(separator: ",").contains("memory") else { return nil }
            return smallest(of: ["memory.limit_in_bytes"], from: parts[2], up: root + "/sys/fs/cgroup/memory")
        }
        .min()
    }

    private static func smallest(of files: [String], from path: Substring, up mount: String) -> Int? {
        var names = path.split(separator: "/")
        // A process outside of its namespace's root has a path such as `/../other`, which cannot be looked up.
        if names.contains("..") { names = [] }
        var limits: [Int] = []
        while true {
            let folder = ([mount[...]] + names).joined(separator: "/")
            // No limit is `max` in version 2, and nearly 2⁶³ in version 1.
            limits += files.compactMap { Int(text(of: "\(folder)/\($0)").prefix { $0.isNumber }) }
            if names.popLast() == nil { break }
        }
        return limits.min()
    }

    /// The content of a small file; empty if it cannot be read, which counts as no limit.
    private static func text(of path: String) -> String {
        guard let file = try? OpenFile(FilePath(path), .readOnly) else { return "" }
        // The bytes are complete, even if close fails.
        defer { try? file.close() }
        return String(decoding: (try? file.readAll(limit: 1 << 16)) ?? [], as: UTF8.self)
    }
}
