import TillCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Writes the folder of samples: small, synthetic, and the same bytes for the same seed.
@main
struct TillrollSamples {
    private static let usage = "usage: tillroll-samples OUTDIR [--seed N]"
    private static let defaultSeed: UInt64 = 90_210

    private let folder: String
    private let seed: UInt64

    static func main() {
        do {
            try TillrollSamples(arguments: CommandLine.arguments.dropFirst()).run()
        } catch {
            complain(error.message)
            exit(error.status)
        }
    }

    private init(arguments: ArraySlice<String>) throws(SamplesError) {
        var arguments = arguments
        var seed = Self.defaultSeed
        if let flag = arguments.firstIndex(of: "--seed") {
            guard flag + 1 < arguments.endIndex, let number = UInt64(arguments[flag + 1]) else {
                throw SamplesError(Self.usage, status: 64)
            }
            seed = number
            arguments.removeSubrange(flag...flag + 1)
        }
        guard arguments.count == 1, let folder = arguments.first, !folder.isEmpty, !folder.hasPrefix("-") else {
            throw SamplesError(Self.usage, status: 64)
        }
        self.folder = folder
        self.seed = seed
    }

    private func run() throws(SamplesError) {
        let clientele = Clientele(seed: seed)
        var verify = VerifySamples(seed: seed, clientele: clientele)
        var events = EventSamples(seed: seed)
        var notifications = NotificationSamples(seed: seed, clientele: clientele)
        var log = LogSamples(seed: seed)
        var broken = BrokenSamples(seed: seed, clientele: clientele)
        let files: [SampleFile]
        do {
            files =
                try verify.files() + ReceiptSamples(seed: seed, clientele: clientele).files()
                + LegacySamples(seed: seed, clientele: clientele).files()
                + JWSSamples(seed: seed, clientele: clientele).files() + notifications.files() + events.files()
                + log.files() + DelimitedSamples(seed: seed, clientele: clientele).files() + broken.files()
                + OddSamples().files() + PriceListSample().files() + FinanceSamples().files() + QuerySamples().files()
                + [Self.roots]
        } catch {
            throw SamplesError("tillroll-samples: a test key cannot sign: \(error)", status: 70)
        }
        for file in files + [Self.readme(of: files)] { try write(file) }
    }

    private static var roots: SampleFile {
        SampleFile(
            path: "test-roots.pem",
            shows: "the roots of the test keys that signed all this, for `--anchor`; they prove nothing",
            text: TestSigner.roots
        )
    }

    private static func readme(of files: [SampleFile]) -> SampleFile {
        let introduction = [
            "# Samples",
            "",
            "Small inputs to try `tillroll` on. All of it is made up: the apps do not exist, nobody bought anything, and",
            "what is signed is signed with test keys, which tillroll trusts only where `--anchor test-roots.pem` tells it",
            "to. `make samples` writes this folder, this page included, from a fixed seed; to change a sample, change",
            "`Sources/tillroll-samples`.",
            "",
            "| file | what it shows |",
            "| --- | --- |",
        ]
        let rows = files.map { "| `\($0.path)` | \($0.shows) |" }
        return SampleFile(path: "README.md", shows: "this list", lines: introduction + rows)
    }
}

// MARK: - Writing

extension TillrollSamples {
    private func write(_ file: SampleFile) throws(SamplesError) {
        let path = folder + "/" + file.path
        Self.makeFolders(above: path)
        guard let stream = fopen(path, "wb") else { throw .cannotWrite(path) }
        let written = fwrite(file.octets, 1, file.octets.count, stream)
        guard fclose(stream) == 0, written == file.octets.count else { throw .cannotWrite(path) }
    }

    /// Makes what is missing of the path; if that fails, opening the file will tell.
    private static func makeFolders(above path: String) {
        var prefix = ""
        for part in path.split(separator: "/", omittingEmptySubsequences: false).dropLast() {
            prefix += part + "/"
            mkdir(prefix, 0o777)
        }
    }

    private static func complain(_ message: String) {
        guard let stream = fdopen(STDERR_FILENO, "w") else { return }
        fputs(message + "\n", stream)
        fclose(stream)
    }
}

/// Why no samples were written, and the exit status that says so.
private struct SamplesError: Error {
    let message: String
    let status: Int32

    init(_ message: String, status: Int32) {
        self.message = message
        self.status = status
    }

    static func cannotWrite(_ path: String) -> SamplesError {
        SamplesError("tillroll-samples: cannot write \(path)", status: 73)
    }
}
