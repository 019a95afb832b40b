/// The refusal of an address such as `s3://bucket/key` where a command takes a file: only `submit` uses the network.
public enum RemoteAddress {
    private static let programs: [(schemes: [String], read: String, write: String)] = [
        (["s3", "s3a", "s3n"], "aws s3 cp URL -", "aws s3 cp - URL"),
        (["gs"], "gcloud storage cat URL", "gcloud storage cp - URL"),
        (["hdfs", "abfs", "abfss", "wasb", "wasbs"], "hdfs dfs -cat URL", "hdfs dfs -put - URL"),
        (["http", "https", "ftp", "ftps", "sftp"], "curl -sSfL URL", "curl -sSfT - URL"),
    ]
    private static let outputs: Set<Flag> = [.output, .rejects, .manifest, .metrics, .alertJSON, .payout, .part]

    /// The sentence about an operand; `nil` if it is no address.
    public static func refusal(ofInput text: String) -> String? {
        scheme(of: text).map { scheme in
            if scheme == "file" { return "file:// addresses are not read; name the path alone" }
            let program = program(for: scheme)?.read ?? "PROGRAM URL"
            return "\(scheme):// addresses are not read, since tillroll uses no network; pipe the file: "
                + "'\(program) | tillroll …', with '-' as the input"
        }
    }

    /// The sentence about the value of a flag that names a file; `nil` if it is no address.
    static func refusal(of text: String, for flag: Flag) -> String? {
        scheme(of: text).map { scheme in
            if scheme == "file" { return "\(flag) takes a path; name it without file://" }
            guard outputs.contains(flag) else {
                let program = program(for: scheme)?.read ?? "PROGRAM URL"
                return
                    "\(flag): \(scheme):// addresses are not read, since tillroll uses no network; make a copy first: "
                    + "'\(program) > FILE'"
            }
            let program = program(for: scheme)?.write ?? "PROGRAM URL"
            let reason = "\(flag): \(scheme):// addresses are not written, since tillroll uses no network; "
            return reason
                + (flag == .output
                    ? "pipe the result: 'tillroll … -o - | \(program)', or write a file or folder and copy it"
                    : "write a file and copy it: '\(program) < FILE'")
        }
    }

    /// The scheme in lower case (RFC 3986 §3.1); `nil` if no `://` follows one.
    ///
    /// The rest of an address is not repeated in messages, because it may hold a password.
    private static func scheme(of text: String) -> String? {
        guard let end = text.utf8.firstIndex(of: UInt8(ascii: ":")), text.utf8[end...].starts(with: "://".utf8) else {
            return nil
        }
        let scheme = text.utf8[..<end]
        let isScheme = scheme.allSatisfy { byte in
            switch byte | 0x20 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): true
            default: (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "+-.".utf8.contains(byte)
            }
        }
        guard isScheme, let first = scheme.first, first >= UInt8(ascii: "A") else { return nil }
        return text[..<end].lowercased()
    }

    private static func program(for scheme: String) -> (schemes: [String], read: String, write: String)? {
        programs.first { $0.schemes.contains(scheme) }
    }
}
