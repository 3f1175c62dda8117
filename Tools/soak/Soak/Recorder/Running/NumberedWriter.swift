import Foundation
import Weir
import WeirTrace

/// A model that emits 1, 2, 3, …, so that a trace shows which emissions are missing.
final class NumberedWriter {
    let place: Int
    let number = Observable(0)
    private let text = Observable("")

    /// Emissions of `number` with a subscriber take three events, otherwise one.
    init(_ place: Int, isHeard: Bool) {
        self.place = place
        Trace.adopt(self, as: "w\(place)")
        if isHeard { number.subscribe { _ in } }
    }

    /// Emits the next number, and occasionally a text, which takes more room.
    func emit(_ value: Int, withText: Bool) {
        number.value = value
        if withText, value % 16 == 0 { text.value = "\(value) " + String(repeating: "x", count: value % 97) }
    }

    /// The writer that a node's label names: `w3.number`.
    static func place(ofLabel label: String?) -> Int? {
        guard let label, label.hasPrefix("w"), label.hasSuffix(".number") else { return nil }
        return Int(label.dropFirst().dropLast(".number".count))
    }
}

/// The emissions of `NumberedWriter`s that a trace has kept, and its counts of the others.
struct KeptNumbers {
    struct Writer {
        var first = 0
        var last = 0
        var count = 0
        var isAscending = true
        /// The numbers missing between two of one thread.
        var gaps = 0
        /// The threads that emitted them, and the last one.
        var threads: Set<UInt32> = []
        var lastThread: UInt32 = 0
    }

    private(set) var writers: [Int: Writer] = [:]
    /// Events of all kinds.
    private(set) var events = 0
    private(set) var checkpoints = 0
    /// Ids in events that have no definition.
    private(set) var undefined = 0
    /// For each incomplete snapshot, how many were taken after it.
    private(set) var unreadSnapshots: [Int] = []
    let header: TraceHeader
    private(set) var damage: [TraceDamage] = []
    /// The largest possible number of loss records: one at the start of each chunk.
    private(set) var lossRecords: UInt64 = 0

    init(_ path: String) throws {
        let reader = try TraceReader(path: path)
        header = reader.header
        let names = try reader.definitions()
        let places = names.nodes.compactMapValues { NumberedWriter.place(ofLabel: $0.label) }
        var snapshots: [UInt32] = []
        reader.forEachEvent { event in
            events += 1
            switch event.kind {
            case .emitted:
                if names.nodes[event.subject] == nil { undefined += 1 }
                guard let place = places[event.subject] else { return true }
                note(event.value, on: event.id.thread, of: place)
            case .deliveryBegan, .deliveryNext:
                if event.subject != 0, names.subscriptions[event.subject] == nil { undefined += 1 }
            case .checkpoint: checkpoints += 1
            case .snapshotTaken: snapshots.append(event.subject)
            default: break
            }
            return true
        }
        for (later, number) in snapshots.reversed().enumerated() where reader.snapshot(number) == nil {
            unreadSnapshots.append(later)
        }
        damage = reader.damage
        reader.forEachEventChunk { chunk, _ in
            lossRecords = max(lossRecords, chunk.serial)
            return true
        }
    }

    private mutating func note(_ value: TraceValue, on thread: UInt32, of place: Int) {
        var writer = writers[place] ?? Writer()
        writer.count += 1
        if case .signed(let number) = value {
            if writer.first == 0 { writer.first = Int(number) }
            if Int(number) <= writer.last { writer.isAscending = false }
            if thread == writer.lastThread { writer.gaps += max(0, Int(number) - writer.last - 1) }
            writer.last = Int(number)
            writer.lastThread = thread
            writer.threads.insert(thread)
        }
        writers[place] = writer
    }

    /// Lost and overwritten events, as the header counts them; nil if it cannot say.
    var counted: (lost: Int, overwritten: Int)? {
        guard let lost = header.lostEvents, let overwritten = header.overwrittenEvents else { return nil }
        return (Int(clamping: lost), Int(clamping: overwritten))
    }

    /// Broken rules, as sentences; each writer has emitted `emitted` numbers or more.
    ///
    /// The header counts every event that the trace does not keep. A recording keeps the newest; only lost events may be
    /// missing at the end of a writer's numbers or in between.
    func problems(emitted: [Int: Int]) -> [String] {
        var problems = damage.map { "damage: \($0)" }
        if undefined > 0 { problems.append("\(undefined) ids have no definition") }
        let hasValues = header.valuePolicy != .none
        var (missing, missingLate) = (0, 0)
        for (place, most) in emitted where most > 0 {
            let writer = writers[place] ?? Writer()
            if !writer.isAscending { problems.append("the numbers of writer \(place) do not rise") }
            missing += max(0, most - writer.count - max(0, writer.last - most))
            if hasValues, writer.count > 0 {
                // The oldest events of each thread go first; of two ended threads, either may go first.
                let mayLackEnd = header.isFlightRecorder && writer.threads.count > 1
                missingLate += writer.gaps + (mayLackEnd ? 0 : max(0, most - writer.last))
            }
            if hasValues, writer.count == 0, !header.isFlightRecorder { missingLate += most }
        }
        guard let (lost, overwritten) = counted else { return problems }
        if missing > lost + overwritten {
            problems.append(
                "\(missing) emissions are missing, but only \(lost) events are counted as lost and \(overwritten) as overwritten"
            )
        }
        if missingLate > lost {
            problems.append(
                "\(missingLate) emissions are missing after kept ones or at the end, but only \(lost) events are counted as lost"
            )
        }
        if !header.isFlightRecorder, overwritten > 0 {
            problems.append("\(overwritten) events are counted as overwritten in a recording without a limit")
        }
        return problems
    }
}
