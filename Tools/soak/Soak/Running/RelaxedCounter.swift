import CWeir

/// Gives each of several threads a distinct number, from 0.
///
/// The additions are relaxed: counting orders nothing that the threads leave unordered, so the thread sanitizer still sees
/// races between them.
///
/// `@unchecked Sendable`: the memory is accessed by atomic operations alone.
final class RelaxedCounter: @unchecked Sendable {
    private let place = UnsafeMutablePointer<UInt64>.allocate(capacity: 1)

    init() { place.initialize(to: 0) }
    deinit { place.deallocate() }

    func next() -> Int { Int(weir_add_u64(place, 1)) }

    /// The count of numbers given so far.
    var count: Int { Int(weir_load_u64(place)) }

    func reset() { weir_store_u64(place, 0) }
}
