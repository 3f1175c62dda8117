/// Converts functions that the compiler has checked against their actor into functions that can be called.
///
/// A function with `@isolated(any)` can only be awaited. Precondition of each call of a result: it comes from the isolation of
/// the argument, if the argument has one. The functions are wrapped in structs whose fields have exactly the types that are
/// passed on: so the cast makes no function around the function, which would cost allocations.
@usableFromInline
enum Isolation {
    @inlinable @inline(__always)
    static func handler<Value>(_ handler: @escaping @Sendable @isolated(any) (Value) -> Void) -> (Value) -> Void {
        unsafeBitCast(IsolatedHandler(call: handler), to: Handler<Value>.self).call
    }

    static func action(_ action: @escaping @Sendable @isolated(any) () -> Void) -> () -> Void {
        unsafeBitCast(IsolatedAction(call: action), to: Action.self).call
    }

    static func body<Result>(_ body: @escaping @Sendable @isolated(any) () -> Result) -> () -> Result {
        unsafeBitCast(IsolatedBody(call: body), to: Body<Result>.self).call
    }

    static func work<Input, Output>(
        _ work: @escaping @Sendable @isolated(any) (Input) -> Signal<Output>
    ) -> @Sendable (Input) -> Signal<Output> {
        unsafeBitCast(IsolatedWork(call: work), to: Work<Input, Output>.self).call
    }

    static func throwingWork<Input, Output>(
        _ work: @escaping @Sendable @isolated(any) (Input) throws -> Output
    ) -> @Sendable (Input) throws -> Output {
        unsafeBitCast(IsolatedThrowingWork(call: work), to: ThrowingWork<Input, Output>.self).call
    }
}

private struct IsolatedAction { let call: @Sendable @isolated(any) () -> Void }
private struct Action { let call: () -> Void }
private struct IsolatedBody<Result> { let call: @Sendable @isolated(any) () -> Result }
private struct Body<Result> { let call: () -> Result }
private struct IsolatedWork<Input, Output> { let call: @Sendable @isolated(any) (Input) -> Signal<Output> }
private struct Work<Input, Output> { let call: @Sendable (Input) -> Signal<Output> }
private struct IsolatedThrowingWork<Input, Output> { let call: @Sendable @isolated(any) (Input) throws -> Output }
private struct ThrowingWork<Input, Output> { let call: @Sendable (Input) throws -> Output }

@usableFromInline
struct IsolatedHandler<Value> {
    @usableFromInline let call: @Sendable @isolated(any) (Value) -> Void

    @inlinable
    init(call: @escaping @Sendable @isolated(any) (Value) -> Void) { self.call = call }
}

@usableFromInline
struct Handler<Value> {
    @usableFromInline let call: (Value) -> Void
}
