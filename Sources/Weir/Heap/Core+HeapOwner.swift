#if Recording
import CWeirCore
import WeirRecording

// Reports the strong references that the core holds as raw pointers to a heap walk, each once. All other raw pointers of the core
// hold nothing, such as an input's `source` beside `strong`, or an evaluation's `combinerIfAlive`. No object references what a
// thread keeps (`Settling`).

extension Node: InternalHeapOwner {}

extension Sink: InternalHeapOwner {
    package final func visitHeapReferences(_ visit: (_ label: String, _ target: UnsafeRawPointer) -> Void) {
        if let known = weir_load_acquire_pointer(&origin) { visit("origin", UnsafeRawPointer(known)) }
    }
}

// Scheduled work holds the objects that it will use, and these hold the ticket that cancels it: a cycle that is cut when the work
// runs. Only closures of the core capture these classes.
extension ScheduledWork: SelfCutting {}
extension Alarm: SelfCutting {}
extension DelayLine: SelfCutting {}
extension Waiting: SelfCutting {}
extension LaterAttempts: SelfCutting {}
extension SourceLinks: SelfCutting {}
extension HomeQueue: SelfCutting {}
extension IsolatedSink: SelfCutting {}
#endif
