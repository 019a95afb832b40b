import CPlatform
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Processors, memory and clocks of the machine, and limits of this process.
public enum Machine {
    /// The number of processors that are online, at least 1.
    public static var processorCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    /// Bytes of memory of the machine; `nil` if the system does not tell.
    public static var memory: Int? {
        let (pages, size) = (sysconf(Int32(_SC_PHYS_PAGES)), sysconf(Int32(_SC_PAGESIZE)))
        guard pages > 0, size > 0 else { return nil }
        return pages * size
    }

    /// Bytes that the process may take: the smaller of the limits on addresses and on data (`ulimit -v`, `-d`). `nil`
    /// if neither is set.
    public static var memoryLimit: Int? {
        let limit = till_memory_limit()
        return limit > 0 ? Int(clamping: limit) : nil
    }

    /// Nanoseconds on a clock that only goes forward.
    public static var uptime: Int { time(of: CLOCK_MONOTONIC, .monotonicTime) }

    /// Nanoseconds that all threads of this process have run on a processor.
    public static var processorTime: Int { time(of: CLOCK_PROCESS_CPUTIME_ID, .processorTime) }

    /// Nanoseconds since 1970 by the clock of the machine, which may be set.
    public static var time: Int { time(of: CLOCK_REALTIME, .time) }

    private static func time(of clock: clockid_t, _ name: SystemCall.Name) -> Int {
        let time = try? SystemCall(name).perform { _ in
            var time = timespec()
            guard clock_gettime(clock, &time) == 0 else { return -1 }
            return time.tv_sec * 1_000_000_000 + time.tv_nsec
        }
        // Every system has these clocks.
        return time ?? 0
    }
}
