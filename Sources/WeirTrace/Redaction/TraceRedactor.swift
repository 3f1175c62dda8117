/// Writes a copy of a trace without what a plan says.
///
/// The copy is written anew, record by record, rather than patched: what stands in unused chunks, behind the last record, in
/// overwritten generations or in fields that this version does not know cannot get into it, as it is never read into what is
/// written. Each chunk of events becomes one chunk, whose records keep their numbers, times and open frames. What a chunk's end
/// tells stays, too: how many records had room in it, and so about how long its values were altogether.
///
/// Memory grows with the definitions of the trace and its chunks, not with its events.
package struct TraceRedactor {
    private let reader: TraceReader
    private let plan: RedactionPlan

    /// A redactor for a trace.
    package init(_ reader: TraceReader, _ plan: RedactionPlan) {
        self.reader = reader
        self.plan = plan
    }

    /// Writes the copy to an empty file; its header comes last, so that what is not complete is no trace.
    ///
    /// - Parameter progress: hears how many chunks are done.
    package func write(
        to descriptor: Int32, progress: (Int) -> Void = { _ in }
    ) throws(TraceCopyError) -> RedactionCounts {
        var file = TraceCopyFile(descriptor)
        let index = reader.index
        let buffer = ChunkBuffer()
        var done = 0
        // Definitions first: how long a snapshot is in the copy, an event tells.
        let chunksOfSnapshots = reader.chunksOfSnapshots()
        var definitions = DefinitionRedactor(plan) { number in
            reader.snapshot(number, in: chunksOfSnapshots[number] ?? [])?
                .redacted(plan).bounded(bytes: SnapshotLimits.bytes).encoded
        }
        for entry in index.definitions {
            done += 1
            guard let chunk = reader.load(Int(entry.index), serial: entry.serial, into: buffer) else { continue }
            for records in definitions.rewrite(chunk.records, of: chunk.header) {
                try file.append(chunk.header, records)
            }
            progress(done)
        }
        var events = EventRedactor(plan, snapshots: definitions.snapshots)
        for entry in index.events.sorted(by: { ($0.serial, $0.index) < ($1.serial, $1.index) }) {
            done += 1
            guard let chunk = reader.load(Int(entry.index), serial: entry.serial, into: buffer) else { continue }
            if let stop = events.rewrite(chunk.records), !chunk.isCut {
                reader.noteMalformed(tag: stop.tag, at: stop.position, in: chunk.header)
            }
            try file.append(chunk.header, events.bytes)
            progress(done)
        }
        var counts = definitions.counts
        counts.values += events.counts.values
        counts.equalValues += events.counts.equalValues
        counts.texts += events.counts.texts
        counts.unknownRecords += events.counts.unknownRecords
        counts.damagedPlaces += UInt64(reader.damageCount)
        // That the original lacks something already is one place of damage to its reader.
        if let former = reader.header.redaction, former.damagedPlaces > 0 {
            counts.damagedPlaces += UInt64(former.damagedPlaces) - 1
        }
        let former = reader.header.redaction
        try file.finish(
            reader.header,
            TraceRedaction(
                hidesAllValues: plan.shown.isEmpty || former?.hidesAllValues ?? false,
                hidesTexts: plan.hidesTexts || former?.hidesTexts ?? false,
                damagedPlaces: UInt32(clamping: counts.damagedPlaces)))
        return counts
    }
}
