import Glibc

/// libFuzzer's own loop (`fuzzer_no_main` of the toolchain's runtime), which calls back with one input after another.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

/// The decoder that is fuzzed: `fuzz TARGET [libFuzzer's own flags] [CORPUS…]`.
guard CommandLine.argc > 1, let target = FuzzTarget.all.first(where: { $0.name == CommandLine.arguments[1] }) else {
    print(FuzzTarget.all.map(\.name).joined(separator: "\n"))
    exit(CommandLine.argc > 1 ? 64 : 0)
}
FuzzTarget.current = target

var count = CommandLine.argc - 1
var arguments = CommandLine.unsafeArgv + 1
exit(
    runDriver(&count, &arguments) { start, count in
        FuzzTarget.current?.check(Array(UnsafeBufferPointer(start: start, count: count)))
        return 0
    }
)
