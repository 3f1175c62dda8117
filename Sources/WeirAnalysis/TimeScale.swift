import WeirTrace

/// Converts a trace's ticks to nanoseconds.
///
/// Nothing here traps: a file may name any tick rate and any time.
package struct TimeScale: Sendable, Equatable {
    /// Ticks in a second; never 0.
    package let ticksPerSecond: UInt64
    /// The ticks at which the recording started.
    package let startTicks: UInt64

    /// A scale with the given rate; a rate of 0, which no valid trace has, counts as nanoseconds.
    package init(ticksPerSecond: UInt64, startTicks: UInt64) {
        self.ticksPerSecond = ticksPerSecond == 0 ? 1_000_000_000 : ticksPerSecond
        self.startTicks = startTicks
    }

    /// The scale of a trace.
    package init(_ header: TraceHeader) {
        self.init(ticksPerSecond: header.ticksPerSecond, startTicks: header.startTicks)
    }

    /// The duration of `ticks` in nanoseconds, rounded down; at most `UInt64.max`.
    package func nanoseconds(ticks: UInt64) -> UInt64 {
        let product = ticks.multipliedFullWidth(by: 1_000_000_000)
        if product.high == 0 { return product.low / ticksPerSecond }
        guard product.high < ticksPerSecond else { return .max }
        return ticksPerSecond.dividingFullWidth(product).quotient
    }

    /// Nanoseconds from the start of the recording until `ticks`; 0 for a time before the start.
    package func nanosecondsSinceStart(_ ticks: UInt64) -> UInt64 {
        ticks > startTicks ? nanoseconds(ticks: ticks - startTicks) : 0
    }
}
