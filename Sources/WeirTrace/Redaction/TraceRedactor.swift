/// Writes a copy of a trace without the content that a plan excludes.
///
/// The copy is rewritten record by record rather than patched. So it cannot contain anything from unused chunks, after the
/// last record, from overwritten generations or from unknown fields: none of these is read into the output. Each chunk of
/// events becomes one chunk, whose records keep their numbers, times and open frames. The end of a chunk still shows how many
/// records fitted into it, and so roughly the total length of its values.
///
/// Memory use grows with the definitions and chunks of the trace, not with its events.
package struct TraceRedactor {
    private let reader: TraceReader
    private let plan: RedactionPlan

    /// A redactor for a trace.
    package init(_ reader: TraceReader, _ plan: RedactionPlan) {
        self.reader = reader
        self.plan = plan
    }

    /// Writes the copy to an empty file; the header comes last, so that an incomplete copy is not a trace.
    ///
    /// - Parameter progress: receives the number of chunks done so far.
    package func write(
        to descriptor: Int32, progress: (Int) -> Void = { _ in }
    ) throws(TraceCopyError) -> RedactionCounts {
        var file = TraceCopyFile(descriptor)
        let index = reader.index
        let buffer = ChunkBuffer()
        var done = 0
        // Definitions first, because an event reports the length of each snapshot in the copy.
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
        // A loss that the original already has counts as one damaged place when it is read.
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
