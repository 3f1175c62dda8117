#if Recording
import CWeirCore
import WeirRecording

// Nodes of modules that the recording leaves out.
//
// The node's word holds the decision: the recording's first generation with the high bit set, which no generation has. So a
// record of another node costs nothing for it, and a node that is left out takes the slow path, which asks here.
extension Node {
    @usableFromInline static let leftOutBit: UInt32 = 1 << 31

    /// Whether the recording leaves the node out, because its module was not chosen.
    @inlinable @inline(__always)
    final var isLeftOut: Bool {
        let recording = weir_choosing()
        return _slowPath(recording != 0) && isLeftOut(of: recording)
    }

    @usableFromInline @inline(never)
    final func isLeftOut(of recording: UInt32) -> Bool {
        let known = weir_load_acquire_u64(&word)
        let mark = UInt32(truncatingIfNeeded: known >> 32)
        if mark & Self.leftOutBit != 0 {
            if mark == recording | Self.leftOutBit { return true }
        } else if mark >= recording {
            return false
        }
        // A signal handler that has interrupted the recorder must not wait for its locks.
        guard !weir_has_interrupted_recorder(), let modules = TraceWriter.active?.configuration.modules else {
            return false
        }
        let isLeftOut = !modules.includes(file)
        // Definitions compare the word with generations, and so must not see the mark of an earlier recording.
        let next = isLeftOut ? UInt64(recording | Self.leftOutBit) << 32 : 0
        if isLeftOut || mark & Self.leftOutBit != 0 { _ = weir_compare_exchange_u64(&word, known, next) }
        return isLeftOut
    }

    /// Removes the mark of an earlier recording; false: this one leaves the node out.
    final func mayBeDefined() -> Bool {
        if isLeftOut { return false }
        let known = weir_load_acquire_u64(&word)
        if UInt32(truncatingIfNeeded: known >> 32) & Self.leftOutBit != 0 {
            _ = weir_compare_exchange_u64(&word, known, 0)
        }
        return true
    }

    /// Whether the log is ready for a record of this node, or was made so.
    @inlinable @inline(__always)
    final func isReady(_ log: ThreadLog, _ generation: UInt32) -> Bool {
        _fastPath(log.fits(generation)) || makesReady(log)
    }

    @usableFromInline @inline(never)
    final func makesReady(_ log: ThreadLog) -> Bool { !isLeftOut && log.makesRoom() }
}

/// The delivery of a node that the recording leaves out: what it causes is recorded as the effect of a cause that is not.
@usableFromInline
struct LeftOutDelivery {
    private let isOpen: Bool

    @usableFromInline
    init(of node: Node) { self.init(file: node.file) }

    fileprivate init(file: UnsafePointer<UInt8>) {
        // The cause of a task is a better one.
        isOpen = weir_tasks_carry_causes() && TaskCause.current != nil ? false : ThreadLog().unrecordedBegan(file)
    }

    @usableFromInline
    func end() { if isOpen { ThreadLog().unrecordedEnded() } }
}

/// A delivery, by a node that the recording leaves out, that waits for the actor of a handler.
struct LeftOutHop: @unchecked Sendable {  // A string literal is constant.
    private let file: UnsafePointer<UInt8>
    private let cause: ThreadLog.Place?

    init(from node: Node, cause: ThreadLog.Place?) {
        file = node.file
        self.cause = cause ?? TaskCause.here
    }

    /// Runs `body` as the effect of the cause; if there is none, of a cause that is not recorded.
    func run(_ body: () -> Void) {
        let log = ThreadLog()
        var hop = RecordedFrame.none
        if weir_recording() != 0, let cause, log.isReady(weir_recording()), cause.session == log.session {
            hop = log.hopBegan(0, cause: cause)
        }
        let delivery = hop.isOpen || weir_choosing() == 0 ? nil : LeftOutDelivery(file: file)
        body()
        delivery?.end()
        hop.close()
    }
}

/// Represents, in a trace, all nodes of one module that the recording leaves out and that subscribe to a recorded node.
///
/// Its call site is that of the first of them.
final class LeftOutModule: Node {
    private let name: String

    private init(_ name: String, _ first: Node) {
        self.name = name
        super.init(file: first.file, line: first.line, isPrivate: false)
        // No object of the program: snapshots do not contain it.
        isEnding = true
    }

    override var kind: NodeKind { .observer }
    override var givenLabel: String? { "\(name) (not recorded)" }
    override var canBeAdopted: Bool { false }

    /// Its code; it is never left out.
    private func place(_ log: ThreadLog) -> UInt32 {
        let known = knownCode(log)
        if known != 0 { return known }
        weir_enter_inside()
        defer { weir_leave_inside() }
        return redefine(log, again: false)
    }

    /// The code of the place of the module of `node`, if the recording leaves `node` out; else the code of `node`.
    @inline(__always)
    static func code(of node: Node, _ log: ThreadLog) -> UInt32 {
        _slowPath(node.isLeftOut) ? placeCode(of: node, log) : node.code(log)
    }

    @inline(never)
    private static func placeCode(of node: Node, _ log: ThreadLog) -> UInt32 { of(node).place(log) }

    private static let lock = SystemLock()
    private nonisolated(unsafe) static var all: [String: LeftOutModule] = [:]

    private static func of(_ node: Node) -> LeftOutModule {
        let name = ModuleChoice.module(of: node.file)
        return lock.withLock {
            if let known = all[name] { return known }
            let new = LeftOutModule(name, node)
            all[name] = new
            return new
        }
    }
}
#endif
