import Foundation
import Testing
import TillColumns
import TillCore
import TillParquet
import TillTestSupport

@Suite("Broken files")
struct BrokenTests {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Broken")

    @Test("The folder has a file per defect and no others")
    func folder() throws {
        let isRecording = ProcessInfo.processInfo.environment["TILLROLL_RECORD"] == "1"
        for file in BrokenFile.all {
            let place = Self.folder.appendingPathComponent(file.name + ".parquet")
            let found = try? Data(contentsOf: place)
            if isRecording, found != Data(file.bytes) {
                try Data(file.bytes).write(to: place)
                Issue.record("recorded \(file.name); run again without TILLROLL_RECORD")
            } else {
                #expect(found == Data(file.bytes), "\(file.name)")
            }
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter { !$0.hasPrefix(".") }
        #expect(Set(names) == Set(BrokenFile.all.map { $0.name + ".parquet" }))
    }

    @Test("A defect is an error with its code and its offset", arguments: BrokenFile.all.map(\.name))
    func rejects(_ name: String) throws {
        let file = try #require(BrokenFile.all.first { $0.name == name })
        let error = try #require(throws: Finding.self) { try SampleTable.read(file.bytes) }
        #expect(error.code == file.code, "\(error)")
        #expect(error.offset == file.offset, "\(error)")
    }

    @Test("The file that the others differ from can be read")
    func good() throws {
        let file = BrokenFile("good", "parquet.magic", pages: [BrokenFile.good])
        #expect(try SampleTable.read(file.bytes) == [[.big: 1], [.big: 2], [.big: 3]])
    }

    @Test("A file cut anywhere is an error")
    func cut() throws {
        var generator = SplitMix64(seed: 21)
        let bytes = try SampleTable.file(SampleTable.rows(50, .few, .random, &generator))
        for end in 0..<bytes.count {
            #expect(throws: Finding.self, "\(end) bytes") { try SampleTable.read(Array(bytes[..<end])) }
        }
    }

    @Test(
        "Changed bytes give rows or an error, and never more than that",
        arguments: ParquetCodec.written,
        Seeds.some(of: UInt64(0)..<15)
    )
    func mutations(_ codec: ParquetCodec, seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        var errors = 0
        let options = ParquetOptions(codec: codec, pageRows: 64, rowGroupRows: 200)
        for spread in ValueSpread.allCases {
            let bytes = try SampleTable.file(SampleTable.rows(300, spread, .random, &generator), options: options)
            for _ in 0..<10 {
                let mutated = generator.mutation(of: bytes)
                do {
                    _ = try SampleTable.read(mutated)
                } catch {
                    #expect(error is Finding, "\(error)")
                    errors += 1
                }
            }
        }
        #expect(errors > 0)
    }

    @Test("A changed footer gives rows or an error", arguments: Seeds.some(of: UInt64(0)..<15))
    func footerMutations(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        var errors = 0
        let bytes = try SampleTable.file(SampleTable.rows(40, .anything, .runs, &generator))
        let length = Int(bytes[bytes.count - 8]) | Int(bytes[bytes.count - 7]) << 8
        let start = bytes.count - 8 - length
        for _ in 0..<100 {
            let footer = generator.mutation(of: Array(bytes[start..<bytes.count - 8]))
            let size = withUnsafeBytes(of: UInt32(footer.count).littleEndian, Array.init)
            do {
                _ = try SampleTable.read(bytes[..<start] + footer + size + Array("PAR1".utf8))
            } catch {
                #expect(error is Finding, "\(error)")
                errors += 1
            }
        }
        #expect(errors > 0)
    }
}
