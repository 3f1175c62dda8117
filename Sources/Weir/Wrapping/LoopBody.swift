import CWeirCore
import WeirRecording

#if Recording
/// The body of a loop over an asynchronous sequence: what a task does between an element and the next call of `next`.
///
/// The element is the cause of what the task does there. A task-local value needs a closure, and a body is none. So a table has an
/// entry for each running body, with its task. Any thread may use the table, without a lock. While all entries are in use, further
/// bodies have no cause.
final class LoopBody {
    private var entry: Int?

    deinit { end() }

    /// Begins with an element; nil: it was not recorded.
    func begin(causedBy element: ThreadLog.Place?) {
        guard let element, case let task = weir_current_task_number(), task != 0, let free = Self.claim() else {
            return
        }
        entry = free
        weir_tasks_carry_from_now_on()
        let place = Self.entries + free
        place.pointee.element.store(element)
        place.pointee.surroundings.store(TaskCause.ofTask)
        weir_store_u64(&place.pointee.number, weir_add_u64(&Self.begun, 1))
        weir_store_release_u64(&place.pointee.task, task)
    }

    /// Ends, if it has begun.
    func end() {
        guard let entry else { return }
        self.entry = nil
        weir_store_u64(&Self.entries[entry].task, 0)
        var used = weir_load_u64(&Self.used)
        while !weir_compare_exchange_u64(&Self.used, used, used & ~(1 << entry)) { used = weir_load_u64(&Self.used) }
    }

    /// The element whose body runs here; nil if none does, or if the cause of the task was set inside that body, and is nearer.
    static func element(in surroundings: ThreadLog.Place?) -> ThreadLog.Place? {
        var rest = weir_load_acquire_u64(&used)
        guard rest != 0, case let task = weir_current_task_number(), task != 0 else { return nil }
        var found: (element: ThreadLog.Place, number: UInt64)?
        while rest != 0 {
            let place = entries + rest.trailingZeroBitCount
            rest &= rest - 1
            guard weir_load_acquire_u64(&place.pointee.task) == task,
                case let number = weir_load_u64(&place.pointee.number), number >= found?.number ?? 0,
                place.pointee.surroundings.load() == surroundings, let element = place.pointee.element.load(),
                // Another thread may have ended this body, if it holds the iterator.
                weir_load_u64(&place.pointee.task) == task, weir_load_u64(&place.pointee.number) == number
            else { continue }
            found = (element, number)
        }
        return found?.element
    }

    // MARK: The table

    private struct Entry {
        /// 0: none.
        var task: UInt64 = 0
        /// If a task runs two bodies, the inner one has the higher number.
        var number: UInt64 = 0
        var element = SharedPlace()
        /// The cause of the task around the loop.
        var surroundings = SharedPlace()
    }

    nonisolated(unsafe) private static let entries = {
        let entries = UnsafeMutablePointer<Entry>.allocate(capacity: UInt64.bitWidth)
        entries.initialize(repeating: Entry(), count: UInt64.bitWidth)
        return entries
    }()
    /// A bit for each entry in use.
    @exclusivity(unchecked) nonisolated(unsafe) private static var used: UInt64 = 0
    @exclusivity(unchecked) nonisolated(unsafe) private static var begun: UInt64 = 0

    private static func claim() -> Int? {
        while true {
            let used = weir_load_acquire_u64(&Self.used)
            let free = (~used).trailingZeroBitCount
            guard free < UInt64.bitWidth else { return nil }
            if weir_compare_exchange_u64(&Self.used, used, used | 1 << free) { return free }
        }
    }
}

/// A place in a log that threads may read and write at once; a reader must check afterwards that it has not changed.
private struct SharedPlace {
    private var words: (UInt64, UInt64, UInt64) = (0, 0, 0)

    mutating func store(_ place: ThreadLog.Place?) {
        let new = place?.words ?? (0, 0, 0)
        weir_store_u64(&words.0, new.0)
        weir_store_u64(&words.1, new.1)
        weir_store_u64(&words.2, new.2)
    }

    mutating func load() -> ThreadLog.Place? {
        ThreadLog.Place(words: (weir_load_u64(&words.0), weir_load_u64(&words.1), weir_load_u64(&words.2)))
    }
}
#else
/// No body has a cause.
struct LoopBody {
    func begin(causedBy element: ThreadLog.Place?) {}
    func end() {}
}
#endif
