import Dispatch

/// A value that several threads change.
///
/// `@unchecked Sendable`: every access to `stored` is between the semaphore's `wait` and `signal`.
final class LockedBox<Value>: @unchecked Sendable {
    private let lock = DispatchSemaphore(value: 1)
    private var stored: Value

    init(_ value: Value) { stored = value }

    func change<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.wait()
        defer { lock.signal() }
        return body(&stored)
    }
}

extension LockedBox {
    var value: Value { change { $0 } }

    /// Replaces the value; the old one is released outside of the lock.
    func exchange(_ new: Value) -> Value {
        change { stored in
            defer { stored = new }
            return stored
        }
    }
}
