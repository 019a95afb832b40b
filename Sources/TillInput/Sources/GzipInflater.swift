import TillCore

/// Inflates gzip members (RFC 1952).
///
///     [ header ][ DEFLATE stream ][ CRC-32 ×4 ][ length ×4 ]
///
/// A library decodes the DEFLATE stream. This type checks header and trailer.
final class GzipInflater: Inflater {
    private enum Part {
        case header(GzipHeader)
        case data
        /// With the bytes of the trailer that were read.
        case trailer([UInt8])
    }

    private let decoder: any DeflateDecoder
    private var part = Part.header(GzipHeader())
    /// The CRC-32 and the length (modulo 2³²) of the member's output so far.
    private var (sum, length): (UInt32, UInt32) = (0, 0)

    let code = InputDefect.gzip
    let name = "gzip"
    let memberName = "member"

    static func recognizes(_ magic: [UInt8]) -> Bool { GzipHeader.recognizes(magic) }

    /// - Parameter libraries: candidates; the first that is installed is used.
    init(source: String, libraries: [DeflateLibrary] = DeflateLibrary.allCases) throws(Finding) {
        guard let decoder = DeflateLibrary.decoder(libraries) else {
            throw Finding(.gzip, source: source, reason: "no library could be set up to inflate it")
        }
        self.decoder = decoder
    }

    func firstBeginning(in bytes: UnsafeRawBufferPointer) -> Int? { GzipHeader.first(in: bytes) }

    func beginMember() {
        decoder.begin()
        part = .header(GzipHeader())
        (sum, length) = (0, 0)
    }

    func step(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> InflationStep {
        switch part {
        case .header(var header):
            let step = read(&header, from: input)
            // At the end of the header, `read` has set `part` to `.data`.
            if case .header = part { part = .header(header) }
            return step
        case .data:
            var step = decoder.step(input, into: output)
            sum = decoder.checksum(sum, UnsafeRawBufferPointer(rebasing: output[..<step.written]))
            length &+= UInt32(truncatingIfNeeded: step.written)
            if step.outcome == .ended {
                part = .trailer([])
                step.outcome = .unfinished
            }
            return step
        case .trailer(var bytes):
            let step = readTrailer(&bytes, from: input)
            part = .trailer(bytes)
            return step
        }
    }

    private func read(_ header: inout GzipHeader, from input: UnsafeRawBufferPointer) -> InflationStep {
        for (index, byte) in input.enumerated() {
            switch header.push(byte) {
            case .unfinished: continue
            case .damaged(let reason):
                return InflationStep(consumed: index + 1, written: 0, outcome: .damaged(reason))
            case .complete:
                part = .data
                return InflationStep(consumed: index + 1, written: 0, outcome: .unfinished)
            }
        }
        return InflationStep(consumed: input.count, written: 0, outcome: .unfinished)
    }

    private func readTrailer(_ bytes: inout [UInt8], from input: UnsafeRawBufferPointer) -> InflationStep {
        var consumed = 0
        func step(_ outcome: InflationStep.Outcome) -> InflationStep {
            InflationStep(consumed: consumed, written: 0, outcome: outcome)
        }
        while consumed < input.count {
            bytes.append(input[consumed])
            consumed += 1
            if bytes.count == 4, Self.number(bytes[...]) != sum {
                return step(.damaged("the gzip stream is damaged: a checksum is wrong"))
            }
            guard bytes.count == 8 else { continue }
            guard Self.number(bytes[4...]) == length else {
                return step(.damaged("the gzip stream is damaged: the length of a member is wrong"))
            }
            return step(.ended)
        }
        return step(.unfinished)
    }

    /// The value of the first four bytes, little-endian.
    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}
