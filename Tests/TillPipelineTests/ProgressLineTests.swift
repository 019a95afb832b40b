import Testing

@testable import TillPipeline

@Suite("The progress line")
struct ProgressLineTests {
    private static func progress() -> ReadProgress {
        var progress = ReadProgress()
        (progress.accepted, progress.rejected, progress.storedBytes) = (990_000, 10_000, 250_000_000)
        return progress
    }

    @Test("Of files it tells the share and the time left")
    func files() {
        let line = ProgressLine(isShown: false, total: 1_000_000_000)
        #expect(
            line.text(Self.progress(), after: 10)
                == "250.0 MB of 1.0 GB  25 %  1000000 documents  100000/s  10000 rejected  0:31 left"
        )
    }

    @Test("Progress of a pipe shows no total and no time left")
    func pipe() {
        let line = ProgressLine(isShown: false, total: nil)
        #expect(
            line.text(Self.progress(), after: 10) == "250.0 MB  1000000 documents  100000/s  10000 rejected"
        )
        #expect(line.text(ReadProgress(), after: 0) == "0 B  0 documents")
    }

    @Test("It is never wider than the terminal, and what matters most stays", arguments: 0...100)
    func width(_ width: Int) {
        let line = ProgressLine(isShown: false, total: 1_000_000_000)
        let text = line.text(Self.progress(), after: 10, width: width)
        #expect(text.utf8.count <= width)
        if width >= 20 { #expect(text.contains("25 %")) }
        if width >= 40 { #expect(text.contains("left")) }
    }
}
