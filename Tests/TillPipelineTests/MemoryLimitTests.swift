import Foundation
import Testing
import TillTestSupport

@testable import TillPipeline

/// Limits of control groups, in a folder that looks like `/proc` and `/sys`.
@Suite("The limit of memory")
struct MemoryLimitTests {
    private func limit(_ groups: String, _ files: [String: String]) throws -> Int? {
        let root = FileManager.default.temporaryDirectory.appending(path: "limit-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        for (path, text) in files.merging(["proc/self/cgroup": groups], uniquingKeysWith: { one, _ in one }) {
            let file = root.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(text.utf8).write(to: file)
        }
        return MemoryLimit.ofControlGroup(below: root.path(percentEncoded: false))
    }

    private let version2 = "0::/app/worker\n"
    private let version1 = "9:name=systemd:/\n4:memory:/docker/7f\n1:cpu,cpuacct:/docker/7f\n0::/\n"

    @Test("Version 2: the smallest limit from the group up to the root")
    func version2Groups() throws {
        let files = [
            "sys/fs/cgroup/app/worker/memory.max": "max\n", "sys/fs/cgroup/app/memory.max": "536870912\n",
            "sys/fs/cgroup/memory.max": "1073741824\n",
        ]
        #expect(try limit(version2, files) == 536_870_912)
    }

    @Test("Version 2: above memory.high the process is slowed down, so it counts")
    func highCounts() throws {
        let folder = "sys/fs/cgroup/app/worker"
        #expect(
            try limit(version2, ["\(folder)/memory.max": "4096000", "\(folder)/memory.high": "2048000"]) == 2_048_000
        )
    }

    @Test("Version 2: in a container the group's own files are at the mount point")
    func ownRoot() throws {
        #expect(try limit("0::/\n", ["sys/fs/cgroup/memory.max": "268435456\n"]) == 268_435_456)
        #expect(try limit("0::/../../host\n", ["sys/fs/cgroup/memory.max": "268435456\n"]) == 268_435_456)
    }

    @Test("Version 1: the path is the host's, the files are the container's")
    func version1Groups() throws {
        #expect(try limit(version1, ["sys/fs/cgroup/memory/memory.limit_in_bytes": "134217728\n"]) == 134_217_728)
        let nested = "sys/fs/cgroup/memory/docker/7f/memory.limit_in_bytes"
        #expect(try limit(version1, [nested: "67108864\n"]) == 67_108_864)
    }

    @Test("Other hierarchies, no limit, and files that are not there")
    func noLimit() throws {
        #expect(try limit("", [:]) == nil)
        #expect(try limit(version2, ["sys/fs/cgroup/app/worker/memory.max": "max\n"]) == nil)
        #expect(try limit("3:cpuset:/a\n", ["sys/fs/cgroup/memory/a/memory.limit_in_bytes": "1"]) == nil)
        #expect(try limit("no groups at all\n:::\n4:memory", [:]) == nil)
        // Longer than an Int: no limit that a machine could have.
        #expect(try limit(version2, ["sys/fs/cgroup/memory.max": String(repeating: "9", count: 40)]) == nil)
    }

    @Test("The allowance is half of the limit, and leaves room for the process")
    func share() throws {
        #expect(MemoryLimit.share(of: 1 << 30) == 1 << 29)
        // 100 MiB - 64 MiB.
        #expect(MemoryLimit.share(of: 100 << 20) == 36 << 20)
        #expect(MemoryLimit.share(of: 64 << 20) == 1 << 20 && MemoryLimit.share(of: 0) == 1 << 20)
        let told = try #require(MemoryLimit.forReports)
        #expect(told <= Int(clamping: ProcessInfo.processInfo.physicalMemory) / 2)
    }
}
