import WeirReport

/// Decides when to draw a progress bar and what it looks like; its user has the clock and the terminal.
///
/// A pass that takes less than `patience` shows no bar. Every drawing replaces the one before.
struct ProgressBar {
    /// The nanoseconds before a bar appears.
    static let patience: UInt64 = 1_000_000_000
    /// The nanoseconds between two drawings.
    static let pause: UInt64 = 100_000_000

    private static let cells = 24
    private let label: String
    private var nextDrawing: UInt64
    private var isDrawn = false

    /// A bar for a pass over the file at `path`, which begins at `now` (in nanoseconds of any clock).
    init(_ path: String, now: UInt64) {
        let name = path.split(separator: "/").last ?? path[...]
        label = TerminalText.cut(TerminalText.escaped(name), to: 24)
        nextDrawing = now &+ Self.patience
    }

    /// The text that draws the bar when `fraction` of the pass is done; nil if it is too early to draw.
    mutating func drawing(of fraction: Double, now: UInt64) -> String? {
        guard now >= nextDrawing else { return nil }
        nextDrawing = now &+ Self.pause
        isDrawn = true
        let done = max(0, min(1, fraction))
        let full = Int(done * Double(Self.cells))
        let bar = String(repeating: "█", count: full) + String(repeating: "░", count: Self.cells - full)
        return "\r\(label) \(bar) \(Int(done * 100)) %\u{1B}[K"
    }

    /// The text that erases the bar; empty if none was drawn.
    mutating func erasure() -> String {
        defer { isDrawn = false }
        return isDrawn ? "\r\u{1B}[K" : ""
    }
}
