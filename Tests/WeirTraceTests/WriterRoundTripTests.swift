import Foundation
import Testing
import WeirTestSupport

@testable import WeirTrace

/// Records from the real writer, read back.
///
/// A process has one recorder, which other tests use: these record in processes of their own.
@Suite(.ahead) struct WriterRoundTripTests {
    @Test func `settling, endings, batches and hops are read as they were written`() async {
        await #expect(processExitsWith: .success) {
            let read = try recorded { log in
                #expect(log.openPlace == nil)
                let batch = opened(log.batchBegan())
                log.suppressed(TraceCode.encode(1), .batched)
                #expect(
                    log.emitted(
                        TraceCode.encode(300), 5, isPrivate: false, to: TraceCode.encode(7), isTerminal: true,
                        redefine: {}))
                let place = log.openPlace
                log.deliveryNext(TraceCode.encode(8), stamped: true)
                log.settlingBegan(stamped: true)
                #expect(log.ended(.completed, TraceCode.encode(2), log.encodedAbsence, to: 0, isTerminal: false))
                log.deliveryEnded(stamped: false)
                log.popFrame()
                batch.close()
                let hop = opened(log.hopBegan(TraceCode.encode(9), cause: place))
                #expect(
                    log.ended(
                        .failed, TraceCode.encode(3), log.encoded("offline"), to: TraceCode.encode(6), isTerminal: true)
                )
                log.deliveryEnded(stamped: true)
                log.popFrame()
                hop.close()
                let lastHop = opened(log.hopBegan(0, cause: nil))
                lastHop.close()
                #expect(log.depth == 0)
            }
            #expect(
                read.map(reported) == [
                    "1:1 batchBegan", "1:2 suppressed 1 <1:1", "1:3 emitted 300 5 <1:1", "1:4 deliveryBegan 7 <1:3",
                    "1:5 deliveryNext 8 <1:3", "1:6 deliveryNext 0 <1:3", "1:7 completed 2 <1:3",
                    "1:8 deliveryEnded <1:3",
                    "1:9 batchEnded <1:1", "1:10 hopBegan 9 <1:3", #"1:11 failed 3 "offline" <1:10"#,
                    "1:12 deliveryBegan 6 <1:11", "1:13 deliveryEnded <1:11", "1:14 hopEnded <1:10", "1:15 hopBegan",
                    "1:16 hopEnded <1:15",
                ])
            #expect(read.filter(\.isStamped).map(\.id.sequence) == [1, 4, 5, 6, 9, 10, 12, 13, 14, 15, 16])
            #expect(read.filter { $0.scheduledBy == 7 }.map(\.id.sequence) == [10, 11, 14])
            #expect(read.filter { $0.scheduledBy != 0 }.count == 3)
            #expect(read.filter(\.isSettling).map(\.endedSubscription) == [8])
            #expect(read.filter(\.deliversEnd).map(\.id.sequence) == [12])
        }
    }

    @Test func `a hop knows its cause on a thread that has recorded nothing before`() async {
        await #expect(processExitsWith: .success) {
            let read = try recorded { log in
                let stimulus = opened(log.stimulusBegan("tap"))
                let place = log.openPlace
                onAnotherThread {
                    let log = ThreadLog()
                    let hop = opened(log.hopBegan(TraceCode.encode(9), cause: place))
                    hop.close()
                }
                stimulus.close()
            }
            #expect(
                read.filter { $0.id.thread == 2 }.map(reported) == ["2:1 hopBegan 9 <1:1", "2:2 hopEnded <2:1"])
        }
    }

    @Test func `a hop names the delivery that scheduled it, also in later chunks and over further hops`() async {
        await #expect(processExitsWith: .success) {
            let read = try recorded { log in
                #expect(
                    log.emitted(
                        TraceCode.encode(3), 5, isPrivate: false, to: TraceCode.encode(70_000), isTerminal: true,
                        redefine: {}))
                let batch = opened(log.batchBegan())
                let place = log.openPlace
                batch.close()
                log.deliveryEnded(stamped: true)
                log.popFrame()
                var further: ThreadLog.Place?
                let hop = opened(log.hopBegan(0, cause: place))
                for _ in 0..<60_000 where log.isReady(log.generation) { log.suppressed(TraceCode.encode(4), .equal) }
                further = log.openPlace
                hop.close()
                let lastHop = opened(log.hopBegan(0, cause: further))
                log.suppressed(TraceCode.encode(5), .equal)
                lastHop.close()
            }
            let written = read.filter { $0.kind == .suppressed }
            #expect(written.count == 60_001 && written.allSatisfy { $0.scheduledBy == 70_000 })
        }
    }

    @Test func `a hop whose cause is of an earlier recording has none in this one`() async {
        await #expect(processExitsWith: .success) {
            var place: ThreadLog.Place?
            _ = try recorded { log in
                let stimulus = opened(log.stimulusBegan("tap"))
                place = log.openPlace
                stimulus.close()
            }
            #expect(place != nil)
            let read = try recorded(entering: false) { log in
                let hop = opened(log.hopBegan(0, cause: place))
                hop.close()
            }
            #expect(read.map(reported) == ["1:1 hopBegan", "1:2 hopEnded <1:1"])
        }
    }

    @Test func `owners and intentions are read as they were written`() async {
        await #expect(processExitsWith: .success) {
            final class View {}
            let file = ("Login/LoginView.swift" as StaticString).utf8Start
            var (owner, first, second): (UInt64, UInt64, UInt64) = (0, 0, 0)
            let definitions = try definitions { log in
                let view = log.define(objectOfType: View.self, label: nil, word: &owner)
                _ = log.define(
                    SubscriptionDescription(source: 1, target: 0, owner: view, isInternal: false, file: file, line: 7),
                    word: &first)
                _ = log.define(
                    SubscriptionDescription(source: 1, target: 0, isInternal: false, file: file, line: 8), word: &second
                )
                _ = log.define(objectOfType: View.self, label: "the view", word: &owner, again: true)
                for rule in RedundancyRule.allCases {
                    log.define(
                        IntentionDescription(rule: rule, reason: "because of \(rule)", file: file, line: 300),
                        of: TraceCode.encode(300))
                }
            }
            #expect([1, 2].map { definitions.subscriptions[$0]?.owner } == [1, nil])
            #expect([1, 2].map { definitions.subscriptions[$0]?.site?.line } == [7, 8])
            #expect(definitions.objects == [1: TraceObject(id: 1, type: "View", label: "the view")])
            let expected = RedundancyRule.allCases.map {
                TraceIntention(
                    node: 300, rule: $0.rawValue, reason: "because of \($0)",
                    site: TraceSite(file: "Login/LoginView.swift", line: 300))
            }
            #expect(definitions.intentions == [300: expected])
        }
    }

    @Test func `intentions and long reasons fill chunk after chunk`() async {
        await #expect(processExitsWith: .success) {
            let file = ("Login/LoginView.swift" as StaticString).utf8Start
            let definitions = try definitions { log in
                for number in 1...2000 as ClosedRange<UInt32> {
                    let reason = "\(number)" + String(repeating: ".", count: 2000)
                    log.define(
                        IntentionDescription(rule: .glitch, reason: reason, file: file, line: number),
                        of: TraceCode.encode(number % 1000 + 1))
                }
            }
            #expect(definitions.intentions.count == 1000)
            #expect(definitions.intentions.values.allSatisfy { $0.count == 2 && $0[0].rule == "glitch" })
            #expect(definitions.intentions[8]?.map { $0.reason.prefix(5) } == ["7....", "1007."])
            #expect(definitions.intentions[8]?.map { $0.reason.utf8.count } == [1024, 1024])
        }
    }

    @Test func `a frame of an earlier recording closes none of this one`() async {
        await #expect(processExitsWith: .success) {
            var old = RecordedFrame.none
            _ = try recorded { log in old = opened(log.stimulusBegan("old")) }
            let read = try recorded(entering: false) { log in
                let new = opened(log.hopBegan(0, cause: nil))
                let acceptsOld = old.accepts(log), acceptsNew = new.accepts(log)
                #expect(!acceptsOld && acceptsNew)
                let taken = take(&old)
                taken.close()
                #expect(log.depth == 1)
                new.close()
                #expect(log.depth == 0)
            }
            #expect(read.map(reported) == ["1:1 hopBegan", "1:2 hopEnded <1:1"])
        }
    }

    @Test func `what is open goes on in the next chunk with its causes`() async {
        await #expect(processExitsWith: .success) {
            let read = try recorded { log in
                let batch = opened(log.batchBegan())
                let hop = opened(log.hopBegan(TraceCode.encode(9), cause: log.openPlace))
                #expect(
                    log.ended(
                        .completed, TraceCode.encode(3), log.encodedAbsence, to: TraceCode.encode(6), isTerminal: false)
                )
                log.settlingBegan(stamped: false)
                while log.isReady(log.generation), log.thread.pointee.cursor! < log.thread.pointee.limit! - 8 {
                    log.suppressed(TraceCode.encode(1), .equal)
                }
                for _ in 0..<8 where log.isReady(log.generation) { log.suppressed(TraceCode.encode(2), .equal) }
                log.deliveryEnded(stamped: false)
                log.popFrame()
                log.checkpoint("in the hop")
                hop.close()
                log.checkpoint("in the batch")
                batch.close()
            }
            #expect(read.filter { $0.subject == 2 && $0.kind == .suppressed }.allSatisfy { $0.cause?.sequence == 3 })
            let last = read.suffix(5).map { "\($0.kind) <\($0.cause?.description ?? "") d\($0.depth)" }
            #expect(
                last == [
                    "deliveryEnded <1:3 d3", "checkpoint <1:2 d2", "hopEnded <1:2 d1", "checkpoint <1:1 d1",
                    "batchEnded <1:1 d0",
                ])
        }
    }
}

/// The frame, which must have been opened.
private func opened(_ frame: consuming RecordedFrame) -> RecordedFrame {
    let isOpen = frame.isOpen
    #expect(isOpen)
    return frame
}

private func take(_ frame: inout RecordedFrame) -> RecordedFrame {
    var taken = RecordedFrame.none
    swap(&taken, &frame)
    return taken
}

/// The events of a recording in which `body` writes. `entering`: its thread has joined the recording before.
private func recorded(entering: Bool = true, _ body: (ThreadLog) -> Void) throws -> [TraceEvent] {
    let path = NSTemporaryDirectory() + "weir-\(UUID().uuidString).weir"
    defer { unlink(path) }
    try TraceWriter.start(
        .init(path: path, policy: .scalars, descriptionLimit: 100, byteLimit: nil, isVirtualClock: false))
    let log = ThreadLog()
    if entering { #expect(log.isReady(TraceWriter.active?.firstGeneration ?? 0)) }
    body(log)
    #expect(TraceWriter.stop() == 0)
    let reader = try TraceReader(path: path)
    let events = reader.allEvents
    #expect(reader.isIntact)
    return events
}

/// The definitions of a recording in which `body` writes them.
private func definitions(_ body: (ThreadLog) -> Void) throws -> TraceDefinitions {
    let path = NSTemporaryDirectory() + "weir-\(UUID().uuidString).weir"
    defer { unlink(path) }
    try TraceWriter.start(
        .init(path: path, policy: .scalars, descriptionLimit: 100, byteLimit: nil, isVirtualClock: false))
    let log = ThreadLog()
    #expect(log.isReady(TraceWriter.active?.firstGeneration ?? 0))
    body(log)
    #expect(TraceWriter.stop() == 0)
    let reader = try TraceReader(path: path)
    let definitions = try reader.definitions()
    #expect(reader.damage.isEmpty)
    return definitions
}

private func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
    let thread = Thread(block: body)
    thread.start()
    while !thread.isFinished { usleep(1000) }
}

private func reported(_ event: TraceEvent) -> String {
    let parts = [
        "\(event.id)", "\(event.kind)", event.subject == 0 && !event.isSettling ? "" : "\(event.subject)",
        event.value == .notRecorded ? "" : "\(event.value)", event.cause.map { "<\($0)" } ?? "",
    ]
    return parts.filter { !$0.isEmpty }.joined(separator: " ")
}
