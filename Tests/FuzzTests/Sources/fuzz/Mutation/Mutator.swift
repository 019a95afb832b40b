/// libFuzzer's own mutation, which knows what comparisons were made with.
@_silgen_name("LLVMFuzzerMutate")
private func ownMutation(_ data: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int) -> Int

/// What libFuzzer calls for a new input: half of them are changed by ``StructuredMutator``, half by libFuzzer itself.
@_cdecl("LLVMFuzzerCustomMutator")
func mutate(_ data: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int, _ seed: UInt32) -> Int {
    guard count > 0, seed & 1 == 0, FuzzTarget.current?.isStructured == true else {
        return ownMutation(data, count, limit)
    }
    var mutator = StructuredMutator(seed: UInt64(seed))
    let changed = mutator.mutation(of: Array(UnsafeBufferPointer(start: data, count: count)))
    guard !changed.isEmpty, changed.count <= limit else { return ownMutation(data, count, limit) }
    _ = UnsafeMutableBufferPointer(start: data, count: limit).update(fromContentsOf: changed)
    return changed.count
}
