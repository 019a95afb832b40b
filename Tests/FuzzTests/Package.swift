// swift-tools-version: 6.2
import PackageDescription

/// Fuzzing of the decoders with libFuzzer, in a package of its own, so that no other build pays for it.
///
/// What instruments the code are flags of the command line, for they must reach tillroll's targets too; `make fuzz` in
/// the project's root has them.
let package = Package(
    name: "fuzzing",
    dependencies: [.package(name: "tillroll", path: "../..")],
    targets: [
        .executableTarget(
            name: "fuzz",
            dependencies: [
                .product(name: "TillDecoding", package: "tillroll"), .product(name: "TillRunning", package: "tillroll"),
            ],
            swiftSettings: [
                .enableUpcomingFeature("MemberImportVisibility"), .enableUpcomingFeature("InternalImportsByDefault"),
                .enableExperimentalFeature("Lifetimes"),
            ]
        )
    ],
    swiftLanguageModes: [.v6]
)
