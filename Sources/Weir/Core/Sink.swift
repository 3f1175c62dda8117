import CWeir
import WeirTrace

/// A place in a signal's list of subscribers.
@usableFromInline
struct Slot<Value> {
    /// Nil: disposed. Atomic, because a delivery reads it outside of the gate.
    @usableFromInline var pointer: UnsafeMutableRawPointer?
    @usableFromInline let key: UInt64

    init(sink: Sink<Value>, key: UInt64) {
        pointer = Unmanaged.passRetained(sink).toOpaque()
        self.key = key
    }

    /// The sink, if it has not been disposed; alive at least until the delivery under way is over.
    @inlinable @inline(__always)
    static func sink(_ slot: UnsafeMutablePointer<Slot>) -> Unmanaged<Sink<Value>>? {
        guard let pointer = weir_load_pointer(&slot.pointee.pointer) else { return nil }
        let sink = Unmanaged<Sink<Value>>.fromOpaque(pointer)
        return sink._withUnsafeGuaranteedRef({ weir_load_bool(&$0.isActive) }) ? sink : nil
    }
}

/// The subscriber's end of a subscription, held by the signal alone: the closure, and what a trace says of it.
@usableFromInline
final class Sink<Value> {
    // A constant, so that calling it through an unretained reference costs no reference counting.
    @usableFromInline let handler: (Value) -> Void
    @usableFromInline @exclusivity(unchecked) var word: UInt64 = 0
    @usableFromInline @exclusivity(unchecked) var isActive = true
    /// Not an edge of the graph: the delivery is a refresh, and is timed.
    @usableFromInline let isTerminal: Bool
    private let line: UInt32
    private let file: UnsafePointer<UInt8>
    /// The observer that was made before it subscribed.
    private let target: Node?
    /// The combiner that is fed; its inputs must not hold it, and it may go while another thread delivers.
    private weak var edge: Node?

    @usableFromInline
    init(_ handler: @escaping (Value) -> Void, target: Node?, edge: Node?, file: StaticString, line: UInt) {
        self.handler = handler
        self.target = target
        self.edge = edge
        isTerminal = edge == nil
        self.file = file.utf8Start
        self.line = UInt32(clamping: line)
    }

    @inlinable @inline(__always)
    func code(_ log: ThreadLog, source: Node) -> UInt32 {
        let known = weir_load_acquire_u64(&word)
        if _fastPath(UInt32(truncatingIfNeeded: known &>> 32) == log.generation) {
            return UInt32(truncatingIfNeeded: known)
        }
        return define(log, source: source)
    }

    @usableFromInline @inline(never)
    func define(_ log: ThreadLog, source: Node) -> UInt32 {
        let target = target ?? edge
        let sourceCode = source.code(log)
        if sourceCode == 0 { return 0 }
        let description = SubscriptionDescription(
            source: sourceCode, target: target?.code(log) ?? 0, isInternal: !isTerminal, file: file, line: line)
        let code = log.define(description, word: &word)
        if code == 0 {
            log.countLost(1)
            return 0
        }
        guard log.isReady(weir_recording()) else { return 0 }
        return UInt32(truncatingIfNeeded: word >> 32) == log.generation ? code : define(log, source: source)
    }

    func recordStarted(source: Node) {
        let log = ThreadLog()
        guard log.isReady(weir_recording()) else { return }
        let code = code(log, source: source)
        if code != 0 { log.fact(.subscriptionStarted, code) }
    }

    func recordEnded(source: Node, _ reason: SubscriptionEndReason) {
        let log = ThreadLog()
        guard log.isReady(weir_recording()) else { return }
        // Of an unknown subscription nothing was said that would need an end.
        if reason == .sourceReleased && !log.knows(word) { return }
        let code = code(log, source: source)
        if code != 0 { log.subscriptionEnded(code, reason) }
    }
}
