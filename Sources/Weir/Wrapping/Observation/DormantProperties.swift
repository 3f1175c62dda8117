#if Recording
import CWeirCore
import WeirRecording

/// Observed properties that were written while nothing was recorded; they are not notified of writes until a recording begins.
///
/// A property must request each notification anew. Without a recording, nothing should pay for that.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
final class DormantProperties: @unchecked Sendable {  // The lock guards the mutable state.
    static let shared = DormantProperties()

    private struct Entry {
        weak var property: PropertyNode?
    }

    private let lock = SystemLock()
    private var all: [Entry] = []
    private var limit = 64

    /// Keeps `property` until a recording begins; false: one has begun.
    func add(_ property: PropertyNode) -> Bool {
        lock.withLock {
            // A recording that begins after this will wake it.
            guard weir_recording() == 0 else { return false }
            if all.count >= limit {
                all.removeAll { $0.property == nil }
                limit = max(64, all.count * 2)
            }
            all.append(Entry(property: property))
            return true
        }
    }

    /// Called when a recording has begun.
    func wake() {
        let entries = lock.withLock {
            defer { all = [] }
            return all
        }
        guard !entries.isEmpty else { return }
        for entry in entries { entry.property?.wake() }
        // Later: who starts a recording may be in the middle of a change in place.
        _ = MainScheduler.main.schedule(after: .nanoseconds(0)) {
            for entry in entries { entry.property?.recall() }
        }
    }
}
#endif
