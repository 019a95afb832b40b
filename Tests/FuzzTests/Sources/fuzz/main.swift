import Glibc

/// libFuzzer's own loop (`fuzzer_no_main` of the toolchain's runtime), which calls back with one input after another.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

// fuzz                            the names of the targets
// fuzz sweeps                     those that can be swept
// fuzz sweep TARGET SECONDS SEED  inputs made from seeds, without coverage
// fuzz TARGET [libFuzzer's own flags] [CORPUS…]
let words = CommandLine.arguments
let isSweep = words.count == 5 && words[1] == "sweep"
guard words.count > 1, words[1] != "sweeps" else {
    let targets = FuzzTarget.all.filter { words.count == 1 || !$0.seeds.isEmpty }
    print(targets.map(\.name).joined(separator: "\n"))
    exit(0)
}
guard let target = FuzzTarget.all.first(where: { $0.name == words[isSweep ? 2 : 1] }) else {
    tell("fuzz: there is no target '\(words[isSweep ? 2 : 1])'; run fuzz without arguments for their names\n")
    exit(64)
}
FuzzTarget.current = target
if isSweep {
    Sweep.run(target, seconds: Int(words[3]) ?? 1, seed: UInt64(words[4]) ?? 1)
    exit(0)
}

var count = CommandLine.argc - 1
var arguments = CommandLine.unsafeArgv + 1
exit(
    runDriver(&count, &arguments) { start, count in
        FuzzTarget.current?.check(Array(UnsafeBufferPointer(start: start, count: count)))
        return 0
    }
)
