#if Recording
import Observation
import WeirRecording

#if canImport(Darwin)
import Darwin
#endif

/// The slot in which the Observation module keeps the list of the reads on a thread; found by watching a tracking.
///
/// On Apple platforms the pointer to the list is in a slot of the thread, as `pthread_getspecific` returns it. Swift has ten
/// reserved slots there (`__PTK_FRAMEWORK_SWIFT_KEY0` and the following, in 'swift/Threading/Impl/Darwin.h'). Weir reads them
/// before, inside and after a tracking of its own.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
enum AccessSlot {
    /// The slot that points to a list, only inside a tracking; nil unless there is exactly one.
    ///
    /// A tracking has its list, which begins as an absent one, in the frame of its own call. Nothing else is read through a
    /// pointer.
    static func find(in slots: Range<Int>, value: (Int) -> UnsafeMutableRawPointer?) -> Int? {
        let before = slots.map(value)
        var (above, found): (UInt8, [Int]) = (0, [])
        withUnsafeMutablePointer(to: &above) { above in
            withObservationTracking {
                found = pointers(slots, value, below: UInt(bitPattern: above))
            } onChange: {
            }
        }
        guard found.count == 1, let slot = found.first else { return nil }
        return value(slot) == before[slot - slots.lowerBound] ? slot : nil
    }

    /// The slots that point to an empty word on the stack, between the caller of the caller and this call.
    @inline(never)
    private static func pointers(
        _ slots: Range<Int>, _ value: (Int) -> UnsafeMutableRawPointer?, below upper: UInt
    ) -> [Int] {
        var here: UInt8 = 0
        return withUnsafeMutablePointer(to: &here) { here in
            slots.filter { slot in
                guard let list = value(slot) else { return false }
                let place = UInt(bitPattern: list), word = UInt(MemoryLayout<UInt>.size)
                return place > UInt(bitPattern: here) && place < upper && upper - place >= word && place % word == 0
                    && list.load(as: UInt.self) == 0
            }
        }
    }

    #if canImport(Darwin)
    private static let slot: pthread_key_t? = find(in: 100..<110) { pthread_getspecific(pthread_key_t($0)) }
        .map { pthread_key_t($0) }

    /// The function that returns the list of this thread, if reads are tracked on it.
    static var getter: AccessList.Getter? {
        guard slot != nil else { return nil }
        return { AccessSlot.slot.flatMap { pthread_getspecific($0) } }
    }
    #else
    /// Elsewhere, symbols of the library name the function.
    static var getter: AccessList.Getter? { nil }
    #endif
}
#endif
