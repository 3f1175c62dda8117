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

// What waits for its time holds what it will use, and that holds the ticket with which to cancel it: a circle that is cut
// when the time has come. Only closures of the core's capture these classes.
extension ScheduledWork: SelfCutting {}
extension Alarm: SelfCutting {}
extension DelayLine: SelfCutting {}
extension Waiting: SelfCutting {}
extension LaterAttempts: SelfCutting {}
extension SourceLinks: SelfCutting {}
extension HomeQueue: SelfCutting {}
extension IsolatedSink: SelfCutting {}
