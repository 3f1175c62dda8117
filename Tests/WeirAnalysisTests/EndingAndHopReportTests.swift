import Testing
import WeirReport

@testable import WeirAnalysis
@testable import WeirTrace

struct EndingAndHopReportTests {
    /// All other events: settling, a batch, endings and hops.
    private static let later: [TraceEvent] = {
        var script = EventScript()
        script.batch()
        script.suppress(1, .batched)
        script.emit(1, .string("ma"))
        script.deliver(2)
        script.settle()
        script.emit(2, .bool(true), delivers: false)
        script.endDeliveries()
        script.endBatch()
        script.hop(5, causedBy: EventID(thread: 1, sequence: 3))
        script.fail(6, .described("URLError(-1009)"))
        script.deliver(8)
        script.deliver(1, isStamped: false)
        script.endDeliveries()
        script.complete(5, delivers: false)
        script.endHop()
        script.hop(0, causedBy: nil)
        script.endHop()
        return script.events
    }()

    @Test func `settling, batches, endings and hops read like this`() {
        let lines = EventLines(EventScript.searchDefinitions, timeScale: TimeScale(EventScript.header))
        #expect(
            Self.later.map(lines.text) == [
                "1:1               1.0  batch begins",
                "1:2              ~1.0      Login.username suppressed: batched, only the last value goes on  ← 1:1",
                #"1:3              ~1.0      Login.username emitted "ma"  ← 1:1"#,
                "1:4               2.0        refreshed Login/Login.swift:40  ← 1:3",
                "1:5               3.0        settling  ← 1:3",
                "1:6              ~3.0          Login.usernameValid emitted true  ← 1:3",
                "1:7               4.0        deliveries ended  ← 1:3",
                "1:8               5.0  batch ends  ← 1:1",
                "1:9               6.0  hop: debounce Search.swift:12, caused by 1:3",
                "1:10             ~6.0      deliver(on:) Search.swift:13 failed: URLError(-1009)  ← 1:9",
                "1:11              7.0        notified Search/Search.swift:40  ← 1:10",
                "1:12             ~7.0        notified Login.usernameValid  ← 1:10",
                "1:13              8.0        deliveries of Login.username ended  ← 1:10",
                "1:14             ~8.0      debounce Search.swift:12 completed  ← 1:9",
                "1:15              9.0  hop ended  ← 1:9",
                "1:16             10.0  hop",
                "1:17             11.0  hop ended  ← 1:16",
            ])
    }

    @Test func `info tells endings, hops, settlings and further roots`() {
        let summary = EventScript.summary(
            Self.later, header: EventScript.header, definitions: EventScript.searchDefinitions)
        let text = InfoReport(summary, path: "search.weir", fileSize: 4152).text()
        #expect(
            text.hasSuffix(
                #"""

                  Events  of kind        that is
                       2  emitted        emissions
                       1  suppressed     suppressions
                       2  deliveryBegan  first deliveries of an emission
                       2  deliveryNext   further deliveries, and 1 settling
                       2  deliveryEnded  emissions delivered
                       1  completed      completions
                       1  failed         failures
                       2  hopBegan       hops: work given to a scheduler earlier
                       2  hopEnded       hops ended
                       1  batchBegan     batches
                       1  batchEnded     batches ended

                Stimuli: 1 batch outside of any named stimulus, 1 hop of unknown cause

                4 active nodes, busiest first:
                  Node                          Emissions  Ended        Hops  Refreshes  Internal  Suppressed  Subscribers     Handlers  Made at
                  Login.username                        1                  0          1         0  1 batched   1 + 2 internal      1 µs  Login/Login.swift:10
                  debounce Search.swift:12              0  1 completed     1          0         0              0 + 1 internal            Search/Search.swift:12
                  Login.usernameValid                   1                  0          0         0              1 + 1 internal            Login/Login.swift:11
                  deliver(on:) Search.swift:13          0  1 failed        0          0         0              1                         Search/Search.swift:13
                  1 node did nothing
                  Refreshes are deliveries to handlers, such as views.

                Longest chains
                  Emissions  each caused by the one before         Last event
                          2  Login.username → Login.usernameValid  1:6
                  weir why search.weir 1:6 shows the first one link by link; hops begin chains of their own

                Slowest handlers
                  Together  Longest  Event  Deliveries  Subscribed at         Observes
                      1 µs     1 µs  1:4             1  Login/Login.swift:40  Login.username

                """#))
        #expect(text.contains("\n  nodes     5: 1 observable, 2 combiner, 1 debounce, 1 deliver(on:)\n"))
    }

    @Test func `endings, hops and settlings have these fields`() {
        let lines = EventLines(EventScript.searchDefinitions, timeScale: TimeScale(EventScript.header))
        let json = Self.later.map { lines.json($0).text }
        #expect(
            json[4]
                == #"{"id":"1:5","kind":"deliveryNext","nanoseconds":3000,"stamped":true,"depth":2,"cause":"1:3","#
                + #""settling":true,"endedSubscription":2}"#)
        #expect(
            json[8]
                == #"{"id":"1:9","kind":"hopBegan","nanoseconds":6000,"stamped":true,"depth":0,"cause":"1:3","#
                + #""node":5,"name":"debounce Search.swift:12"}"#)
        #expect(
            json[9]
                == #"{"id":"1:10","kind":"failed","nanoseconds":6000,"stamped":false,"depth":1,"cause":"1:9","#
                + #""node":6,"name":"deliver(on:) Search.swift:13","value":"URLError(-1009)","#
                + #""valueForm":"description","delivers":true}"#)
        #expect(
            json[10]
                == #"{"id":"1:11","kind":"deliveryBegan","nanoseconds":7000,"stamped":true,"depth":2,"cause":"1:10","#
                + #""subscription":8,"node":6,"name":"deliver(on:) Search.swift:13","internal":false,"#
                + #""site":"Search/Search.swift:40","ofEnd":true}"#)
        #expect(
            json[13]
                == #"{"id":"1:14","kind":"completed","nanoseconds":8000,"stamped":false,"depth":1,"cause":"1:9","#
                + #""node":5,"name":"debounce Search.swift:12","delivers":false}"#)
        #expect(
            json[15] == #"{"id":"1:16","kind":"hopBegan","nanoseconds":10000,"stamped":true,"depth":0}"#)
    }

    @Test func `the words for every kind and reason are these`() {
        #expect(
            EventKind.allCases.map { "\($0.name): \($0.plural)" }.suffix(9) == [
                "objectTracked: objects tracked", "objectReleased: objects released",
                "hopBegan: hops: work given to a scheduler earlier", "hopEnded: hops ended", "batchBegan: batches",
                "batchEnded: batches ended",
                "objectExpected: objects expected to be released", "snapshotTaken: snapshots of the heap",
                "hopScheduled: calls of handlers that waited for their actors",
            ])
        #expect(Set(EventKind.allCases.map(\.name)).count == EventKind.allCases.count)
        #expect(SuppressionReason.phrase(10) == "left unsettled, for a feedback loop kept changing it")
        #expect(SuppressionReason.jsonName(10) == "unsettled" && SuppressionReason.word(13) == "reason 13")
    }
}
