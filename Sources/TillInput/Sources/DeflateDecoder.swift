/// Inflates DEFLATE streams (RFC 1951), one after the other, with a library.
///
/// ``GzipInflater`` reads the header and trailer around them, so both libraries accept and refuse the same files.
protocol DeflateDecoder: AnyObject {
    /// Prepares for another stream.
    func begin()

    /// Inflates as much of `input` as fits `output`.
    ///
    /// At the end of a stream, ``InflationStep/consumed`` may be negative, down to -``InflationStep/mostGivenBack``,
    /// because a library may have read bytes behind the stream in an earlier call.
    func step(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> InflationStep

    /// The CRC-32 (RFC 1952 §8) of earlier bytes, whose CRC-32 is `sum`, followed by `bytes`.
    func checksum(_ sum: UInt32, _ bytes: UnsafeRawBufferPointer) -> UInt32
}

/// The libraries that inflate gzip.
enum DeflateLibrary: CaseIterable {
    /// Intel's ISA-L, two to three times as fast as zlib. It may be missing.
    case isal
    /// Always there.
    case zlib

    /// A decoder of the first of these libraries that is installed; `nil` where none is.
    static func decoder(_ libraries: [DeflateLibrary]) -> (any DeflateDecoder)? {
        for library in libraries {
            switch library {
            case .isal: if let decoder = ISALDecoder() { return decoder }
            case .zlib: if let decoder = ZlibDecoder() { return decoder }
            }
        }
        return nil
    }
}

extension InflationStep.Outcome {
    /// The outcome of all defects of a stream. The messages of the libraries differ and do not help a user.
    static let damagedData = Self.damaged("the gzip stream is damaged: its compressed data is invalid")
}
