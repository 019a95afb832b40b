import Foundation
import Synchronization
import SystemPackage
import Testing
import TillSystem

@testable import TillPipeline

@Suite("Output folders")
struct OutputFolderTests {
    /// Runs `body` with the path of a folder of its own.
    private static func withFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tillroll-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.path)
    }

    /// An input whose parts have the name `name`.
    private static func input(_ name: String) -> LakeInput? { LakeInput("=input \(name) 3 - 1") }

    /// Writes a folder with the files `names`, each of them holding `text`.
    private static func write(
        _ path: String,
        _ names: [String],
        _ text: String = "new",
        existing: ExistingRows = .replaced,
        input: String? = nil
    ) throws {
        let folder = try OutputFolder(path, existing: existing)
        folder.inputs = input.flatMap { Self.input($0) }.map { [$0] } ?? []
        for name in names {
            if let slash = name.lastIndex(of: "/") { try folder.makeFolder(String(name[..<slash])) }
            guard !name.hasSuffix("/") else { continue }
            var file = try folder.makeFile(name)
            try file.write(Array(text.utf8))
            try file.finish()
        }
        try folder.finish()
    }

    private static func put(_ text: String, at path: String) throws {
        let parent = URL(fileURLWithPath: path).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        try text.write(toFile: path, atomically: false, encoding: .utf8)
    }

    /// The files of a folder with what they hold, as `name: text`, hidden ones too.
    private static func contents(of path: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: path).sorted().map { name in
            (try? String(contentsOfFile: path + "/" + name, encoding: .utf8)).map { "\(name): \($0)" } ?? name
        }
    }

    @Test("What a run wrote is replaced by the next one, whatever each of them wrote")
    func replacesItsOwn() throws {
        try Self.withFolder { folder in
            let rows = folder + "/rows"
            try Self.write(rows, ["events.parquet", "transactions/", "transactions/part=1/part-0.parquet"], "old")
            try Self.write(rows, ["documents.parquet", "empty/"])
            let layout = "=partition-by \n=tables transactions,documents,events,renewals"
            let listing = ".tillroll: tillroll 2\n\(layout)\n.tillroll\ndocuments.parquet\nempty/\n"
            #expect(try Self.contents(of: rows) == [listing, "documents.parquet: new", "empty"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["rows"])
        }
    }

    @Test("Rows that a folder holds are not replaced unasked, also where they came while the run was under way")
    func refuses() throws {
        try Self.withFolder { folder in
            let rows = folder + "/rows"
            let late = try OutputFolder(rows)
            try Self.write(rows, ["events.parquet"], "old", existing: .refused)
            #expect(throws: RunError.self) { try Self.write(rows, ["events.parquet"], existing: .refused) }
            #expect(throws: RunError.self) { try late.finish() }
            #expect(try Self.contents(of: rows).last == "events.parquet: old")
        }
    }

    @Test("New rows join the rows of a folder; an input that the folder has is not added again")
    func keepsOldRows() throws {
        try Self.withFolder { folder in
            let rows = folder + "/new/parents/rows"
            try Self.write(
                rows,
                ["events/part-0.parquet", "transactions/", "transactions/part=1/part-0.parquet"],
                "1",
                existing: .kept,
                input: "a"
            )
            try Self.write(rows, ["events/part-0.parquet"], "2", existing: .kept, input: "b")
            try Self.write(rows, ["events/part-0.parquet"], "3", existing: .kept, input: "a")
            let names = try Self.contents(of: rows).filter { !$0.hasPrefix(".") && $0.contains(":") }
            #expect(names == ["events/a.parquet: 1", "events/b.parquet: 2", "transactions/part=1/a.parquet: 1"])
            try Self.write(rows, ["documents.parquet"])
            #expect(try Self.contents(of: rows).map { $0.prefix { $0 != ":" } } == [".tillroll", "documents.parquet"])
        }
    }

    @Test("Runs that add to one folder at the same time lose nothing of one another")
    func addsAtOnce() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tillroll-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<12 {
                group.addTask {
                    let name = "part-0.parquet"
                    try Self.write(folder + "/rows", [name], "\(number)", existing: .kept, input: "\(number)")
                }
            }
            try await group.waitForAll()
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder + "/rows").filter { $0 != ".tillroll" }
        #expect(Set(names) == Set((0..<12).map { "\($0).parquet" }))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["rows"])
    }

    @Test("A run that waits for the one that makes the folder knows the inputs of that run")
    func waitsForTheFirst() throws {
        try Self.withFolder { folder in
            let rows = folder + "/rows"
            let first = try OutputFolder(rows, existing: .kept)
            var file = try first.makeFile("part-0.parquet")
            try file.write([0x31])
            try file.finish()
            first.inputs = Self.input("a").map { [$0] } ?? []
            let isWritten = Atomic<Bool>(false)
            let second = Thread {
                try? Self.write(rows, ["part-0.parquet"], "2", existing: .kept, input: "b")
                isWritten.store(true, ordering: .releasing)
            }
            second.start()
            // By then the second one has seen that there is no folder, and waits.
            usleep(200_000)
            try first.finish()
            while !isWritten.load(ordering: .acquiring) { usleep(1000) }
            let third = try OutputFolder(rows, existing: .kept)
            #expect(Set(third.keptInputs.map(\.name)) == ["a", "b"])
        }
    }

    @Test("A folder that another run replaces while it is looked at is looked at again")
    func looksAgain() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tillroll-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (tables, rows) = (["events", "documents"], folder + "/rows")
        try Self.write(rows, ["events.parquet"])
        try await withThrowingTaskGroup { group in
            group.addTask {
                // Each time it is another folder; one that comes back looks like one that stayed.
                while !Task.isCancelled { for table in tables { try Self.write(rows, ["\(table).parquet"]) } }
            }
            let names = Set(tables.map { [FilePath(OutputListing.name), FilePath("\($0).parquet")] }.map(Set.init))
            for _ in 0..<1000 {
                let files = try ReplaceableFolder(FilePath(rows)).files
                #expect(names.contains(Set(files)))
            }
            group.cancelAll()
        }
    }

    /// What somebody put into a folder, and what is told of it.
    private static let strangers: [(put: String, told: String)] = [
        ("thesis.txt", "thesis.txt"), (".hidden", ".hidden"), ("renewals.parquet", "renewals.parquet"),
        ("transactions/mine/thesis.txt", "transactions/mine"), ("transactions/x.parquet", "transactions/x.parquet"),
        ("transactions/part=1/part-1.parquet", "transactions/part=1/part-1.parquet"),
        ("transactions/part=1/deep/er/x", "transactions/part=1/deep"),
        ("renewals.parquet/thesis.txt", "renewals.parquet"),
    ]

    @Test("What no run wrote stops the next one and stays, at any depth", arguments: strangers)
    func leavesStrangers(_ stranger: (put: String, told: String)) throws {
        try Self.withFolder { folder in
            let rows = folder + "/rows"
            try Self.write(rows, ["events.parquet", "transactions/", "transactions/part=1/part-0.parquet"], "old")
            try Self.put("precious", at: "\(rows)/\(stranger.put)")
            let before = try Self.contents(of: rows)
            let error = try #require(throws: RunError.self) { try Self.write(rows, ["events.parquet"]) }
            #expect(error.status == .cannotCreate)
            #expect(
                error.description.hasPrefix("\(rows): holds \(stranger.told), which 'tillroll convert' did not write")
            )
            #expect(throws: RunError.self) { try OutputFolder.filesReplaced(at: rows) }
            #expect(try Self.contents(of: rows) == before)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["rows"])
        }
    }

    @Test("A folder without a listing is nobody's to replace, not even where its files have the names of tables")
    func needsListing() throws {
        try Self.withFolder { folder in
            try Self.put("precious", at: folder + "/rows/transactions.parquet")
            #expect(throws: RunError.self) { try Self.write(folder + "/rows", ["events.parquet"]) }
            // One that is empty holds nothing to lose.
            try FileManager.default.createDirectory(atPath: folder + "/empty", withIntermediateDirectories: false)
            try Self.write(folder + "/empty", ["events.parquet"])
            #expect(try Self.contents(of: folder + "/empty").last == "events.parquet: new")
        }
    }

    @Test("A listing that names what lies outside, or is a link, or was cut short, gives nothing away")
    func distrustsListings() throws {
        try Self.withFolder { folder in
            try Self.put("precious", at: folder + "/thesis.txt")
            let names = [
                "../thesis.txt", "\(folder)/thesis.txt", "a/../../thesis.txt", "a/../", "../", "/", "", "a/b/c/d",
            ]
            try Self.put(
                "tillroll 1\n.tillroll\n" + names.joined(separator: "\n") + "\n",
                at: folder + "/one/.tillroll"
            )
            try Self.write(folder + "/one", ["events.parquet"])
            try Self.put("tillroll 1\n.tillroll\nthesis.txt", at: folder + "/two/.tillroll")
            try Self.put("precious", at: folder + "/two/thesis.txt")
            #expect(throws: RunError.self) { try Self.write(folder + "/two", ["events.parquet"]) }
            try Self.put("tillroll 1\n.tillroll\n", at: folder + "/listing")
            try FileManager.default.createDirectory(atPath: folder + "/three", withIntermediateDirectories: false)
            let link = folder + "/three/.tillroll"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "../listing")
            #expect(throws: RunError.self) { try Self.write(folder + "/three", ["events.parquet"]) }
            #expect(try String(contentsOfFile: folder + "/thesis.txt", encoding: .utf8) == "precious")
        }
    }

    @Test("A link in the place of a listed file is removed, and not what it leads to")
    func removesLinks() throws {
        try Self.withFolder { folder in
            let rows = folder + "/rows"
            try Self.write(rows, ["events.parquet"], "old")
            try Self.put("precious", at: folder + "/thesis.txt")
            try FileManager.default.removeItem(atPath: rows + "/events.parquet")
            try FileManager.default.createSymbolicLink(
                atPath: rows + "/events.parquet",
                withDestinationPath: "../thesis.txt"
            )
            try Self.write(rows, ["documents.parquet"])
            #expect(try Self.contents(of: rows).last == "documents.parquet: new")
            #expect(try String(contentsOfFile: folder + "/thesis.txt", encoding: .utf8) == "precious")
        }
    }

    /// Puts another file in the place of one right after it was linked.
    private final class Exchanger: SystemInterposer {
        private let path: String

        init(_ path: String) { self.path = path }

        func perform(_ call: SystemCall, _ make: (SystemCall) throws(Errno) -> Int) throws(Errno) -> Int {
            let result = try make(call)
            if call.name == .link, call.path?.string == path {
                try? FileManager.default.removeItem(atPath: path)
                try? "other".write(toFile: path, atomically: false, encoding: .utf8)
            }
            return result
        }
    }

    @Test("A file that took the place of a kept one, with its name, stops the run that adds rows, and stays")
    func comparesIdentities() throws {
        try Self.withFolder { folder in
            let rows = folder + "/rows"
            try Self.write(rows, ["events.parquet"], "old")
            SystemCall.$interposer.withValue(Exchanger(rows + "/events.parquet")) {
                #expect(throws: RunError.self) { try Self.write(rows, ["documents.parquet"], existing: .kept) }
            }
            #expect(try Self.contents(of: rows).last == "events.parquet: other")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["rows"])
        }
    }

    @Test("A run that replaces a folder waits for one that adds to it")
    func replacesAfterAdding() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tillroll-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let rows = folder + "/rows"
        try Self.write(rows, ["part-0.parquet"], "old", input: "a")
        let adding = try OutputFolder(rows, existing: .kept)
        var file = try adding.makeFile("part-0.parquet")
        try file.write([0x31])
        try file.finish()
        adding.inputs = Self.input("b").map { [$0] } ?? []
        let isReplaced = Atomic<Bool>(false)
        let replacing = Thread {
            try? Self.write(rows, ["part-0.parquet"], "new", input: "c")
            isReplaced.store(true, ordering: .releasing)
        }
        replacing.start()
        usleep(200_000)
        let wasReplaced = isReplaced.load(ordering: .acquiring)
        #expect(!wasReplaced)
        try adding.finish()
        while !isReplaced.load(ordering: .acquiring) { usleep(1000) }
        #expect(try Self.contents(of: rows).filter { !$0.hasPrefix(".") } == ["c.parquet: new"])
    }

    @Test("What somebody puts into the folder while a run is under way stops it, and stays")
    func looksAgain() throws {
        try Self.withFolder { folder in
            let rows = folder + "/rows"
            try Self.write(rows, ["events.parquet"], "old")
            let run = try OutputFolder(rows, existing: .replaced)
            try Self.put("precious", at: rows + "/thesis.txt")
            #expect(throws: RunError.self) { try run.finish() }
            #expect(try Self.contents(of: rows).suffix(2) == ["events.parquet: old", "thesis.txt: precious"])
        }
    }

    @Test("While a folder is replaced its files are always there")
    func leavesNoWindow() throws {
        try Self.withFolder { folder in
            let rows = folder + "/rows"
            try Self.write(rows, ["events.parquet"])
            let isOver = Atomic<Bool>(false)
            let missing = Atomic<Int>(0)
            let looks = Atomic<Int>(0)
            let looker = Thread {
                while !isOver.load(ordering: .relaxed) {
                    if access(rows + "/events.parquet", F_OK) != 0 { missing.add(1, ordering: .relaxed) }
                    looks.add(1, ordering: .relaxed)
                }
                isOver.store(false, ordering: .releasing)
            }
            looker.start()
            for _ in 0..<200 { try Self.write(rows, ["events.parquet"]) }
            isOver.store(true, ordering: .relaxed)
            while isOver.load(ordering: .acquiring) { usleep(1000) }
            #expect(looks.load(ordering: .relaxed) > 200)
            #expect(missing.load(ordering: .relaxed) == 0)
        }
    }

    @Test("The new folder and its files have the mode of those that they replace")
    func keepsModes() throws {
        try Self.withFolder { folder in
            let rows = folder + "/rows"
            try FileManager.default.createDirectory(atPath: rows, withIntermediateDirectories: false)
            func mode(_ name: String = "") throws -> Int? {
                try FileManager.default.attributesOfItem(atPath: rows + name)[.posixPermissions] as? Int
            }
            chmod(rows, 0o2751)
            let names = ["events.parquet", "transactions/", "transactions/part=1/part-0.parquet"]
            try Self.write(rows, names)
            #expect(try mode() == 0o2751)
            chmod(rows, 0o700)
            chmod(rows + "/events.parquet", 0o640)
            chmod(rows + "/transactions/part=1", 0o711)
            chmod(rows + "/transactions/part=1/part-0.parquet", 0o604)
            try Self.write(rows, names)
            #expect(try mode() == 0o700)
            #expect(try mode("/events.parquet") == 0o640)
            #expect(try mode("/transactions/part=1") == 0o711)
            #expect(try mode("/transactions/part=1/part-0.parquet") == 0o604)
        }
    }

    @Test("Through a link to a folder that folder is replaced, and the link stays")
    func followsLinks() throws {
        try Self.withFolder { folder in
            let link = folder + "/link"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "elsewhere/real")
            try FileManager.default.createDirectory(atPath: folder + "/elsewhere", withIntermediateDirectories: false)
            for text in ["one", "two"] {
                try Self.write(link + "/", ["events.parquet"], text)
                #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "elsewhere/real")
                #expect(try Self.contents(of: folder + "/elsewhere/real").last == "events.parquet: \(text)")
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/elsewhere") == ["real"])
        }
    }

    @Test("A folder that is not finished leaves nothing behind, and what was there as it was")
    func leavesNothing() throws {
        try Self.withFolder { folder in
            let rows = folder + "/rows"
            try Self.write(rows, ["events.parquet"], "old")
            do {
                let run = try OutputFolder(rows, existing: .replaced)
                try run.makeFolder("transactions")
                var file = try run.makeFile("transactions/part-0.parquet")
                try file.write([1])
                try file.finish()
            }
            #expect(try Self.contents(of: rows).last == "events.parquet: old")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["rows"])
        }
    }
}
