/// Inflates DEFLATE streams (RFC 1951), one after the other, by a library.
///
/// What stands around them is ``GzipInflater``'s: so libraries cannot differ in what they say of it.
protocol DeflateDecoder: AnyObject {
    /// Makes ready for a further stream.
    func begin()

    /// Inflates as much of `input` as fits `output`.
    ///
    /// At the end of a stream ``InflationStep/consumed`` may be negative, down to -``InflationStep/mostGivenBack``: bytes
    /// of earlier calls turned out to lie behind it.
    func step(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> InflationStep

    /// The CRC-32 (RFC 1952 §8) of what `sum` is that of, followed by `bytes`.
    func checksum(_ sum: UInt32, _ bytes: UnsafeRawBufferPointer) -> UInt32
}

/// Which library inflates gzip.
enum DeflateLibrary: CaseIterable {
    /// Some two to three times as fast as zlib, where it is installed and knows the processor.
    case isal
    /// Everywhere.
    case zlib

    /// A decoder of the first of these libraries that is there.
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
    /// Why a library gave up. The messages of the two libraries differ and do not help a user.
    static let damagedData = Self.damaged("the gzip stream is damaged: its compressed data is invalid")
}
