import WeirRecording

extension Signal where Value: Equatable {
    /// The values that differ from the previous one; a trace says 'equal' for the others.
    ///
    ///     source:           --1--1--2--2--1--|
    ///     removeDuplicates: --1-----2-----1--|
    @inlinable
    public func removeDuplicates(file: StaticString = #fileID, line: UInt = #line) -> Signal<Value> {
        Operator(
            .removeDuplicates, RemoveDuplicates(key: { $0 }, areEqual: { $0 == $1 }), to: self, file: file, line: line)
    }
}

extension Signal {
    /// The values whose `key` differs from that of the previous value.
    ///
    /// ```swift
    /// users.removeDuplicates(by: \.name)
    /// ```
    @inlinable
    public func removeDuplicates<Key: Equatable>(
        by key: @escaping (Value) -> Key, file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<Value> {
        Operator(
            .removeDuplicates, RemoveDuplicates(key: key, areEqual: { $0 == $1 }), to: self, file: file, line: line)
    }

    /// The values for which `areEqual` returns false, given the last emitted value and the new one.
    @inlinable
    public func removeDuplicates(
        by areEqual: @escaping (Value, Value) -> Bool, file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<Value> {
        Operator(.removeDuplicates, RemoveDuplicates(key: { $0 }, areEqual: areEqual), to: self, file: file, line: line)
    }
}

@usableFromInline
struct RemoveDuplicates<Value, Key>: Operation {
    @usableFromInline var keepsCurrent: Bool { true }
    @usableFromInline typealias Input = Value
    @usableFromInline typealias Output = Value
    @usableFromInline let key: (Value) -> Key
    @usableFromInline let areEqual: (Key, Key) -> Bool

    @inlinable
    init(key: @escaping (Value) -> Key, areEqual: @escaping (Key, Key) -> Bool) {
        self.key = key
        self.areEqual = areEqual
    }

    @inlinable
    func attach(_ downstream: Sink<Value>, to source: Signal<Value>) -> Disposable {
        let last = OperatorState(Key?.none)
        return source.attach(
            InputSink<Value, Value>(feeding: downstream) { [key, areEqual] value in
                let new = key(value)
                if let known = last.value, areEqual(known, new) { return downstream.suppress(.equal) }
                last.value = new
                downstream.emit(value)
            })
    }
}
