import WeirRecording

extension Signal {
    /// The same signal; a trace may hold its values although its source is private.
    ///
    /// ```swift
    /// let isValid = password.map { $0.count >= 8 }.disclosed()
    /// ```
    /// Everything else that Weir computes from a private value is private, because it may reveal the secret: operators, the
    /// signals that their closures make, combiners, targets of `bind`.
    @inlinable
    public func disclosed(file: StaticString = #fileID, line: UInt = #line) -> Signal<Value> {
        Operator(.disclose, Disclose(), to: self, isPrivate: false, file: file, line: line)
    }
}

@usableFromInline
struct Disclose<Value>: StatelessOperation {
    @usableFromInline var keepsCurrent: Bool { true }
    @usableFromInline typealias Input = Value
    @usableFromInline typealias Output = Value
    @inlinable
    init() {}

    @inlinable @inline(__always)
    func receive(_ value: Value, _ downstream: Sink<Value>) { downstream.emit(value) }
}
