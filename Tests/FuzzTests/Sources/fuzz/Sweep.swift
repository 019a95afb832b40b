import Glibc
import TillTestSupport

/// Runs a target on inputs made from its seeds, without coverage: for decoders that take less time than libFuzzer's
/// loop does.
enum Sweep {
    /// The input at hand, so that a find can be written down.
    nonisolated(unsafe) private static var input: [UInt8] = []

    static func run(_ target: FuzzTarget, seconds: Int, seed: UInt64) {
        guard !target.seeds.isEmpty else { return }
        // A trap shows the input that it happened on.
        for number in [SIGABRT, SIGILL, SIGTRAP, SIGSEGV, SIGBUS] {
            signal(number) { number in
                Sweep.show()
                signal(number, SIG_DFL)
                raise(number)
            }
        }
        let alphabet = Array(Set(target.seeds.joined())).sorted() + [0, 0x20, 0x7F, 0x80, 0xFF]
        var random = SplitMix64(seed: seed)
        var executions = 0
        let start = monotonicSeconds()
        var elapsed = 0.0
        while elapsed < Double(seconds) {
            for _ in 0..<4096 {
                next(target.seeds, alphabet, &random)
                target.check(input)
            }
            executions += 4096
            elapsed = monotonicSeconds() - start
        }
        print(
            "swept \(target.name) seed \(seed): \(executions) executions in \(Int(elapsed)) s, \(Int(Double(executions) / elapsed)) a second"
        )
    }

    /// Makes the next input: a seed with up to three bytes replaced, put in, left out or moved; now and then bytes at
    /// random.
    private static func next(_ seeds: [[UInt8]], _ alphabet: [UInt8], _ random: inout SplitMix64) {
        var bits = random.next()
        func below(_ bound: Int) -> Int {
            let value = Int((bits & 0xFFFF) &* UInt64(truncatingIfNeeded: bound) >> 16)
            bits = bits >> 16 | bits << 48
            return value
        }
        input.removeAll(keepingCapacity: true)
        if below(32) == 0 {
            for _ in 0..<below(40) {
                input.append(alphabet[below(alphabet.count)])
                bits = bits &* 0x9E37_79B9_7F4A_7C15 &+ 1
            }
            return
        }
        input.append(contentsOf: seeds[below(seeds.count)])
        for _ in 0..<below(4) {
            bits = random.next()
            guard !input.isEmpty else { return }
            let index = below(input.count)
            let byte = alphabet[below(alphabet.count)]
            switch below(8) {
            case 0...3: input[index] = byte
            case 4: input.insert(byte, at: index)
            case 5: input.remove(at: index)
            case 6: input.swapAt(index, below(input.count))
            default: input[index] = input[index] &+ (bits & 1 == 0 ? 1 : 0xFF)
            }
        }
    }

    private static func show() {
        tell("input (\(input.count) bytes): \(input.map { String($0, radix: 16) }.joined(separator: " "))\n")
    }

    private static func monotonicSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
