import Foundation
import Testing
import WeirTestSupport

@testable import WeirAnalysis
@testable import WeirTrace

/// How many chunks `weir why` reads, as counts: of one thread and of four that interleave.
struct WhyReadsTests {
    /// Each thread writes its observable, which feeds its combiner, in turns.
    ///
    /// Thread n has the nodes 10n + 1, whose value never changes, 10n + 2 and their combiner 10n + 3.
    private func trace(threads: UInt32, turns: Int, endingEarly: Int = 0) throws -> (TraceReader, Topology) {
        let file = try TemporaryTrace(isQuick: true)
        try Data().write(to: URL(fileURLWithPath: file.path))
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: file.path))
        var assembler = TraceAssembler(descriptor: handle.fileDescriptor)
        assembler.chunkFill = 200
        for thread in 1...threads {
            for (number, kind) in [(1, NodeKind.observable), (2, .observable), (3, .combiner)] as [(UInt32, NodeKind)] {
                try assembler.add(TraceNode(id: 10 * thread + number, rawKind: kind.rawValue, label: nil))
            }
            for input in 1...2 as ClosedRange<UInt32> {
                try assembler.add(
                    TraceSubscription(
                        id: 10 * thread + input, source: 10 * thread + input, target: 10 * thread + 3, isInternal: true,
                        isTiming: false, site: nil, owner: nil))
            }
        }
        var scripts = (1...threads).map { EventScript(thread: $0) }
        for (index, thread) in (1...threads).enumerated() {
            for turn in 0..<(thread == 1 ? turns - endingEarly : turns) {
                scripts[index].emit(10 * thread + (turn == 0 ? 1 : 2), .signed(Int64(turn)))
                scripts[index].deliver(10 * thread + (turn == 0 ? 1 : 2))
                scripts[index].emit(10 * thread + 3, .signed(Int64(turn)), delivers: false)
                scripts[index].endDeliveries()
            }
        }
        for event in scripts.flatMap(\.events) { try assembler.add(event) }
        try assembler.finish(.init())
        let reader = try TraceReader(path: file.path)
        return (reader, Topology(try reader.definitions()))
    }

    /// How many chunks were read for an answer, which must be that of a whole timeline.
    private func reads(_ reader: TraceReader, _ topology: Topology, _ subject: Why.Subject) throws -> Int {
        let past = try #require(TracePast(reader, topology))
        let before = reader.chunksRead
        let found = try #require(try past.why(subject, at: nil))
        let reads = reader.chunksRead - before
        #expect(try found == Timeline(reader).why(subject, at: nil))
        return reads
    }

    @Test func `a recent change takes as many reads in a long trace as in a short one`() throws {
        for (threads, most) in [(1, 6), (4, 15)] as [(UInt32, Int)] {
            for turns in [200, 800] {
                let (reader, topology) = try trace(threads: threads, turns: turns)
                #expect(reader.eventChunkCount > turns / 20 * Int(threads))
                let found = try reads(reader, topology, .nodes([12]))
                #expect(found <= most, "\(threads) threads, \(turns) turns")
            }
        }
    }

    @Test func `an event in the middle of four threads takes as many reads in a long trace as in a short one`() throws {
        for turns in [200, 800] {
            let (reader, topology) = try trace(threads: 4, turns: turns)
            // Every turn has four events; the second is a delivery to the combiner.
            let found = try reads(reader, topology, .event(EventID(thread: 1, sequence: UInt64(turns / 2) * 4 + 2)))
            #expect(found <= 16, "\(turns) turns")
        }
    }

    @Test func `a change long before the end takes one read for each chunk after it`() throws {
        for early in [100, 400] {
            let (reader, topology) = try trace(threads: 4, turns: 800, endingEarly: early)
            let after = reader.eventChunkCount * 3 * early / (4 * 800 - early)
            let found = try reads(reader, topology, .nodes([12]))
            #expect(found <= after + 24 && found >= after / 2, "\(after) chunks are after it")
        }
    }

    @Test func `an input that changed once, at the beginning, takes one read for each chunk`() throws {
        let (reader, topology) = try trace(threads: 4, turns: 400)
        let found = try reads(reader, topology, .nodes([13]))
        #expect(found <= 2 * reader.eventChunkCount + 32)
    }

    /// A zip of two emitters, attached before the recording. Its inputs take turns to come last, or the same one always does.
    private func zipTrace(turns: Int, takesTurns: Bool) throws -> (TraceReader, Topology) {
        let file = try TemporaryTrace(isQuick: true)
        try Data().write(to: URL(fileURLWithPath: file.path))
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: file.path))
        var assembler = TraceAssembler(descriptor: handle.fileDescriptor)
        assembler.chunkFill = 200
        let kinds: [NodeKind] = [.emitter, .emitter, .zip, .observable]
        for (index, kind) in kinds.enumerated() {
            try assembler.add(TraceNode(id: UInt32(index) + 1, rawKind: kind.rawValue, label: nil))
        }
        for (id, source, target) in [(1, 1, 3), (2, 2, 3), (3, 3, 4)] as [(UInt32, UInt32, UInt32)] {
            try assembler.add(
                TraceSubscription(
                    id: id, source: source, target: target, isInternal: true, isTiming: false, site: nil, owner: nil))
        }
        var script = EventScript()
        for turn in 0..<turns {
            let first: UInt32 = takesTurns && turn % 2 == 1 ? 2 : 1
            script.emit(first, .signed(Int64(turn)))
            script.deliver(first)
            script.suppress(3, .waiting)
            script.endDeliveries()
            script.emit(3 - first, .signed(Int64(turn)))
            script.deliver(3 - first)
            script.emit(3, .signed(Int64(turn)))
            script.deliver(3)
            script.endDeliveries()
            script.endDeliveries()
        }
        for event in script.events { try assembler.add(event) }
        try assembler.finish(.init())
        let reader = try TraceReader(path: file.path)
        return (reader, Topology(try reader.definitions()))
    }

    @Test func `a zip is read back to the last value before which none of that input waited`() throws {
        for turns in [200, 800] {
            let (reader, topology) = try zipTrace(turns: turns, takesTurns: true)
            #expect(reader.eventChunkCount > turns / 10)
            let found = try reads(reader, topology, .nodes([3]))
            #expect(found <= 24, "\(turns) turns")
            let inputs = try Timeline(reader).why(.nodes([3]), at: nil).explanation?.target?.inputs
            #expect(inputs?.map(\.role) == [.triggered, .paired])
            #expect(inputs?.map(\.value) == [.signed(Int64(turns) - 1), .signed(Int64(turns) - 1)])
        }
    }

    @Test func `after lost events, a paired value is unknown until none of its input waited`() throws {
        let (_, topology) = try zipTrace(turns: 1, takesTurns: false)
        var script = EventScript()
        func wait(_ emitter: UInt32) {
            script.emit(emitter, .signed(1))
            script.deliver(emitter)
            script.suppress(3, .waiting)
            script.endDeliveries()
        }
        func pair(_ emitter: UInt32) {
            script.emit(emitter, .signed(1))
            script.deliver(emitter)
            script.emit(3, .signed(1))
            script.deliver(3)
            script.endDeliveries()
            script.endDeliveries()
        }
        for edge in 1...2 as ClosedRange<UInt32> { script.add(.subscriptionStarted, subject: edge) }
        wait(1)
        pair(2)
        wait(1)
        script.add(.eventsLost)
        pair(2)
        wait(2)
        pair(1)
        wait(1)
        pair(2)
        var state = TraceState(topology, startTicks: 0)
        var roles: [CauseStep.Input.Role] = []
        for event in script.events {
            if event.kind == .emitted, event.subject == 3 {
                roles += CauseStep(event, before: state).inputs.map(\.role).filter { $0 != .triggered }
            }
            state.take(event)
        }
        #expect(roles == [.paired, .unknown, .paired, .paired])
    }

    @Test func `a zip whose former values are unknown takes a few reads for each chunk`() throws {
        let (reader, topology) = try zipTrace(turns: 400, takesTurns: false)
        let found = try reads(reader, topology, .nodes([3]))
        #expect(found <= 3 * reader.eventChunkCount + 32)
        let inputs = try Timeline(reader).why(.nodes([3]), at: nil).explanation?.target?.inputs
        #expect(inputs?.map(\.role) == [.unknown, .triggered])
    }

    /// A handler runs when another thread makes a node; then it writes to it, and that record has the time of the delivery to the
    /// handler, before the node was made.
    @Test func `an emission whose recorded time is before the creation of its node counts`() throws {
        let file = try TemporaryTrace(isQuick: true)
        try Data().write(to: URL(fileURLWithPath: file.path))
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: file.path))
        var assembler = TraceAssembler(descriptor: handle.fileDescriptor)
        assembler.chunkFill = 1
        for node in 1...2 as ClosedRange<UInt32> {
            try assembler.add(TraceNode(id: node, rawKind: NodeKind.observable.rawValue, label: nil))
        }
        try assembler.add(
            TraceSubscription(
                id: 1, source: 1, target: nil, isInternal: false, isTiming: false, site: nil, owner: nil))
        var script = EventScript()
        script.emit(1, .signed(6))
        script.deliver(1)
        script.emit(2, .signed(6), delivers: false)
        script.endDeliveries()
        script.stimulus("later")
        script.endStimulus()
        for var event in script.events {
            if event.kind == .stimulusBegan || event.kind == .stimulusEnded { event.ticks += 1000 }
            try assembler.add(event)
        }
        func event(_ sequence: UInt64, _ kind: EventKind, _ value: TraceValue) -> TraceEvent {
            var event = TraceEvent(id: EventID(thread: 2, sequence: sequence), kind: kind, ticks: 3500 + sequence)
            (event.subject, event.value, event.isStamped) = (2, value, true)
            return event
        }
        try assembler.add(event(1, .nodeCreated, .notRecorded))
        try assembler.add(event(2, .emitted, .signed(3)))
        try assembler.finish(.init())
        let reader = try TraceReader(path: file.path)
        let topology = Topology(try reader.definitions())
        let subject = Why.Subject.event(EventID(thread: 2, sequence: 2))
        let past = try #require(TracePast(reader, topology))
        let found = try #require(try past.why(subject, at: nil))
        #expect(found.explanation?.target?.heldValue == .signed(6))
        #expect(try found == Timeline(reader).why(subject, at: nil))
    }
}
