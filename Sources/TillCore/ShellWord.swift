/// Words of a command line.
public enum ShellWord {
    /// The path of a file, which must not be read as an option.
    public static func path(_ path: String) -> String { word(path.hasPrefix("-") ? "./" + path : path) }

    /// A word as a POSIX shell reads it: quoted where it has characters that mean something there.
    public static func word(_ text: String) -> String {
        let isPlain =
            !text.isEmpty
            && text.utf8.allSatisfy { byte in
                byte >= 0x80 || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & ~0x20)
                    || Array("_./:@%+=,-".utf8).contains(byte)
            }
        if isPlain { return text }
        return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
