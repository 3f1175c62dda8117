#if !Recording
import CWeirCore

// These declarations replace the recorder in a build without it: nothing is ever being recorded. The compiler removes the code that
// depends on that, so a program contains none of them.

@_alwaysEmitIntoClient @inline(__always)
func weir_recording() -> UInt32 { 0 }

typealias ThreadLog = NoLog

/// There is no trace that could have a place.
enum NoLog {
    struct Place: Sendable {}
}

typealias InputEdge = NoEdge

/// No render is fed by a node.
struct NoEdge {
    func cut() {}
}

/// A lock for the slow paths.
final class SystemLock: @unchecked Sendable {
    private let gate = UnsafeMutablePointer<weir_gate>.allocate(capacity: 1)

    init() { gate.initialize(to: weir_gate()) }
    deinit { gate.deallocate() }

    func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
        try HeldGate.inside(gate, body)
    }
}
#endif
