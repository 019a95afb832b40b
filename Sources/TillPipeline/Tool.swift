import TillInput
import TillRender
import TillSubmit

/// The name and versions of the program.
public enum Tool {
    /// The version of the program, as manifests and reports name it.
    public static let version = "0.1.0"
    /// The name and the version: `tillroll 1.2.3`.
    static let program = "tillroll \(version)"

    /// The output of `--version`: the version on the first line, then a line for each library with its name and
    /// version.
    ///
    /// Programs read the first line only. Libraries that are opened at need are looked for, and a missing one is named
    /// as not installed.
    public static var versions: String {
        let linked = [("swift", compiler)] + packages + SystemLibraries.versions
        let opened = [XLSXLibrary.version, CurlLibrary.version]
        let lines = (linked + opened).map { name, version in "\(name) \(version ?? "not installed")" }
        return ([version] + lines).joined(separator: "\n")
    }

    /// The Swift packages that are linked in, as `Package.resolved` pins them.
    static let packages: [(name: String, version: String?)] = [
        ("swift-asn1", "1.7.4"),
        ("swift-certificates", "1.21.1"),
        ("swift-crypto", "4.5.2 with BoringSSL 0226f30467f540a3f62ef48d453f93927da199b6"),
        ("swift-system", "1.8.1"),
    ]

    /// The version of the compiler, whose standard library is linked in.
    private static var compiler: String? {
        #if compiler(>=6.4)
        "6.4 or later"
        #elseif compiler(>=6.3.3)
        "6.3.3 or later"
        #elseif compiler(>=6.3.2)
        "6.3.2"
        #elseif compiler(>=6.3.1)
        "6.3.1"
        #else
        "6.3 or earlier"
        #endif
    }
}
