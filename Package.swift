// swift-tools-version: 6.2
import PackageDescription

let house: [SwiftSetting] = [
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableExperimentalFeature("Lifetimes"),
]

/// A room of the house: the map in README.md says what belongs where.
func room(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: house)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: house)
}

let package = Package(
    name: "tillroll",
    targets: [
        room("TillCore"),
        room("TillReportModel", ["TillCore"]),
        .executableTarget(name: "tillroll-samples", dependencies: ["TillCore"], swiftSettings: house),
        tests("TillCoreTests", ["TillCore"]),
    ],
    swiftLanguageModes: [.v6]
)
