// swift-tools-version: 6.2
import PackageDescription

/// Times each stage alone, in a package of its own, so that no other build pays for it: `make bench-stages`.
let package = Package(
    name: "benchmarks",
    dependencies: [
        .package(name: "tillroll", path: "../.."),
        // Its traits count allocations by replacing malloc, which changes what is measured.
        .package(url: "https://github.com/ordo-one/benchmark", exact: "1.38.1", traits: []),
    ],
    targets: [
        .executableTarget(
            name: "Stages",
            dependencies: [
                .product(name: "TillDecoding", package: "tillroll"),
                .product(name: "Benchmark", package: "benchmark"),
            ],
            path: "Benchmarks/Stages",
            swiftSettings: [
                .enableUpcomingFeature("MemberImportVisibility"), .enableUpcomingFeature("InternalImportsByDefault"),
                .enableExperimentalFeature("Lifetimes"),
            ],
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
        )
    ],
    swiftLanguageModes: [.v6]
)
