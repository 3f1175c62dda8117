import WeirRecording

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
