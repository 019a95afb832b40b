import Synchronization
import Testing
import TillSystem

/// A power cut after every call that changes a file: at its final name is the whole old result, or the whole new one.
@Suite("Power cuts", .serialized)
struct PowerCutTests {
    private static let commands = FaultyCommand.all.filter { $0.words.contains("OUT") }

    @Test(
        "After a power cut at any moment, each result is whole: the old or the new one; after the end, the new one",
        arguments: commands
    )
    func keepsResults(_ command: FaultyCommand) throws {
        let run = try CommandRun(command)
        let old = try CommandRun.contents(of: run.folder)
        let (good, _) = try run.run(.none)
        let broken = Mutex<[String]>([])
        var disk: Disk?
        _ = try run.run { streams in
            let made = Disk(run.folder, streams: streams) { call, images in
                for (number, image) in images.enumerated() {
                    // Hidden names are those of results that are not finished. A new folder in which a result is made
                    // may be empty.
                    for (name, files) in image
                    where !name.hasPrefix(".") && files != old[name] && files != good.files[name] {
                        guard old[name] != nil || !files.isEmpty else { continue }
                        guard !files.keys.allSatisfy({ $0.contains("/.") && $0.contains(".part") }) else { continue }
                        broken.withLock { $0.append("after \(call), state \(number): \(name)") }
                    }
                    for name in old.keys where image[name] == nil {
                        broken.withLock { $0.append("after \(call), state \(number): \(name) is lost") }
                    }
                }
            }
            disk = made
            return made
        }
        let found = broken.withLock { $0 }
        #expect(found.isEmpty, "\(command): \(found.prefix(5))")
        let kept = try #require(disk)
        // What was replaced has a hidden name, and may have it again.
        let certain = kept.certainImage.filter { !$0.key.hasPrefix(".") }
        #expect(certain == good.files, "\(command): what is on the disk at the end is not the result")
        #expect(kept.count > 0)
        if FaultTests.isWhole { print("\(command): \(kept.count) power cuts") }
    }
}
