import CWeir

/// A weak reference that can report whether its object is gone without retaining the object.
///
/// Loading a weak reference retains and releases the object. That may end its life here and now, and run any code. It also writes
/// to the memory of each object, which the system copies if a child of this process is still reading it.
///
/// This is a handle: its creator must end it, and no copy may be used after that.
package struct WeakReference {
    private struct Place { weak var object: AnyObject? }

    private let place = UnsafeMutablePointer<Place>.allocate(capacity: 1)

    package init(_ object: AnyObject) { place.initialize(to: Place(object: object)) }

    package func end() {
        place.deinitialize(count: 1)
        place.deallocate()
    }

    /// The object; nil if it is gone.
    package var object: AnyObject? { place.pointee.object }

    /// Whether the object is gone.
    ///
    /// Once `readsCounts` is true, this costs a nanosecond or two and writes nothing. Until then it loads the reference.
    package var isGone: Bool { weir_load_bool(&WeakReference.readsCounts) ? saysGone : object == nil }

    /// Whether memory says that the object is gone.
    private var saysGone: Bool {
        let sideTable = Memory.word(UInt(bitPattern: place)) & ~3
        return sideTable == 0 || ReferenceCounts(inSideTable: sideTable).isDeinitializing
    }

    /// Whether the memory layout is known, so that counts can be read.
    @exclusivity(unchecked) nonisolated(unsafe) private static var readsCounts = false

    /// Call it once the layout has been checked.
    package static func readCountsIfKnown() {
        #if os(Linux)
        if HeapWalker.unknownLayout.isEmpty { weir_store_bool(&readsCounts, true) }
        #endif
    }

    /// Whether memory is right about an object that is alive, and about one that is gone.
    static var saysWhatIsSo: Bool {
        let holder = Holder()
        let reference = WeakReference(holder.object)
        defer { reference.end() }
        let saysAlive = !reference.saysGone
        holder.object = Probe()
        return saysAlive && reference.saysGone
    }

    private final class Holder { var object = Probe() }
    private final class Probe {}
}
