// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableExperimentalFeature("Lifetimes"),
]

/// A target of this package; docs/architecture.md says what belongs where.
func target(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// A test target.
///
/// Tests run on modules that are optimised, and are not optimised themselves: that compiles in a third of the time, and
/// the tests take as long. `make test` passes `-c release -Xswiftc -enable-testing`.
func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(
        name: name,
        dependencies: dependencies,
        exclude: exclude,
        swiftSettings: settings + [.unsafeFlags(["-Onone"])]
    )
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
                "TillCore", "TillDigest", "TillJSON", "TillColumns", "TillInput", "TillRows", "TillReceipts",
                "TillPricing", "TillReference", "TillLedger", "TillStorage", "TillParquet",
            ]
        ),
        .library(
            name: "TillRunning",
            targets: ["TillPipeline", "TillInspect", "TillRender", "TillReports", "TillTrust", "TillTestSupport"]
        ),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-asn1", exact: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", exact: "1.21.1"),
        .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
        .package(url: "https://github.com/apple/swift-system", exact: "1.8.1"),
    ],
    targets: [
        .systemLibrary(name: "CDigest"),
        target("TillCore", ["CDigest"]),
        // Every program that hashes links it; no module imports it.
        target("TillDigest", ["CDigest", crypto]),
        // Ours; the other C modules are system libraries.
        .target(name: "CKernels"),
        .target(name: "CPlatform"),
        target("TillSystem", ["CPlatform", systemPackage]),
        target("TillThreads", ["TillSystem"]),
        target("TillJSON", ["TillCore", "CKernels"]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CLibXML2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
        .systemLibrary(name: "CISAL", providers: [.apt(["libisal-dev"])]),
        .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        .systemLibrary(name: "CXLSXWriter", providers: [.apt(["libxlsxwriter-dev"])]),
        .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        target(
            "TillInput",
            [
                "TillCore", "TillSystem", "TillThreads", "CKernels", "CPlatform", "CLibXML2", "CISAL", "CZlib", "CZstd",
                systemPackage,
            ]
        ),
        target("TillColumns", ["TillCore", "CKernels"]),
        target("TillRows", ["TillCore", "CKernels", "TillColumns"]),
        target("TillReceipts", ["TillCore", "TillJSON", "CKernels", "TillInput", "TillColumns", "TillRows"]),
        target("TillParquet", ["TillCore", "TillThreads", "TillColumns", "CZlib", "CZstd"]),
        target(
            "TillTrust",
            [
                "TillCore", "TillThreads", "TillJSON", "CKernels", "TillInput", "TillReceipts", asn1, x509, crypto,
                cryptoExtras,
            ]
        ),
        target(
            "TillInspect",
            [
                "TillCore", "TillJSON", "TillInput", "TillColumns", "TillRows", "TillReceipts", "TillReportModel",
                asn1, crypto, x509,
            ]
        ),
        target("TillSubmit", ["TillCore", "TillSystem", "TillThreads", "TillJSON", "CCurl"]),
        target("TillPricing", ["TillCore"]),
        target("TillReference", ["TillCore", "TillJSON", "TillColumns", "TillPricing", "CLibXML2"]),
        target("TillLedger", ["TillCore", "TillThreads", "CKernels", "TillColumns", "TillRows", "TillPricing"]),
        target("TillStorage", ["TillCore", "CKernels", "TillColumns", "TillLedger"]),
        target("TillReportModel", ["TillCore"]),
        target(
            "TillReports",
            ["TillCore", "TillThreads", "TillColumns", "TillPricing", "TillLedger", "TillReportModel"]
        ),
        target(
            "TillRender",
            [
                "TillCore", "TillSystem", "TillThreads", "TillReportModel", "CPlatform", "CXLSXWriter", "CZlib",
                systemPackage,
            ]
        ),
        target(
            "TillPipeline",
            [
                "TillCore", "TillSystem", "TillThreads", "TillJSON", "TillInput", "TillColumns", "TillRows",
                "TillReceipts",
                "TillSubmit",
                "TillParquet", "TillPricing", "TillReference", "TillLedger", "TillStorage",
                "TillReportModel",
                "TillReports",
                "TillRender", "CPlatform", systemPackage,
            ]
        ),
        .executableTarget(
            name: "tillroll",
            dependencies: [
                "TillCore", "TillDigest", "TillInput", "TillInspect", "TillPricing", "TillLedger", "TillStorage",
                "TillParquet", "TillPipeline",
                "TillReceipts",
                "TillJSON", "TillReports", "TillRender", "TillSubmit", "TillThreads", "TillTrust", "CPlatform",
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "tillroll-samples",
            dependencies: [
                "TillCore", "TillDigest", "TillJSON", asn1, x509, crypto, cryptoExtras,
            ],
            swiftSettings: settings
        ),
        .target(
            name: "TillTestSupport",
            dependencies: [
                "TillCore", "TillDigest", "TillInput", "TillColumns", "TillRows", "TillReceipts", "TillPricing",
                "TillReference", "TillLedger", "TillStorage", "CZlib",
            ],
            path: "Tests/TillTestSupport",
            swiftSettings: settings
        ),
        tests("TillrollTests", ["tillroll", "TillPipeline", "TillTestSupport"]),
        tests("TillCoreTests", ["TillCore", "TillTestSupport"]),
        tests("TillSystemTests", ["TillSystem", systemPackage]),
        tests("TillThreadsTests", ["TillSystem", "TillThreads"]),
        tests("TillPricingTests", ["TillCore", "TillPricing", "TillReference", "TillTestSupport"]),
        tests(
            "TillLedgerTests",
            [
                "TillCore", "TillColumns", "TillRows", "TillPricing", "TillReference", "TillLedger", "TillStorage",
                "TillTestSupport",
            ]
        ),
        tests("TillReferenceTests", ["TillCore", "TillPricing", "TillReference", "TillTestSupport"]),
        tests(
            "TillReportsTests",
            [
                "TillCore", "TillRows", "TillPricing", "TillReference", "TillLedger", "TillStorage", "TillReportModel",
                "TillReports",
                "TillRender", "TillTestSupport",
            ]
        ),
        tests("TillJSONTests", ["TillJSON", "CKernels", "TillTestSupport"]),
        tests("TillInputTests", ["TillInput", "TillSystem", "CKernels", "TillTestSupport", systemPackage]),
        tests("TillColumnsTests", ["TillColumns", "CKernels", "TillTestSupport"]),
        tests(
            "TillReceiptsTests",
            [
                "TillCore", "TillInput", "TillJSON", "TillColumns", "TillRows", "TillReceipts", "TillLedger",
                "TillStorage",
                "TillTestSupport",
            ]
        ),
        tests(
            "TillLegacyTests",
            ["TillCore", "TillInput", "TillReceipts", "TillPipeline", "TillTestSupport"]
        ),
        tests(
            "TillSignedTests",
            ["TillCore", "TillInput", "TillColumns", "TillRows", "TillReceipts", "TillTestSupport"]
        ),
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
        tests("TillSubmitTests", ["tillroll", "TillCore", "TillInput", "TillSubmit", "TillTestSupport"]),
        tests("CorpusTests", ["TillCore", "TillColumns", "TillRows", "TillTestSupport"], exclude: ["Cases"]),
        tests("QuirkTests", ["TillReceipts", "TillTestSupport"]),
        tests(
            "HostileTests",
            [
                "TillCore", "TillColumns", "TillInput", "TillRows", "TillReceipts", "TillInspect", "TillReportModel",
                "TillRender", "TillPipeline", "TillTestSupport", "CZlib",
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
                "TillColumns", "TillCore", "TillInput", "TillJSON", "TillRows", "TillPricing", "TillLedger",
                "TillStorage", "TillSystem",
                "TillReports",
                "TillRender", "TillPipeline", "TillTestSupport", systemPackage,
            ]
        ),
        tests("FaultTests", ["tillroll", "TillSystem", systemPackage]),
        tests("EndToEndTests", ["tillroll"], exclude: ["Cases"]),
    ],
    swiftLanguageModes: [.v6]
)
