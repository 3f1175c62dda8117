import WeirAnalysis
import WeirTrace

/// Waits between events as long as the recorded program did, or a fraction of that.
struct Pace {
    private let speed: Double
    private let timeScale: TimeScale
    private var first: (event: UInt64, now: UInt64)?
    private let now: () -> UInt64

    init(speed: Double, timeScale: TimeScale, now: @escaping () -> UInt64 = System.nanoseconds) {
        self.speed = speed
        self.timeScale = timeScale
        self.now = now
    }

    /// A closure that waits until the event is due; nil if it already is.
    mutating func pause(before event: TraceEvent) -> (() -> Void)? {
        guard let delay = delay(before: event), delay >= 1_000_000 else { return nil }
        return { Self.sleep(nanoseconds: delay) }
    }

    /// Nanoseconds until the event is due; nil if it already is.
    mutating func delay(before event: TraceEvent) -> UInt64? {
        let time = timeScale.nanosecondsSinceStart(event.ticks)
        guard let first else {
            first = (time, now())
            return nil
        }
        let recorded = Double(time > first.event ? time - first.event : 0) / speed
        let passed = Double(now() &- first.now)
        // A trace may contain any time: every wait of more than a year counts as one year.
        return recorded > passed ? UInt64(min(recorded - passed, 3e16)) : nil
    }

    private static func sleep(nanoseconds: UInt64) {
        var left = nanoseconds / 1_000_000
        while left > 0 {
            let part = min(left, 100)
            System.sleep(milliseconds: UInt32(part))
            left -= part
        }
    }
}
