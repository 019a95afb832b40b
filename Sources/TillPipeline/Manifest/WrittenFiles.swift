/// The files that a run writes, with their digests.
final class WrittenFiles {
    private(set) var files: [Manifest.File] = []

    func append(_ path: String, _ digest: ContentDigest) {
        files.append((path, digest))
    }
}
