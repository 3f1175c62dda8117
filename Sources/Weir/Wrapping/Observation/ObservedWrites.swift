#if Recording
import CWeirCore
import WeirRecording

/// The last recorded writes of observed properties, for bodies whose reads are unknown.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
final class ObservedWrites: @unchecked Sendable {  // The lock guards the mutable state.
    static let shared = ObservedWrites()

    private static let most: UInt64 = 64
    private let lock = SystemLock()
    private var places: [ThreadLog.Place?] = Array(repeating: nil, count: Int(most))
    private var count: UInt64 = 0
    @exclusivity(unchecked) private var isUsed = false

    /// Notes the write whose emission is open on this thread.
    func note() {
        guard weir_load_bool(&isUsed) else { return }
        let place = ThreadLog().openPlace
        lock.withLock {
            places[Int(count % Self.most)] = place
            count += 1
        }
    }

    /// The first known write after number `last`, which becomes the current number.
    func first(since last: inout UInt64) -> ThreadLog.Place? {
        weir_store_bool(&isUsed, true)
        return lock.withLock {
            defer { last = count }
            let first = max(last, count > Self.most ? count - Self.most : 0)
            return first < count ? places[Int(first % Self.most)] : nil
        }
    }
}
#endif
