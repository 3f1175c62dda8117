import CWeir

extension ThreadLog {
    /// Bytes that a snapshot may have in the recording under way: of a flight recorder one in 32, so that events stay.
    package var snapshotRoom: Int {
        guard let limit = TraceWriter.active?.configuration.byteLimit else { return SnapshotLimits.bytes }
        return min(SnapshotLimits.bytes, limit / 32)
    }

    /// Writes a snapshot, which is `encoded`, in parts, and then that it was taken, in the recording `session`.
    ///
    /// False: there is no room for all of it; then what was written of it is passed over by readers.
    @discardableResult
    package func snapshotTaken(_ encoded: [UInt8], in session: UInt32) -> Bool {
        guard isReady(weir_recording()), self.session == session else { return false }
        let count = (encoded.count + SnapshotLimits.partBytes - 1) / SnapshotLimits.partBytes
        let number = ThreadKeeper.withThatOfCallingThread { keeper -> UInt32? in
            guard let number = keeper.writer?.newSnapshot() else { return nil }
            for part in 0..<count {
                guard let chunk = keeper.definitionChunk() else {
                    keeper.countLost(1)
                    return nil
                }
                let start = part * SnapshotLimits.partBytes
                let bytes = encoded[start..<min(encoded.count, start + SnapshotLimits.partBytes)]
                chunk._withUnsafeGuaranteedRef {
                    $0.snapshotPart(part, of: count, snapshot: number, bytes)
                    $0.commit()
                }
            }
            return number
        }
        guard let number else { return false }
        return snapshotTaken(number, parts: count, bytes: encoded.count)
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
