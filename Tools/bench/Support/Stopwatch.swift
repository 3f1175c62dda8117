#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Times work with the system's monotonic clock.
enum Stopwatch {
    /// Nanoseconds since some fixed moment.
    static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// How many nanoseconds `body` takes.
    static func nanoseconds(_ body: () throws -> Void) rethrows -> Double {
        let start = now
        try body()
        return Double(now - start)
    }
}
