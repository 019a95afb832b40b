/// The files that a run writes, with their digests.
final class WrittenFiles {
    private(set) var files: [(path: String, digest: Manifest.OutputDigest)] = []

    func append(_ path: String, _ digest: Manifest.OutputDigest) {
        files.append((path, digest))
    }
}
