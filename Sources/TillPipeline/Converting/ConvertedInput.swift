import TillCore
import TillJSON
import TillReference
import TillReports

/// The documents from which rows were made, as a manifest of `tillroll convert` counts them.
///
/// A report on rows that counts these as its input is the report on the documents themselves.
struct ConvertedInput {
    /// Bytes of the longest manifest.
    static let maximumByteCount = 256 << 20

    let summary: InputSummary

    /// Reads a manifest.
    ///
    /// - Throws: ``Finding`` if the file is missing, ``RunError`` if it is not a manifest of `tillroll convert`.
    init(_ path: String) throws {
        let bytes = try ReferenceFile.bytes(of: path, option: "--converted", limit: Self.maximumByteCount)
        func wrong(_ reason: String) -> RunError { RunError(.dataError, "--converted \(path): \(reason)") }
        let tree: JSONTree
        do {
            tree = try JSONTree(bytes)
        } catch {
            throw wrong("\(error.reason), at byte \(error.offset) (\(error.code))")
        }
        guard tree["manifest"]?.number == "1", tree["command"]?.text == "convert", let counts = tree["counts"] else {
            throw wrong("it is not a manifest of 'tillroll convert'")
        }
        guard !tree.isOfFailedRun else { throw wrong("it is of a run that failed") }
        func count(_ name: String) -> Int? { counts[name]?.number.flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil } }
        guard let accepted = count("accepted"), let rejected = count("rejected"), let bytes = count("bytes"),
            case let (documents, overflow) = accepted.addingReportingOverflow(rejected), !overflow
        else { throw wrong("it lacks a count of documents, accepted, rejected or bytes") }
        summary = InputSummary(
            documents: documents,
            accepted: accepted,
            rejected: rejected,
            bytes: bytes,
            // Present only if --bundle-id selected documents.
            foreign: count("foreign_documents") ?? 0
        )
    }
}
