import CWeir

/// How many objects of planted cases are alive: what a case really does, whatever the walker says of it.
enum Population {
    nonisolated(unsafe) private static let count: UnsafeMutablePointer<UInt64> = {
        let count = UnsafeMutablePointer<UInt64>.allocate(capacity: 1)
        count.initialize(to: 0)
        return count
    }()

    static var alive: Int { Int(truncatingIfNeeded: weir_load_u64(count)) }

    static func change(by difference: Int) {
        _ = weir_add_u64(count, UInt64(bitPattern: Int64(difference)))
    }
}

/// An object that is counted while it is alive.
class Counted {
    init() { Population.change(by: 1) }
    deinit { Population.change(by: -1) }
}

/// The address of an object; nothing of the reference remains.
@inline(never) @_optimize(none)
func address(of object: AnyObject) -> UInt {
    UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
}

/// `value`, of which the optimizer knows nothing more.
@inline(never) @_optimize(none)
func opaque<Value>(_ value: Value) -> Value { value }

/// Uses `value`, as far as the optimizer knows.
@inline(never) @_optimize(none)
func use<Value>(_ value: Value) {}
