public import TillCore
public import TillPricing

extension TimeZoneRules {
    /// The largest file that is read; those of the database have a few thousand bytes.
    public static let maximumByteCount = 1 << 20

    /// Whether a name may be looked up in the database: parts of letters, digits, `_`, `-` and `+`, so that the name
    /// cannot lead out of the database folder.
    public static func isName(_ name: String) -> Bool {
        guard !name.isEmpty, name.utf8.count <= 64 else { return false }
        return name.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
            !part.isEmpty
                && part.utf8.allSatisfy { byte in
                    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || byte == 0x5F || byte == 0x2D
                        || byte == 0x2B
                }
        }
    }

    /// Reads a file of the tz database (RFC 8536).
    ///
    ///     header v1 · data of 32 bits · header v2+ · data of 64 bits · LF rule LF
    ///
    ///     header   "TZif" version reserved[15] isutcnt isstdcnt leapcnt timecnt typecnt charcnt     44 octets
    ///     data     times[timecnt] types[timecnt] (utoff:4 isdst:1 idx:1)[typecnt] chars leaps isstd isut
    ///
    /// Files with leap seconds (`right/…`) are refused: instants here do not count them.
    public init(name: String, tzif bytes: [UInt8]) throws(Finding) {
        guard bytes.count <= Self.maximumByteCount else {
            throw Finding("tz.format", "\(name): a time zone has at most \(Self.maximumByteCount) bytes")
        }
        var reader = TZifReader(name: name, bytes: bytes)
        var header = try reader.header()
        var width = 4
        if header.version >= 2 {
            try reader.skip(header.byteCount(width: 4))
            header = try reader.header()
            width = 8
        }
        guard header.leapCount == 0 else {
            throw Finding("tz.format", "\(name): its times count leap seconds, which no receipt does")
        }
        guard header.typeCount > 0 else { throw Finding("tz.format", "\(name): it has no offset at all") }
        let transitions = try reader.times(header.timeCount, width: width)
        let types = try reader.octets(header.timeCount)
        let offsets = try reader.offsets(header.typeCount)
        try reader.skip(header.charCount + header.standardCount + header.universalCount)
        guard types.allSatisfy({ Int($0) < offsets.count }) else {
            throw Finding("tz.format", "\(name): a transition leads to an offset that is not there")
        }
        for (earlier, later) in zip(transitions, transitions.dropFirst()) where earlier >= later {
            throw Finding("tz.format", "\(name): its transitions are not in order")
        }
        let rule = header.version >= 2 ? try reader.footer() : nil
        self.init(
            name: name,
            transitions: transitions,
            offsets: types.map { offsets[Int($0)] },
            firstOffset: offsets[0],
            rule: try rule.map { text throws(Finding) in try PosixTimeZone(text, of: name) }
        )
    }
}

/// Reads big-endian fields of a time zone file, and checks each read against the bytes that are left.
private struct TZifReader {
    struct Header {
        let version: Int
        let universalCount: Int
        let standardCount: Int
        let leapCount: Int
        let timeCount: Int
        let typeCount: Int
        let charCount: Int

        func byteCount(width: Int) -> Int {
            timeCount * (width + 1) + typeCount * 6 + charCount + leapCount * (width + 4) + standardCount
                + universalCount
        }
    }

    let name: String
    let bytes: [UInt8]
    var position = 0

    init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }

    mutating func octets(_ count: Int) throws(Finding) -> ArraySlice<UInt8> {
        guard count >= 0, count <= bytes.count - position else {
            throw Finding("tz.truncated", "\(name): it ends after \(bytes.count) of its bytes")
        }
        defer { position += count }
        return bytes[position..<position + count]
    }

    mutating func skip(_ count: Int) throws(Finding) {
        _ = try octets(count)
    }

    private mutating func integer(_ width: Int) throws(Finding) -> Int64 {
        let octets = try octets(width)
        let value = octets.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return width == 4 ? Int64(Int32(truncatingIfNeeded: value)) : Int64(bitPattern: value)
    }

    mutating func header() throws(Finding) -> Header {
        guard try octets(4).elementsEqual("TZif".utf8) else {
            throw Finding("tz.format", "\(name): it is not a time zone file")
        }
        guard let version = try octets(1).first else { throw Finding("tz.truncated", name) }
        try skip(15)
        var counts: [Int] = []
        for _ in 0..<6 {
            let count = try integer(4)
            // A count above the number of bytes is false. The check also keeps the sums small.
            guard (0...Int64(bytes.count)).contains(count) else {
                throw Finding("tz.truncated", "\(name): it states \(count) entries")
            }
            counts.append(Int(count))
        }
        return Header(
            version: version >= 0x32 ? Int(version) - 0x30 : 1,
            universalCount: counts[0],
            standardCount: counts[1],
            leapCount: counts[2],
            timeCount: counts[3],
            typeCount: counts[4],
            charCount: counts[5]
        )
    }

    mutating func times(_ count: Int, width: Int) throws(Finding) -> [Int64] {
        var times: [Int64] = []
        for _ in 0..<count { times.append(try integer(width)) }
        return times
    }

    mutating func offsets(_ count: Int) throws(Finding) -> [Int] {
        var offsets: [Int] = []
        for _ in 0..<count {
            let offset = try integer(4)
            try skip(2)
            // RFC 8536 §3.2: more than -25 and less than 26 hours.
            guard offset > -90_000, offset < 93_600 else {
                throw Finding("tz.format", "\(name): an offset of \(offset) seconds")
            }
            offsets.append(Int(offset))
        }
        return offsets
    }

    /// The rule between two line feeds; `nil` if it is empty.
    mutating func footer() throws(Finding) -> String? {
        guard try octets(1).first == 0x0A, let end = bytes[position...].firstIndex(of: 0x0A) else {
            throw Finding("tz.truncated", "\(name): its last line is missing")
        }
        let text = String(decoding: try octets(end - position), as: UTF8.self)
        return text.isEmpty ? nil : text
    }
}
