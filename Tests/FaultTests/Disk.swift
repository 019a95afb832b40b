import Foundation
import Synchronization
import SystemPackage
import TillSystem

/// Keeps a record of what would be on the disk after a power cut, and looks at it after each call that changes
/// something.
///
/// The model: what a file was when it was synced last is on the disk, and nothing else of it. The names in a folder are
/// those of its last sync, or those of now: a file system may write them earlier. `rename` and `exchange` are atomic.
final class Disk: SystemInterposer {
    /// The files of one possible state after a power cut: path in the folder → contents.
    typealias Image = [String: [String: [UInt8]]]

    private struct State {
        var contents: [UInt64: [UInt8]] = [:]
        var entries: [UInt64: [String: UInt64]] = [:]
        /// The numbers of the folders that were met.
        var folders: Set<UInt64> = []
        var count = 0
    }

    private let folder: String
    private let streams: [Int32]
    private let look: @Sendable (_ call: String, _ images: [Image]) -> Void
    private let state = Mutex(State())

    /// - Parameter look: is given the states in which the disk may be after a call.
    init(_ folder: String, streams: [Int32], look: @escaping @Sendable (_ call: String, _ images: [Image]) -> Void) {
        (self.folder, self.streams, self.look) = (folder, streams, look)
        state.withLock { state in Self.syncAll(folder, &state) }
    }

    /// How often the disk was looked at.
    var count: Int { state.withLock { $0.count } }

    /// What is on the disk for certain.
    var certainImage: Image { state.withLock { image($0, namesOfNow: false, namesBelowOfNow: false) } }

    func perform(_ call: SystemCall, _ make: (SystemCall) throws(Errno) -> Int) throws(Errno) -> Int {
        var call = call
        let isStandard = (0...2).contains(call.descriptor)
        if call.name == .close && isStandard { return 0 }
        if isStandard { call.descriptor = streams[Int(call.descriptor)] }
        if call.name == .fsync {
            sync(call.descriptor)
        } else {
            let result = try make(call)
            if call.name == .openUnnamed { forget(Int32(result)) }
            if call.name == .open, let path = call.path { forgetNew(path, Int32(result)) }
            if call.name == .mkdir, let made = call.path.flatMap({ Self.number(ofPath: $0.string) }) {
                state.withLock { state in
                    state.folders.insert(made.number)
                    state.entries[made.number] = nil
                }
            }
            guard Self.changing.contains(call.name), !isStandard else { return result }
            lookNow(call.name.rawValue)
            return result
        }
        lookNow(call.name.rawValue)
        return 0
    }

    private static let changing: Set<SystemCall.Name> = [
        .open, .write, .pwrite, .rename, .exchange, .link, .linkUnnamed, .unlink, .mkdir, .rmdir,
    ]

    private func lookNow(_ call: String) {
        let images = state.withLock { state in
            state.count += 1
            return [
                (try? CommandRun.contents(of: folder)) ?? [:],
                image(state, namesOfNow: false, namesBelowOfNow: false),
                image(state, namesOfNow: true, namesBelowOfNow: true),
                image(state, namesOfNow: true, namesBelowOfNow: false),
            ]
        }
        look(call, images)
    }

    private func sync(_ descriptor: Int32) {
        state.withLock { state in
            guard let (number, isFolder) = Self.number(of: descriptor) else { return }
            let path = "/proc/self/fd/\(descriptor)"
            if isFolder {
                state.entries[number] = Self.names(in: path)
            } else {
                state.contents[number] = Self.bytes(of: path)
            }
        }
    }

    /// Forgets a file that had the number of a new one.
    private func forget(_ descriptor: Int32) {
        guard let (number, _) = Self.number(of: descriptor) else { return }
        state.withLock { $0.contents[number] = nil }
    }

    private func forgetNew(_ path: FilePath, _ descriptor: Int32) {
        guard let (number, isFolder) = Self.number(of: descriptor), !isFolder, path.string.contains(".part") else {
            return
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_size == 0 else { return }
        state.withLock { $0.contents[number] = nil }
    }

    // MARK: Images

    private func image(_ state: State, namesOfNow: Bool, namesBelowOfNow: Bool) -> Image {
        guard let root = Self.number(ofPath: folder) else { return [:] }
        let names = namesOfNow ? Self.names(in: folder) : state.entries[root.number] ?? [:]
        var image: Image = [:]
        for (name, number) in names {
            image[name] = files(number, namesBelowOfNow ? folder + "/" + name : nil, state)
        }
        return image
    }

    /// - Parameter path: where the file is now, if the names below are those of now.
    private func files(_ number: UInt64, _ path: String?, _ state: State) -> [String: [UInt8]] {
        guard state.folders.contains(number) || state.entries[number] != nil || path.map(Self.isFolder) ?? false else {
            return ["": state.contents[number] ?? []]
        }
        var files: [String: [UInt8]] = [:]
        for (name, below) in path.map({ Self.names(in: $0) }) ?? state.entries[number] ?? [:] {
            for (rest, bytes) in self.files(below, path.map { $0 + "/" + name }, state) {
                files["/" + name + rest] = bytes
            }
        }
        return files
    }

    // MARK: The real files

    /// Takes all that is below a folder for synced.
    private static func syncAll(_ path: String, _ state: inout State) {
        guard let (number, isFolder) = number(ofPath: path) else { return }
        guard isFolder else {
            state.contents[number] = bytes(of: path)
            return
        }
        state.folders.insert(number)
        let names = names(in: path)
        state.entries[number] = names
        for name in names.keys { syncAll(path + "/" + name, &state) }
    }

    private static func names(in path: String) -> [String: UInt64] {
        var names: [String: UInt64] = [:]
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] {
            names[name] = number(ofPath: path + "/" + name)?.number
        }
        return names
    }

    private static func bytes(of path: String) -> [UInt8] {
        (try? CommandRun.bytes(of: path)) ?? []
    }

    private static func isFolder(_ path: String) -> Bool { number(ofPath: path)?.isFolder ?? false }

    private static func number(ofPath path: String) -> (number: UInt64, isFolder: Bool)? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        return (UInt64(status.st_ino), status.st_mode & S_IFMT == S_IFDIR)
    }

    private static func number(of descriptor: Int32) -> (number: UInt64, isFolder: Bool)? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        return (UInt64(status.st_ino), status.st_mode & S_IFMT == S_IFDIR)
    }
}
