import CWeir
import WeirHeap

// What the core holds by raw pointers, so that a walk sees it; each strong reference once. All other raw pointers of the core hold
// nothing: an input's `source` beside `strong`, an evaluation's `combinerIfAlive`. What a thread keeps (`Settling`) no
// object leads to.

extension Node: InternalHeapOwner {}

extension Sink: InternalHeapOwner {
    package final func visitHeapReferences(_ visit: (_ label: String, _ target: UnsafeRawPointer) -> Void) {
        if let known = weir_load_acquire_pointer(&origin) { visit("origin", UnsafeRawPointer(known)) }
    }
}
