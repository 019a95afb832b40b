import Testing
import TillCore

@Suite("Findings")
struct FindingTests {
    @Test("A finding says its place, as far as it has one, then the reason and the code")
    func description() {
        let finding = Finding("area.defect", at: 12, path: "dump.gz", "the stream is damaged")
        #expect("\(finding)" == "dump.gz @ 12: the stream is damaged (area.defect)")
        #expect("\(finding.at(0))" == "dump.gz: the stream is damaged (area.defect)")
        #expect("\(Finding("area.defect", at: 12, "it is damaged"))" == "@ 12: it is damaged (area.defect)")
        #expect("\(Finding(argument: "choose one"))" == "choose one")
        #expect(finding.text(inFile: "a.csv") == "a.csv:12: the stream is damaged [area.defect]")
    }

    @Test("A second path does not replace the first")
    func path() {
        let finding = Finding("area.defect", at: 1, cause: .damaged, "it is damaged")
        let placed = finding.at(7, path: "price")
        #expect(placed == Finding("area.defect", at: 7, path: "price", cause: .damaged, "it is damaged"))
        #expect(placed.at(8, path: "page").path == "price" && placed.cause == .damaged)
    }
}
