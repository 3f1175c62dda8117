import WeirTrace

extension Signal where Value: Equatable {
    /// The values that differ from the one before; of the others a trace says 'equal'.
    ///
    ///     source:   --1--1--2--2--1--|
    ///     distinct: --1-----2-----1--|
    ///
    /// Also exact when several threads emit at once: no two equal values are emitted in a row.
    @inlinable
    public func distinct(file: StaticString = #fileID, line: UInt = #line) -> Signal<Value> {
        Operator(.distinct, Distinct(key: { $0 }, areEqual: { $0 == $1 }), to: self, file: file, line: line)
    }
}

extension Signal {
    /// The values whose `key` differs from that of the value before.
    ///
    /// ```swift
    /// users.distinct(by: \.name)
    /// ```
    @inlinable
    public func distinct<Key: Equatable>(
        by key: @escaping (Value) -> Key, file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<Value> {
        Operator(.distinct, Distinct(key: key, areEqual: { $0 == $1 }), to: self, file: file, line: line)
    }

    /// The values for which `areEqual`, given the value that was emitted last and the new one, says false.
    @inlinable
    public func distinct(
        by areEqual: @escaping (Value, Value) -> Bool, file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<Value> {
        Operator(.distinct, Distinct(key: { $0 }, areEqual: areEqual), to: self, file: file, line: line)
    }
}

@usableFromInline
struct Distinct<Value, Key>: Operation {
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
        let last = Guarded((key: Key?.none, version: 0))
        return source.attach(
            InputSink<Value, Value>(feeding: downstream) { [key, areEqual] value in
                let new = key(value)
                while true {
                    let before = last.withState { $0 }
                    if let known = before.key, areEqual(known, new) { return downstream.suppress(.equal) }
                    var stored = Optional(new)
                    // Another thread may have emitted since.
                    let isCurrent = last.withState {
                        guard $0.version == before.version else { return false }
                        $0.version += 1
                        swap(&$0.key, &stored)
                        return true
                    }
                    if isCurrent { return downstream.emit(value) }
                }
            })
    }
}
