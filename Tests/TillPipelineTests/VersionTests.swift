import Foundation
import Testing
import TillTestSupport

@testable import TillPipeline

@Suite("What --version says")
struct VersionTests {
    private struct Resolved: Decodable {
        struct Pin: Decodable {
            struct State: Decodable { let version: String }
            let identity: String
            let state: State
        }
        let pins: [Pin]
    }

    @Test("Packages have the versions that Package.resolved pins")
    func packagesArePinned() throws {
        let file = Fixtures.package.appending(path: "Package.resolved")
        let resolved = try JSONDecoder().decode(Resolved.self, from: Data(contentsOf: file))
        let pins = resolved.pins.sorted { $0.identity < $1.identity }.map { "\($0.identity) \($0.state.version)" }
        #expect(pins.count > 3)
        let told = Tool.packages.map { "\($0.name) \($0.version?.prefix { $0 != " " } ?? "")" }
        #expect(told == pins)
    }

    @Test("The version is the first line, and each library has a line")
    func lines() {
        let lines = Tool.versions.split(separator: "\n")
        #expect(lines.first.map(String.init) == Tool.version)
        for name in ["swift", "zlib", "libzstd", "libisal", "libxml2", "libxlsxwriter", "libcurl"] {
            #expect(lines.contains { $0.hasPrefix(name + " ") }, "\(name)")
        }
    }
}
