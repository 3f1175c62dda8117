import CWeirCore
import WeirRecording

extension Sink {
    /// A sink with a handler that works for `owner`, which it does not hold.
    static func working(
        for owner: AnyObject, _ handler: @escaping (Value) -> Void, onEnd: ((Ending) -> Void)?, file: StaticString,
        line: UInt
    ) -> Sink<Value> {
        #if Recording
        return OwnedSink(handler, owner: Registry.shared.tracked(owner), onEnd: onEnd, file: file, line: line)
        #else
        return TerminalSink(handler, target: nil, onEnd: onEnd, file: file, line: line)
        #endif
    }
}

#if Recording
/// The end of a chain, like `TerminalSink`, with a handler that works for an object, which it does not hold.
///
/// A trace records the object's release before the first refresh after it.
final class OwnedSink<Value>: Sink<Value> {
    private let owner: TrackedObject
    private let onEnd: ((Ending) -> Void)?
    @exclusivity(unchecked) private var ownWord: UInt64 = 0

    init(
        _ handler: @escaping (Value) -> Void, owner: TrackedObject, onEnd: ((Ending) -> Void)?, file: StaticString,
        line: UInt
    ) {
        self.owner = owner
        self.onEnd = onEnd
        super.init(handler, isTerminal: true, file: file.utf8Start, line: UInt32(clamping: line))
    }

    override func end(_ ending: Ending) { onEnd?(ending) }
    override var failureUse: FailureUse { onEnd == nil ? .unhandled : .received }

    override func define(_ log: ThreadLog, source: Node) -> UInt32 {
        define(log, source: source, of: owner, word: &ownWord)
    }

    override func isKnown(_ log: ThreadLog) -> Bool { log.knows(weir_load_u64(&ownWord)) }
}

extension Sink {
    /// The code of a sink that works for `owner`, whose release is recorded first.
    ///
    /// - Parameter word: replaces the sink's own word, which stays 0, so that every record of the sink comes here first.
    final func define(
        _ log: ThreadLog, source: Node, of owner: TrackedObject, word: UnsafeMutablePointer<UInt64>
    ) -> UInt32 {
        owner.recordIfReleased(log)
        // The check may have released the owner and so have run any code. But the check alone begins no generation, in which the
        // source, whose code was read before, would have to be defined again.
        guard log.isReady(log.generation) else { return 0 }
        let known = weir_load_acquire_u64(word)
        if UInt32(truncatingIfNeeded: known >> 32) == log.generation { return UInt32(truncatingIfNeeded: known) }
        return define(log, source: source, owner: owner, word: word)
    }
}
#endif

/// The end of a chain: a handler whose calls are refreshes.
@usableFromInline
final class TerminalSink<Value>: Sink<Value> {
    /// The observer, if one was made before the subscription.
    @usableFromInline let observer: Node?
    @usableFromInline let onEnd: ((Ending) -> Void)?

    @inlinable
    init(
        _ handler: @escaping (Value) -> Void, target: Node?, onEnd: ((Ending) -> Void)?, file: StaticString,
        line: UInt
    ) {
        observer = target
        self.onEnd = onEnd
        super.init(handler, isTerminal: true, file: file.utf8Start, line: UInt32(clamping: line))
    }

    init(
        _ handler: @escaping (Value) -> Void, target: Node?, onEnd: ((Ending) -> Void)?, file: UnsafePointer<UInt8>,
        line: UInt32
    ) {
        observer = target
        self.onEnd = onEnd
        super.init(handler, isTerminal: true, file: file, line: line)
    }

    override func end(_ ending: Ending) { onEnd?(ending) }
    override var failureUse: FailureUse { onEnd == nil ? .unhandled : .received }
    override var target: Node? { observer }
    override func passPrivacyOn() { if let observer, observer.kind == .binding { observer.becomePrivate() } }
}
