import CWeir

/// The number of live objects of planted cases: what a case really does, independent of the walker.
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

/// The address of an object. No reference to it remains.
@inline(never) @_optimize(none)
func address(of object: AnyObject) -> UInt {
    UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
}

/// `value`, without anything that the optimizer knows about it.
@inline(never) @_optimize(none)
func opaque<Value>(_ value: Value) -> Value { value }

/// Uses `value` in a way that the optimizer cannot remove.
@inline(never) @_optimize(none)
func use<Value>(_ value: Value) {}
