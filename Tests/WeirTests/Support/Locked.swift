import Dispatch

/// A value that several threads change.
final class Locked<Value>: @unchecked Sendable {
    private let lock = DispatchSemaphore(value: 1)
    private var stored: Value

    init(_ value: Value) { stored = value }

    var value: Value { change { $0 } }

    func change<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.wait()
        defer { lock.signal() }
        return body(&stored)
    }
}
