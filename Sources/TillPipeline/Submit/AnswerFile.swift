import SystemPackage
import TillCore
import TillInput
import TillSubmit
import TillSystem

/// The output of `submit`: standard output, or a file that is called `NAME.part` until the run is finished.
///
/// Each answer cost a request. Unlike other outputs, the unfinished file therefore stays if the run fails or is killed,
/// and `--resume` continues it. Only its owner may read it, and only one run at a time writes it.
final class AnswerFile {
    /// The unfinished file, and where the finished one belongs.
    private struct Part {
        let file: OpenFile
        let path: FilePath
        let place: OutputPlace
    }

    private let part: Part?
    private var stream: OutputStream
    /// Bytes in the unfinished file.
    private var byteCount = 0
    /// Whether it is removed at the end, because it has no answer.
    private var isEmpty = false
    /// The answers of the run that is continued.
    private(set) var held: HeldAnswers

    /// - Parameters:
    ///   - path: `nil` or `-` is standard output.
    ///   - resumes: whether an unfinished file is continued.
    ///   - verifier: the one that asks for the other answers.
    init(_ path: String?, resumes: Bool, _ verifier: Verifier) throws {
        held = HeldAnswers(verifier)
        guard let path, path != "-", try !OutputFile.isStream(path) else {
            stream = try OutputStream(path, isPrivate: true)
            part = nil
            return
        }
        stream = try OutputStream(nil)
        do {
            let place = try OutputPlace(FilePath(argument: path))
            let name = Self.path(of: place)
            let status = try FileSystem.linkStatusIfThere(of: name)
            let isNew = status.map { $0.byteCount == 0 } ?? true
            guard resumes || isNew else {
                throw RunError(
                    .cannotCreate,
                    "\(name.shown): has the answers of a run that did not end; add --resume to continue it, or remove it"
                )
            }
            let options: FileDescriptor.OpenOptions = status == nil ? [.create, .exclusiveCreate] : .noFollow
            func open() throws(Errno) -> OpenFile { try OpenFile(name, .readWrite, options, mode: 0o600) }
            // Until it has an answer, it is removed like all unfinished files.
            let file = isNew ? try UnfinishedFiles.make(name) { () throws(Errno) in try open() } : try open()
            part = Part(file: file, path: name, place: place)
            guard try file.lock() else {
                if isNew { UnfinishedFiles.settle(name) {} }
                throw RunError(.cannotCreate, "\(name.shown): another run writes it; wait until that run has ended")
            }
            isEmpty = isNew
            try file.setMode(0o600)
            try Self.read(file, called: name.shown, into: &held)
            byteCount = held.byteCount
            try file.truncate(to: byteCount)
            try file.seek(to: byteCount)
        } catch {
            throw RunError(error) ?? RunError(creating: path, error)
        }
    }

    /// The path of the unfinished file for an output.
    static func path(of place: OutputPlace) -> FilePath {
        FilePath(argument: place.path.string + ".part")
    }

    /// Reads the answers of an unfinished file. An incomplete line at its end does not count.
    private static func read(_ file: OpenFile, called name: String, into held: inout HeldAnswers) throws {
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { block.deallocate() }
        var (line, number, offset) = ([UInt8](), 0, 0)
        while case let count = try file.read(at: offset, into: block), count > 0 {
            offset += count
            var rest = UnsafeRawBufferPointer(rebasing: block[..<count])[...]
            while let end = rest.firstIndex(of: 0x0A) {
                line += rest[...end]
                rest = rest[(end + 1)...]
                number += 1
                do {
                    try held.add(line)
                } catch {
                    throw RunError(
                        .dataError,
                        "\(name): line \(number) is no answer that 'tillroll submit' wrote; remove or rename the file"
                    )
                }
                line.removeAll(keepingCapacity: true)
            }
            line += rest
        }
    }

    deinit {
        guard let part else { return }
        if isEmpty { UnfinishedFiles.settle(part.path) { UnfinishedFiles.remove(part.path) } }
        // What was written is there, even if close fails.
        try? part.file.close()
    }

    /// Whether the reader of standard output has closed the pipe.
    var isClosed: Bool { stream.isClosed }

    /// Whether the file is one that can be continued if the run ends now.
    var unfinishedPath: String? { byteCount > 0 ? part?.path.shown : nil }

    func takeHeld(_ receipt: [UInt8]) -> [Int64]? { held.take(receipt) }

    /// Writes a part of the lines for a receipt.
    func write(_ bytes: [UInt8]) throws(RunError) {
        guard let part else { return try stream.write(bytes) }
        if isEmpty { UnfinishedFiles.settle(part.path) {} }
        isEmpty = false
        do {
            try part.file.writeAll(bytes)
        } catch {
            throw RunError(.inputOutputError, "\(part.path.shown): cannot be written: \(error)")
        }
        byteCount += bytes.count
    }

    /// Gives the file its name.
    func finish() throws(RunError) {
        guard let part else { return try stream.finish() }
        do {
            try part.place.rights?.withoutOthers.apply(to: part.file)
            try part.file.sync()
            try UnfinishedFiles.settle(part.path) { () throws(Errno) in
                try FileSystem.move(part.path, to: part.place.path)
            }
            (isEmpty, byteCount) = (false, 0)
            try part.place.syncFolder()
        } catch {
            throw RunError(.inputOutputError, "\(part.place.path.shown): cannot be written: \(error)")
        }
    }
}
