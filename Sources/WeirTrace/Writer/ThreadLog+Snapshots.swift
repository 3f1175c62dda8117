import CWeir

extension ThreadLog {
    /// Bytes that a snapshot may have in the recording under way: of a flight recorder one in 32, so that events stay.
    package var snapshotRoom: Int {
        guard let limit = TraceWriter.active?.configuration.byteLimit else { return SnapshotLimits.bytes }
        return min(SnapshotLimits.bytes, limit / 32)
    }

    /// Writes a snapshot, which is `encoded`, in parts, and then that it was taken, in the recording `session`.
    ///
    /// - Parameter pause: nanoseconds for which the calling thread was held up; 0: not known.
    package func snapshotTaken(_ encoded: [UInt8], in session: UInt32, pause: UInt64 = 0) {
        if hasRoomForSnapshot(in: session) { lastSnapshotTaken(encoded, pause: pause) }
    }

    /// Whether `lastSnapshotTaken` may follow, although the recording `session` is stopped before.
    package func hasRoomForSnapshot(in session: UInt32) -> Bool {
        isReady(weir_recording()) && self.session == session && makeReady(room: ThreadKeeper.compactRoom)
    }

    /// As `snapshotTaken`; `hasRoomForSnapshot` must have said yes, and this thread have recorded nothing since.
    ///
    /// If there is no room for all of it, readers pass over what was written of it.
    package func lastSnapshotTaken(_ encoded: [UInt8], pause: UInt64) {
        let parts = CutSnapshot(encoded)
        let number = ThreadKeeper.inside { keeper -> UInt32? in
            guard let number = keeper.writer?.newSnapshot() else { return nil }
            if parts.write(number, { keeper.definitionChunk()?.takeUnretainedValue() }) { return number }
            keeper.countLost(1)
            return nil
        }
        guard let number else { return }
        _ = snapshotTaken(number, parts: parts.count, bytes: encoded.count, pause: pause)
    }

    /// Records that a snapshot has been taken which will be written later; nil: it could not be recorded.
    ///
    /// - Parameter pause: nanoseconds for which the calling thread was held up.
    package func snapshotTaken(in session: UInt32, pause: UInt64) -> SnapshotPlace? {
        guard isReady(weir_recording()), self.session == session else { return nil }
        let keeper = ThreadKeeper.ofCallingThread()
        guard let writer = keeper.writer else { return nil }
        let number = writer.newSnapshot()
        guard snapshotTaken(number, parts: 0, bytes: 0, pause: pause) else { return nil }
        return SnapshotPlace(writer: writer, thread: keeper.number, number: number)
    }
}

/// The place of a snapshot that has been taken and will be written.
package struct SnapshotPlace: Sendable {
    fileprivate let writer: TraceWriter
    fileprivate let thread: UInt32
    fileprivate let number: UInt32

    /// Writes the snapshot; to be called by one thread at a time. Where there is no room for all of it, it is lost, and counted.
    package func write(_ encoded: [UInt8]) {
        let isWritten = CutSnapshot(encoded).write(number) { writer.snapshotChunk(thread: thread) }
        if !isWritten { writer.countLost(1) }
    }
}

/// An encoded snapshot, cut into parts that are short enough for a definition.
private struct CutSnapshot {
    let encoded: [UInt8]

    init(_ encoded: [UInt8]) { self.encoded = encoded }

    var count: Int { (encoded.count + SnapshotLimits.partBytes - 1) / SnapshotLimits.partBytes }

    /// Writes the parts to chunks that have room for one at least; false: there is none.
    func write(_ number: UInt32, _ chunk: () -> DefinitionChunk?) -> Bool {
        for part in 0..<count {
            guard let chunk = chunk() else { return false }
            let start = part * SnapshotLimits.partBytes
            let bytes = encoded[start..<min(encoded.count, start + SnapshotLimits.partBytes)]
            chunk.snapshotPart(part, of: count, snapshot: number, bytes)
            chunk.commit()
        }
        return true
    }
}

extension TraceWriter {
    /// A chunk of the current generation for parts of snapshots: the last one, while it has room.
    fileprivate func snapshotChunk(thread: UInt32) -> DefinitionChunk? {
        if let last = laterSnapshots, last.hasRoom, last.generation == weir_recording() { return last }
        finishSnapshots()
        laterSnapshots = take(.definitions, thread: thread, firstSequence: 0).map(DefinitionChunk.init)
        return laterSnapshots
    }

    /// No snapshot will be written any more, or not for a while.
    func finishSnapshots() {
        if let last = laterSnapshots { finish(last.chunk) }
        laterSnapshots = nil
    }
}

extension DefinitionChunk {
    fileprivate func snapshotPart(_ part: Int, of count: Int, snapshot: UInt32, _ bytes: ArraySlice<UInt8>) {
        record(.snapshotPart) { body in
            Varint.write(UInt64(snapshot), &body)
            Varint.write(UInt64(part), &body)
            Varint.write(UInt64(count), &body)
            bytes.withUnsafeBytes {
                if let base = $0.baseAddress { body.copyMemory(from: base, byteCount: $0.count) }
            }
            body += bytes.count
        }
    }
}
