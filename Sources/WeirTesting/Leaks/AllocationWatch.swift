import CWeirTesting
import WeirTrace

/// Tracks every object that the Swift runtime allocates while a scope runs, and which of them are still alive.
///
/// It does not hold them. Allocations of the scope's tasks count too, on any thread; those of other code that runs at the
/// same time do not. Several scopes may run at once or be nested: each allocation is reported to the innermost one.
/// Cost: an allocation takes about 100 ns longer. Each live object costs 8 bytes, or 40 bytes if it was ever referenced
/// weakly.
final class AllocationWatch: @unchecked Sendable {
    @TaskLocal static var current: AllocationWatch?

    private let lock = SystemLock()
    private var references: UnsafeMutablePointer<weir_weak>
    private var capacity = 1024
    private var count = 0

    init() { references = .allocate(capacity: capacity) }

    deinit {
        for place in 0..<count { weir_weak_clear(references + place) }
        references.deallocate()
    }

    /// Whether this process can be watched, that is, whether its allocations are reported.
    static let isPossible: Bool = {
        final class Probe {}
        // The first read allocates, which must not be reported to the hook itself.
        _ = current
        weir_allocations_watch { object in AllocationWatch.current?.note(object) }
        // Released where the optimizer cannot see it; otherwise it might put the object on the stack.
        weir_object_release(Unmanaged.passRetained(Probe()).toOpaque())
        return weir_allocations_are_seen()
    }()

    private func note(_ object: UnsafeMutableRawPointer) {
        let held = lock.withLock {
            let held = count == capacity ? makeRoom() : []
            weir_weak_set(references + count, object)
            count += 1
            return held
        }
        // Outside of the lock: this may release the last reference and run any code.
        for object in held { weir_object_release(object) }
    }

    /// Removes released objects and grows if more than half are still alive. Returns the objects that it had to retain.
    private func makeRoom() -> [UnsafeMutableRawPointer] {
        let alive = references.held(count)
        for place in 0..<count { weir_weak_clear(references + place) }
        if alive.count * 2 > capacity {
            references.deallocate()
            capacity *= 2
            references = .allocate(capacity: capacity)
        }
        for (place, object) in alive.enumerated() { weir_weak_set(references + place, object) }
        count = alive.count
        return alive
    }

    /// Calls `body` with the addresses of all live objects, each retained once for the duration of the call.
    @inline(never)
    func withSurvivors<Result>(_ body: ([UInt]) throws -> Result) rethrows -> Result {
        let alive = lock.withLock { references.held(count) }
        defer { for object in alive { weir_object_release(object) } }
        return try body(alive.map { UInt(bitPattern: $0) })
    }
}

extension UnsafeMutablePointer where Pointee == weir_weak {
    /// The live objects among the first `count` references, each retained once.
    fileprivate func held(_ count: Int) -> [UnsafeMutableRawPointer] {
        var held: [UnsafeMutableRawPointer] = []
        held.reserveCapacity(count)
        for place in 0..<count {
            if let object = weir_weak_retain(self + place) { held.append(object) }
        }
        return held
    }
}
