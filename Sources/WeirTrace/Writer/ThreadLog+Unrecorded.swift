import CWeir

/// Deliveries of nodes that a recording leaves out.
///
/// The effects of such a delivery must not look as if they had no cause. So the first record inside it is preceded by the beginning of a
/// stimulus that says that the cause is not recorded. A delivery that causes no record leaves no trace.
extension ThreadLog {
    /// Whether a compact record can be written in `generation`, without an attempt to make it so.
    @inlinable @inline(__always)
    public func fits(_ generation: UInt32) -> Bool { weir_record_fits(thread, generation) }

    /// Tries to make it so that a compact record can be written.
    @usableFromInline @inline(never)
    package func makesRoom() -> Bool { makeReady() }

    /// Begins a delivery of a node that `file` made, and that the recording leaves out.
    ///
    /// False: it is inside of something recorded, its cause, or of another such delivery; then it must not be ended.
    package func unrecordedBegan(_ file: UnsafePointer<UInt8>) -> Bool {
        guard !weir_has_interrupted_recorder(), session != weir_choosing() || depth == 0 else { return false }
        return ThreadKeeper.inside { $0.awaitRecord(of: file) }
    }

    package func unrecordedEnded() {
        guard let session = ThreadKeeper.inside({ $0.awaitNoRecord() }) else { return }
        stimulusContinued(in: session).close()
    }

    /// Called before the next record of the thread, outside of the recorder's slow parts.
    func recordAwaitedCause() {
        guard let file = ThreadKeeper.inside({ $0.takeAwaited() }) else { return }
        let session = stimulusBegan("cause not recorded: module \(ModuleChoice.module(of: file))").left()
        if session != 0 { ThreadKeeper.inside { $0.awaitedCauseBegan(in: session) } }
    }
}
