import CISAL
import CLibXML2
import CZlib
import CZstd

/// The C libraries that inputs are read with.
public enum SystemLibraries {
    /// Names and versions, as they are in this process; `nil` where one that is opened at need is not installed.
    public static var versions: [(name: String, version: String?)] {
        [
            ("zlib", String(cString: zlibVersion())),
            ("libzstd", String(cString: ZSTD_versionString())),
            ("libisal", ISALDecoder.version),
            ("libxml2", till_xml_version().map { dotted(String(cString: $0)) }),
        ]
    }

    /// `2.9.14` of the `20914` or `20914-GITv2.9.14` that libxml2 says.
    static func dotted(_ number: String) -> String {
        guard let whole = Int(number.prefix { $0.isNumber }), whole >= 10_000 else { return number }
        return "\(whole / 10_000).\(whole / 100 % 100).\(whole % 100)"
    }
}
