/// A file to be written below the folder of samples.
struct SampleFile {
    /// With `/` between folders.
    let path: String
    /// What a reader can see in it; its line in README.md.
    let shows: String
    let octets: [UInt8]

    init(path: String, shows: String, octets: [UInt8]) {
        self.path = path
        self.shows = shows
        self.octets = octets
    }

    init(path: String, shows: String, text: String) {
        self.init(path: path, shows: shows, octets: Array(text.utf8))
    }

    /// Each line gets its line feed, the last one too.
    init(path: String, shows: String, lines: [String]) {
        self.init(path: path, shows: shows, text: lines.map { $0 + "\n" }.joined())
    }
}
