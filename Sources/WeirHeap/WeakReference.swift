import CWeir

/// A weak reference that can be asked whether its object is gone without holding that for a moment.
///
/// To load a weak reference counts the object up and down again. That may end its life, here and now, and run anything; and it
/// writes to the memory of each object, which the system copies if a child of this process is still reading it.
///
/// A handle: whoever makes it ends it, and no copy is used after that.
package struct WeakReference {
    private struct Place { weak var object: AnyObject? }

    private let place = UnsafeMutablePointer<Place>.allocate(capacity: 1)

    package init(_ object: AnyObject) { place.initialize(to: Place(object: object)) }

    package func end() {
        place.deinitialize(count: 1)
        place.deallocate()
    }

    /// The object; nil: it is gone.
    package var object: AnyObject? { place.pointee.object }

    /// Whether the object is gone. Costs a nanosecond or two and writes nothing once `readsCounts`; until then it loads.
    package var isGone: Bool { weir_load_bool(&WeakReference.readsCounts) ? saysGone : object == nil }

    /// What memory says of it.
    private var saysGone: Bool {
        let sideTable = Memory.word(UInt(bitPattern: place)) & ~3
        return sideTable == 0 || ReferenceCounts(inSideTable: sideTable).isDeinitializing
    }

    /// Whether memory is known to be laid out so that counts can be read.
    @exclusivity(unchecked) nonisolated(unsafe) private static var readsCounts = false

    /// To be called where the layout has been checked.
    package static func readCountsIfKnown() {
        #if os(Linux)
            if HeapWalker.unknownLayout.isEmpty { weir_store_bool(&readsCounts, true) }
        #endif
    }

    /// Whether memory says of an object that is alive, and of one that is gone, what is so.
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
