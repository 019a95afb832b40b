import Foundation
import Testing
import TillTestSupport

/// Arithmetic that overflows and access that is not exclusive must stop the release build too, so no build may turn
/// these checks off.
@Suite("What the compiler checks")
struct CheckedBuildTests {
    /// Flags by which the compiler leaves checks out, or by which a package could pass any flag.
    private static let refused = [
        "-Ounchecked", "enforce-exclusivity=unchecked", "enforce-exclusivity=none", "-assume-single-threaded",
        "-remove-runtime-asserts",
        "assert-config", "unsafeFlags", "disable-ossa-opts", "-fno-stack-protector", "-ffast-math",
    ]

    /// Test targets are compiled without optimisation, which turns no check off.
    private static let testTargets = "settings + [.unsafeFlags([\"-Onone\"])]"

    @Test("Only test targets have unsafe flags")
    func exemptsTests() throws {
        let manifest = String(
            decoding: try Fixtures.bytes(Fixtures.package.appending(path: "Package.swift")),
            as: UTF8.self
        )
        let parts = manifest.components(separatedBy: "\nfunc tests(")
        try #require(parts.count == 2, "the manifest has no function for test targets")
        let function = try #require(parts[1].components(separatedBy: "\n}\n").first)
        #expect(function.contains(".testTarget(") && function.contains(Self.testTargets))
        #expect(manifest.components(separatedBy: Self.testTargets).count == 2)
    }

    @Test("No manifest, makefile or script passes a flag that leaves checks out")
    func passesNone() throws {
        let root = Fixtures.package
        var files = ["Package.swift", "Makefile", "Tests/FuzzTests/Package.swift", "Tests/Benchmarks/Package.swift"]
            .map { root.appending(path: $0) }
        files += Fixtures.files(below: root.appending(path: "dev")).filter {
            ["sh", "py", ""].contains($0.pathExtension)
        }
        #expect(files.count > 10)
        for file in files {
            let text = String(decoding: try Fixtures.bytes(file), as: UTF8.self).replacing(Self.testTargets, with: "")
            for flag in Self.refused { #expect(!text.contains(flag), "\(file.lastPathComponent) has \(flag)") }
        }
    }
}
