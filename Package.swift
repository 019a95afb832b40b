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

let asn1 = Target.Dependency.product(name: "SwiftASN1", package: "swift-asn1")
let x509 = Target.Dependency.product(name: "X509", package: "swift-certificates")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let systemPackage = Target.Dependency.product(name: "SystemPackage", package: "swift-system")

let package = Package(
    name: "tillroll",
    products: [
        // For the packages below Tests, which measure and fuzz what is in here.
        .library(
            name: "TillDecoding",
            targets: [
                "TillCore", "TillJSON", "TillColumns", "TillInput", "TillRows", "TillReceipts", "TillLedger",
                "TillParquet",
            ]
        )
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1", exact: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", exact: "1.21.1"),
        .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
        .package(url: "https://github.com/apple/swift-system", exact: "1.8.1"),
    ],
    targets: [
        room("TillCore"),
        room("TillThreads"),
        // Ours; the other C modules are system libraries.
        .target(name: "CKernels"),
        .target(name: "CPlatform"),
        room("TillJSON", ["TillCore", "CKernels"]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CLibXML2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
        .systemLibrary(name: "CISAL", providers: [.apt(["libisal-dev"])]),
        .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        .systemLibrary(name: "CXLSXWriter", providers: [.apt(["libxlsxwriter-dev"])]),
        room(
            "TillInput",
            ["TillCore", "TillThreads", "CKernels", "CPlatform", "CLibXML2", "CISAL", "CZlib", "CZstd", systemPackage]
        ),
        room("TillColumns", ["TillCore", "CKernels"]),
        room("TillRows", ["TillCore", "CKernels", "TillColumns"]),
        room("TillReceipts", ["TillCore", "TillJSON", "CKernels", "TillInput", "TillColumns", "TillRows", crypto]),
        room("TillParquet", ["TillCore", "TillThreads", "TillColumns", "CZlib", "CZstd"]),
        room(
            "TillTrust",
            ["TillCore", "TillJSON", "CKernels", "TillInput", "TillReceipts", asn1, x509, crypto, cryptoExtras]
        ),
        room(
            "TillInspect",
            [
                "TillCore", "TillJSON", "TillInput", "TillColumns", "TillRows", "TillReceipts", "TillReportModel",
                asn1, crypto, x509,
            ]
        ),
        room("TillLedger", ["TillCore", "TillThreads", "CKernels", "TillColumns", "TillRows"]),
        room("TillReference", ["TillCore", "TillJSON", "TillLedger", "CLibXML2"]),
        room("TillReportModel", ["TillCore"]),
        room("TillReports", ["TillCore", "TillColumns", "TillLedger", "TillReportModel"]),
        room("TillRender", ["TillCore", "TillReportModel", "CPlatform", "CXLSXWriter", "CZlib"]),
        room(
            "TillPipeline",
            [
                "TillCore", "TillThreads", "TillJSON", "TillInput", "TillColumns", "TillRows", "TillReceipts",
                "TillTrust",
                "TillInspect", "TillParquet", "TillLedger", "TillReference", "TillReportModel", "TillReports",
                "TillRender", "CPlatform", crypto, systemPackage,
            ]
        ),
        .executableTarget(
            name: "tillroll",
            dependencies: [
                "TillCore", "TillInput", "TillInspect", "TillLedger", "TillParquet", "TillPipeline", "TillReceipts",
                "TillReports", "TillRender", "TillThreads", "TillTrust", "CPlatform",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: house
        ),
        .executableTarget(
            name: "tillroll-samples",
            dependencies: ["TillCore", crypto, cryptoExtras],
            swiftSettings: house
        ),
        .target(
            name: "TillTestSupport",
            dependencies: ["TillCore", "TillInput", "TillColumns", "TillRows", "TillReceipts", "TillLedger", "CZlib"],
            path: "Tests/TillTestSupport",
            swiftSettings: house
        ),
        tests("TillCoreTests", ["TillCore", "TillTestSupport"]),
        tests("TillThreadsTests", ["TillThreads"]),
        tests("TillLedgerTests", ["TillCore", "TillColumns", "TillRows", "TillLedger", "TillTestSupport"]),
        tests("TillReferenceTests", ["TillCore", "TillLedger", "TillReference", "TillTestSupport"]),
        tests(
            "TillReportsTests",
            ["TillCore", "TillRows", "TillLedger", "TillReportModel", "TillReports", "TillRender", "TillTestSupport"]
        ),
        tests("TillJSONTests", ["TillJSON", "CKernels", "TillTestSupport"]),
        tests("TillInputTests", ["TillInput", "CKernels", "TillTestSupport", systemPackage]),
        tests("TillColumnsTests", ["TillColumns", "CKernels", "TillTestSupport"]),
        tests(
            "TillReceiptsTests",
            ["TillCore", "TillInput", "TillColumns", "TillRows", "TillReceipts", "TillLedger", "TillTestSupport"]
        ),
        tests(
            "TillLegacyTests",
            ["TillCore", "TillInput", "TillReceipts", "TillPipeline", "TillTestSupport"]
        ),
        tests("TillSignedTests", ["TillCore", "TillInput", "TillColumns", "TillRows", "TillReceipts"]),
        tests(
            "TillLinesTests",
            [
                "TillCore", "TillInput", "TillColumns", "TillRows", "TillReceipts", "TillReportModel", "TillRender",
                "TillPipeline", "TillTestSupport", "CZstd",
            ]
        ),
        tests(
            "TillParquetTests",
            ["TillCore", "TillColumns", "TillRows", "TillParquet", "TillTestSupport"],
            exclude: ["Broken"]
        ),
        tests(
            "TillTrustTests",
            [
                "TillCore", "TillInput", "TillReceipts", "TillTrust", "TillTestSupport", crypto, cryptoExtras,
            ]
        ),
        tests(
            "TillInspectTests",
            [
                "TillCore", "TillInput", "TillRows", "TillReceipts", "TillInspect", "TillReportModel", "TillRender",
                "TillPipeline", "TillTestSupport",
            ],
            exclude: ["Golden"]
        ),
        tests("QuirkTests", ["TillReceipts", "TillTestSupport"]),
        tests(
            "HostileTests",
            [
                "TillCore", "TillColumns", "TillInput", "TillRows", "TillReceipts", "TillInspect", "TillRender",
                "TillPipeline",
                "TillTestSupport",
                "CZlib",
                "CZstd",
            ]
        ),
        tests(
            "TillRenderTests",
            ["TillCore", "TillReportModel", "TillRender", "CLibXML2", "CZlib", crypto],
            exclude: ["Golden"]
        ),
        tests(
            "TillPipelineTests",
            [
                "TillColumns", "TillCore", "TillInput", "TillJSON", "TillRows", "TillLedger", "TillReports",
                "TillRender", "TillPipeline", "TillTestSupport", systemPackage,
            ]
        ),
        tests("EndToEndTests", ["tillroll"], exclude: ["Cases"]),
    ],
    swiftLanguageModes: [.v6]
)
