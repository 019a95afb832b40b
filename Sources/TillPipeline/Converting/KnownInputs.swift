import TillCore
import TillInput

/// An input whose rows a folder of tables has.
struct LakeInput: Hashable {
    /// The SHA-256 of its inflated bytes, and with options that select rows 8 digits for these; its parts have this name.
    let name: String
    /// Inflated bytes.
    let byteCount: Int
    /// The SHA-256 of the first bytes (``ContentDigest/head``); `-` if there are fewer.
    let head: String
    /// Its documents up to the last that was accepted. A log that has grown goes on with the next one: only rejects can
    /// follow, and the last of them may have been cut.
    let documents: Int

    init(_ digest: ContentDigest, _ options: [GivenOption], documents: Int) {
        name = Self.name(digest.bytes, options)
        byteCount = digest.byteCount
        head = digest.head.map(Self.digits) ?? "-"
        self.documents = documents
    }

    /// Reads a line of a listing; `nil` if it is another one.
    init?(_ line: String) {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 5, words[0] == "=input", let byteCount = Int(words[2]), byteCount >= 0,
            let documents = Int(words[4]), documents >= 0
        else { return nil }
        (name, head) = (String(words[1]), String(words[3]))
        (self.byteCount, self.documents) = (byteCount, documents)
    }

    var text: String { "=input \(name) \(byteCount) \(head) \(documents)" }

    static func name(_ octets: [UInt8], _ options: [GivenOption]) -> String {
        guard !options.isEmpty else { return digits(octets) }
        let hash = ContentHash()
        for option in options { hash.update(Array("\(option.name) \(option.value)\n".utf8)) }
        return digits(octets) + "-" + digits(hash.octets).prefix(8)
    }

    static func digits(_ octets: [UInt8]) -> String { String(decoding: ContentHash.text(of: octets), as: UTF8.self) }
}

/// The inputs that a folder of tables has, and the search for them and for their beginnings in files.
struct KnownInputs {
    private var inputs: [String: LakeInput] = [:]
    /// Lengths of inputs, in ascending order, by their heads.
    private var lengths: [String: [Int]] = [:]
    /// Options that select rows.
    private let options: [GivenOption]

    init(_ inputs: Set<LakeInput>, _ options: [GivenOption]) {
        self.options = options
        for input in inputs {
            self.inputs[input.name] = input
            lengths[input.head, default: []].append(input.byteCount)
        }
        for (head, lengths) in lengths { self.lengths[head] = Set(lengths).sorted() }
    }

    /// What is known of a file.
    enum Answer: Equatable {
        case new
        case known
        /// This many documents at its beginning are known.
        case grown(documents: Int)
    }

    /// Reads a file, inflated, for the SHA-256 of what it holds. One that cannot be read is new, so that reading it
    /// reports the error.
    func answer(for file: InputFile, _ limit: InflationLimit) -> Answer {
        guard file.size != nil, !inputs.isEmpty else { return .new }
        let search = Search(self)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
        defer { buffer.deallocate() }
        guard let reader = try? InputReader(file, limit: limit, observer: search) else { return .new }
        while !Interruption.isRequested {
            guard let got = try? reader.read(into: buffer) else { return .new }
            if got < buffer.count { break }
        }
        guard let found = search.found, found.byteCount > 0 || search.byteCount == 0 else { return .new }
        return found.byteCount == search.byteCount ? .known : .grown(documents: found.documents)
    }

    /// The files that are not known, and how many documents at the beginning of each are.
    static func added(_ files: [InputFile], _ answers: [Answer]) -> (files: [InputFile], documents: [Int]) {
        var added: (files: [InputFile], documents: [Int]) = ([], [])
        for (file, answer) in zip(files, answers) {
            switch answer {
            case .known: continue
            case .new: added.documents.append(0)
            case .grown(let documents): added.documents.append(documents)
            }
            added.files.append(file)
        }
        return added
    }

    /// Hashes the bytes of one source, and looks for known inputs at each length that one of them has.
    private final class Search: StoredBytesObserver {
        private let known: KnownInputs
        private var hash = ContentHash()
        private(set) var byteCount = 0
        private var isInflated = false
        private var marks: ArraySlice<Int>
        /// The longest known input that the source begins with.
        private(set) var found: LakeInput?

        init(_ known: KnownInputs) {
            self.known = known
            marks = Self.shortMarks(known)
        }

        private static func shortMarks(_ known: KnownInputs) -> ArraySlice<Int> {
            (known.lengths["-", default: []] + [ContentDigest.headCount])[...]
        }

        func begin(_ source: String) {}

        func update(_ bytes: UnsafeRawBufferPointer) {
            if !isInflated { add(bytes) }
        }

        func update(inflated bytes: UnsafeRawBufferPointer) {
            if !isInflated {
                // The first stored bytes were hashed before it was known that they are compressed.
                (isInflated, hash, byteCount, found) = (true, ContentHash(), 0, nil)
                marks = Self.shortMarks(known)
            }
            add(bytes)
        }

        private func add(_ bytes: UnsafeRawBufferPointer) {
            var rest = bytes
            while let mark = marks.first, mark <= byteCount + rest.count {
                let count = mark - byteCount
                hash.update(UnsafeRawBufferPointer(rebasing: rest[..<count]))
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                byteCount = mark
                marks = marks.dropFirst()
                let octets = hash.octets
                if mark == ContentDigest.headCount, marks.isEmpty {
                    marks = known.lengths[LakeInput.digits(octets), default: []].drop { $0 < mark }
                    if marks.first == mark { marks = marks.dropFirst() }
                }
                if let input = known.inputs[LakeInput.name(octets, known.options)] { found = input }
            }
            hash.update(rest)
            byteCount += rest.count
        }
    }
}
