import WeirTrace

/// The end of a chain: a handler, whose calls are refreshes.
///
/// Not final: one that works for an object is a subclass, so that nobody else pays for the owner.
@usableFromInline
class TerminalSink<Value>: Sink<Value> {
    /// The observer that was made before it subscribed.
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

    /// A sink that works for `owner`, if there is one.
    @inlinable
    static func made(
        for owner: AnyObject?, _ handler: @escaping (Value) -> Void, onEnd: ((Ending) -> Void)? = nil,
        file: StaticString, line: UInt
    ) -> TerminalSink<Value> {
        guard let owner else { return TerminalSink(handler, target: nil, onEnd: onEnd, file: file, line: line) }
        return owned(by: owner, handler, onEnd: onEnd, file: file, line: line)
    }

    @usableFromInline @inline(never)
    static func owned(
        by owner: AnyObject, _ handler: @escaping (Value) -> Void, onEnd: ((Ending) -> Void)?, file: StaticString,
        line: UInt
    ) -> TerminalSink<Value> {
        OwnedSink(handler, owner: Registry.shared.tracked(owner), onEnd: onEnd, file: file, line: line)
    }

    override final func end(_ ending: Ending) { onEnd?(ending) }
    override final var target: Node? { observer }
}
