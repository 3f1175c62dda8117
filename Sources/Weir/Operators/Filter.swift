import WeirRecording

extension Signal {
    /// The values for which `isIncluded` returns true; a trace says 'filtered' for the others.
    ///
    ///     source:       --1--2--3--4--|
    ///     filter(even): -----2-----4--|
    ///
    /// Cost: one allocation to make, and one for each subscription.
    @inlinable
    public func filter(
        file: StaticString = #fileID, line: UInt = #line, _ isIncluded: @escaping @Sendable (Value) -> Bool
    ) -> Signal<Value> {
        Operator(.filter, Filter(isIncluded: isIncluded), to: self, file: file, line: line)
    }

    /// The values for which `isIncluded` returns true; an error that it throws fails the signal.
    @inlinable
    public func filter(
        file: StaticString = #fileID, line: UInt = #line, _ isIncluded: @escaping @Sendable (Value) throws -> Bool
    ) -> Signal<Value> {
        Operator(
            .filter, ThrowingCompactMap { try isIncluded($0) ? $0 : nil }, to: self, file: file, line: line)
    }
}

@usableFromInline
struct Filter<Value>: StatelessOperation {
    @usableFromInline var keepsCurrent: Bool { true }
    @usableFromInline typealias Input = Value
    @usableFromInline typealias Output = Value
    @usableFromInline let isIncluded: (Value) -> Bool

    @inlinable
    init(isIncluded: @escaping (Value) -> Bool) { self.isIncluded = isIncluded }

    @inlinable @inline(__always)
    func receive(_ value: Value, _ downstream: Sink<Value>) {
        if isIncluded(value) { downstream.emit(value) } else { downstream.suppress(.filtered) }
    }
}
