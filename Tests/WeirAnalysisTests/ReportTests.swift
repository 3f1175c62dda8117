import Testing
import WeirReport

@testable import WeirAnalysis
@testable import WeirTrace

struct ReportTests {
    private func summary(
        _ events: [TraceEvent] = EventScript.typing, header: TraceHeader = EventScript.header
    ) -> TraceSummary { EventScript.summary(events, header: header) }

    @Test func `tables say what their refreshes are`() {
        var script = EventScript()
        script.emit(1, .void)
        script.deliver(2)
        let quiet = summary(script.events)
        script.emit(2, .void, delivers: false)
        let carried = summary(script.events)
        func last(_ one: TraceSummary, _ other: TraceSummary) -> String? {
            Comparison(one, other, words: ("a", "b")).lines().last
        }
        #expect(last(quiet, quiet) == "  Refreshes are deliveries to handlers, such as views.")
        #expect(
            last(carried, carried)
                == "  Refreshes are deliveries to handlers, such as views; 1 of them carried a value on, "
                + "such as a user's input.")
        #expect(last(carried, quiet)?.contains("; 1 → 0 of them carried") == true)
        #expect(last(summary([]), summary([]))?.hasPrefix("  all together") == true)
    }

    @Test func `info reads like this`() {
        #expect(
            InfoReport(summary(), path: "login.weir", fileSize: 4152).text() == #"""
                login.weir: a trace of login\u{1B} (process 4711)
                  recorded  2026-11-21 01:25:07 UTC
                  lasted    7 µs
                  events    14
                  nodes     3: 1 observable, 2 combiner
                  size      4.1 KiB
                  clock     the processor's tick counter, 1,000,000,000 ticks a second
                  values    scalars: numbers, Bool and short strings as they are
                  state     complete: closed, nothing lost, nothing damaged

                  Events  of kind        that is
                       3  emitted        emissions
                       2  suppressed     suppressions
                       2  deliveryBegan  first deliveries of an emission
                       2  deliveryNext   further deliveries
                       2  deliveryEnded  emissions delivered
                       1  nodeCreated    nodes created
                       1  stimulusBegan  stimuli
                       1  stimulusEnded  stimuli ended

                Stimuli: “type \u{1B}[2Jname”, 1 emission outside of any named stimulus

                3 active nodes, busiest first:
                  Node                     Emissions  Refreshes  Internal  Suppressed  Subscribers     Handlers  Made at
                  Login.username                   1          1         1  1 equal     1 + 1 internal      1 µs  Login/Login.swift:10
                  Login.usernameValid              2          1         1              1 + 1 internal      1 µs  Login/Login.swift:11
                  combiner Login.swift:12          0          0         0  1 waiting   0                         Login/Login.swift:12
                  Refreshes are deliveries to handlers, such as views.

                Widest fan-out
                  Deliveries  of one value of      Event
                           2  Login.username       1:3
                           2  Login.usernameValid  1:5

                Longest chains
                  Emissions  each caused by the one before         Last event
                          2  Login.username → Login.usernameValid  1:5
                  weir why login.weir 1:5 shows the first one link by link

                Slowest handlers
                  Together  Longest  Event  Deliveries  Subscribed at         Observes
                      1 µs     1 µs  1:10            1  Login/Login.swift:40  Login.username
                      1 µs     1 µs  1:8             1  Login/Login.swift:41  Login.usernameValid

                """#)
    }

    @Test func `info says which modules were recorded, and of which there is no node`() {
        var header = EventScript.header
        header.modules = ["Login", "Shop"]
        let text = InfoReport(summary(header: header), path: "x.weir", fileSize: 1).text()
        #expect(
            text.contains("\n  modules   only Login, Shop; nodes of other modules were not recorded; no node of Shop\n")
        )
    }

    @Test func `info says in words what a trace lacks and what that means`() {
        var header = EventScript.header
        (header.isClosed, header.lostEvents) = (false, 3)
        var summary = summary(EventScript.typing.filter { $0.id.sequence != 3 }, header: header)
        summary.damage = [
            TraceDamage(chunk: 3, thread: 1, offset: 201_344, reason: .checksumFailed),
            TraceDamage(chunk: 4, thread: nil, offset: 266_880, reason: .notAChunk),
        ]
        summary.damageCount = 7
        let text = InfoReport(summary, path: "x.weir", fileSize: 1, top: 1).text()
        #expect(
            text.contains(
                "\n  and 2 more (--top 3 shows all)\n  Refreshes are deliveries to handlers, such as views.\n\n"))
        #expect(
            text.hasSuffix(
                """

                Incomplete
                  The trace was not closed: its program still runs or was killed. All that it recorded until then is here.
                  3 events were lost: the disk or the limit left no room, or a signal handler emitted inside the recorder. \
                Every figure is a lower bound; a missing event may still have happened.
                  1 event can no longer be read: every figure is a lower bound.
                  The file is damaged in 7 places: the rest was read, and figures may lack what stood there.
                    chunk 3 (thread 1) at byte 201344: the sealed records fail their checksum
                    chunk 4 at byte 266880: no chunk begins here
                    and 5 more places

                """))
        #expect(text.contains("  state     INCOMPLETE, see below\n"))
    }

    @Test func `a flight recorder that overwrote events is not called damaged`() {
        var header = EventScript.header
        header.isFlightRecorder = true
        let summary = summary(Array(EventScript.typing.dropFirst(1)), header: header)
        #expect(
            Losses.sentences(of: summary) == [
                "The flight recorder has overwritten 1 event, the oldest: the figures cover only the remaining events."
            ])
    }

    @Test func `a long trace tells what an event costs`() {
        var events: [TraceEvent] = []
        for number in 1...10_000 {
            var event = EventScript.typing[0]
            event.id.sequence = UInt64(number)
            events.append(event)
        }
        let text = InfoReport(summary(events), path: "x.weir", fileSize: 4096 + 45_678).text()
        #expect(text.contains("\n  events    10,000, 4.6 bytes each, names included\n"))
    }

    @Test func `an empty trace has no tables`() {
        let text = InfoReport(summary([]), path: "x.weir", fileSize: 4096).text()
        #expect(text.contains("\n\nNo events.\n") && !text.contains("Node "))
    }

    @Test func `info for programs has these fields`() {
        let json = InfoReport(summary(), path: "login.weir", fileSize: 4152).json.text
        let beginning = [
            #"{"path":"login.weir","bytes":4152,"formatVersion":1,"program":"login\u001b","processID":4711,"#,
            #""recordedAt":"2026-11-21T01:25:07.123456789Z","durationNanoseconds":7000,"clock":"ticks","#,
            #""ticksPerSecond":1000000000,"values":"scalars","modules":null,"labels":{},"redaction":null,"flightRecorder":false,"#,
            #""byteLimit":null,"#,
            #""complete":true,"closed":true,"lostEvents":0,"missingEvents":0,"unlistedFrames":false,"#,
            #""damagedPlaces":0,"damage":[],"#,
            #""events":14,"eventsByKind":{"emitted":3,"suppressed":2,"#,
        ]
        #expect(json.hasPrefix(beginning.joined()))
        #expect(
            json.contains(
                #"},"settlings":0,"rootEmissions":1,"rootEndings":0,"rootBatches":0,"rootHops":0,"unattributedDeliveries":0,"#
                    + #""snapshots":null,"recorderOverhead":null,"longestChains":[{"emissions":2,"deepest":"1:5","beginning":[1,2],"end":[]}],"#
                    + #""slowestHandlers":[{"site":"Login/Login.swift:40","name":"Login.username","deliveries":1,"#
                    + #""nanoseconds":1000,"slowestNanoseconds":1000,"slowest":"1:10"},{"site":"Login/Login.swift:41","#
            ))
        #expect(json.contains(#","nodesByKind":{"observable":1,"combiner":2},"nodes":[{"node":1,"#))
        #expect(
            json.contains(
                #"{"node":1,"name":"Login.username","kind":"observable","site":"Login/Login.swift:10","emissions":1,"#
                    + #""replays":0,"completions":0,"failures":0,"hops":0,"refreshes":1,"carriedOn":0,"internalDeliveries":1,"unknownDeliveries":0,"received":0,"suppressed":1,"#
                    + #""suppressedByReason":{"equal":1},"subscribers":1,"liveSubscribers":1,"#
                    + #""internalSubscribers":1,"handlerNanoseconds":1000,"slowestHandlerNanoseconds":1000,"#
                    + #""widestFanOut":2,"widestEmission":"1:3"}"#)
        )
    }

    @Test func `info claims no more than the trace tells`() {
        var script = EventScript()
        script.emit(3, .void)
        script.deliver(98)
        script.endDeliveries()
        script.emit(2, .void, isReplayed: true)
        script.deliver(99)
        script.deliver(3)
        script.endDeliveries()
        let lines = InfoReport(summary(script.events), path: "x.weir", fileSize: 1).text().split(separator: "\n")
        func row(_ name: String) -> [Substring]? {
            lines.first { $0.hasPrefix("  " + name) }?.split(separator: " ")
        }
        #expect(
            row("combiner Login.swift:12") == [
                "combiner", "Login.swift:12", "1", "0", "0", "?", "Login/Login.swift:12",
            ])
        #expect(row("Login.usernameValid")?.dropFirst(4).prefix(5) == ["1", "+", "1", "internal", "+"])
        #expect(lines.contains { $0.hasSuffix("  emitted        1 emission, 1 replay to new subscribers") })
        #expect(
            lines.contains(
                "  2 deliveries could not be attributed, since the trace does not define the subscriptions: refreshes "
                    + "are too low."))
        #expect(lines.contains("  1 node did nothing"))
        #expect(
            RecordSummary.text(summary(script.events), path: "x.weir", fileSize: 1)
                .contains(" (1 emission, 1 replay, 0 refreshes), "))
    }

    @Test func `deliveries of which nothing else is known are reported as well`() {
        var event = EventScript.typing[3]
        event.subject = 99
        let text = InfoReport(summary([event]), path: "x.weir", fileSize: 1).text()
        #expect(text.contains("\n  1 delivery could not be attributed, "))
    }

    @Test func `a node that only received is not said to have done nothing`() {
        var script = EventScript()
        script.emit(2, .void)
        script.deliver(3)
        script.endDeliveries()
        let text = InfoReport(summary(script.events), path: "x.weir", fileSize: 1).text()
        #expect(text.contains("\n  1 node only received values\n  1 node did nothing\n"))
    }

    @Test func `nodes of one name are distinguished by number, and strings are unambiguous`() {
        var definitions = EventScript.definitions
        definitions.nodes[4] = TraceNode(
            id: 4, rawKind: 3, site: TraceSite(file: "Login/Login.swift", line: 12))
        definitions.nodes[2]?.label = "Login.username"
        let lines = EventLines(definitions, timeScale: TimeScale(EventScript.header))
        var script = EventScript()
        script.emit(1, .string(#"a"b\n"# + "\n"), delivers: false)
        script.emit(2, .cutString(#"\"#, fingerprint: 1), delivers: false)
        script.add(.nodeCreated, subject: 4)
        let texts = script.events.map(lines.text)
        #expect(texts[0].hasSuffix(#"  Login.username #1 emitted "a\"b\\n\n""#))
        #expect(texts[1].hasSuffix(#"  Login.username #2 emitted "\\…" (cut)"#))
        #expect(texts[2].hasSuffix("  combiner #4 created at Login/Login.swift:12"))
    }

    private func lines(_ events: [TraceEvent]) -> [String] {
        let lines = EventLines(EventScript.definitions, timeScale: TimeScale(EventScript.header))
        return events.map(lines.text)
    }

    @Test func `events read like this`() {
        #expect(
            lines(EventScript.typing) == [
                #"1:1              ~0.0  observable Login.username created at Login/Login.swift:10"#,
                #"1:2               1.0  stimulus “type \u{1B}[2Jname”"#,
                #"1:3              ~1.0      Login.username emitted "Maruko"  ← 1:2"#,
                #"1:4              ~1.0        fed Login.usernameValid  ← 1:3"#,
                #"1:5              ~1.0          Login.usernameValid emitted true  ← 1:3"#,
                #"1:6              ~1.0            fed combiner Login.swift:12  ← 1:5"#,
                #"1:7              ~1.0              combiner Login.swift:12 suppressed: waits for other inputs, or for the turn to settle  ← 1:5"#,
                #"1:8               2.0            refreshed Login/Login.swift:41  ← 1:5"#,
                #"1:9               3.0            deliveries of Login.usernameValid ended  ← 1:5"#,
                #"1:10              4.0        refreshed Login/Login.swift:40  ← 1:3"#,
                #"1:11              5.0        deliveries of Login.username ended  ← 1:3"#,
                #"1:12             ~5.0      Login.username suppressed: equal to the current value  ← 1:2"#,
                #"1:13              6.0  stimulus ended"#,
                #"1:14              7.0  Login.usernameValid emitted false"#,
            ])
    }

    @Test func `every kind of event has its words, also where the ids mean nothing`() {
        var script = EventScript()
        for kind in EventKind.allCases {
            for subject: UInt32 in [0, 1, 2, 99] { script.add(kind, subject: subject) }
        }
        let lines = lines(script.events)
        // "hop" is the shortest possible line.
        #expect(lines.allSatisfy { !$0.contains("nil") && !$0.contains("Optional") && $0.count >= 26 })
        #expect(lines.contains { $0.hasSuffix("subscription 99 subscribed to an unknown node") })
        #expect(lines.contains { $0.hasSuffix("object 99 released") })
        #expect(lines.contains { $0.hasSuffix("node 99 suppressed: reason 0") })
    }

    @Test func `events for programs are one object a line`() {
        let lines = EventLines(EventScript.definitions, timeScale: TimeScale(EventScript.header))
        let json = EventScript.typing.map { lines.json($0).text }
        #expect(
            json[2]
                == #"{"id":"1:3","kind":"emitted","nanoseconds":1000,"stamped":false,"depth":1,"cause":"1:2","#
                + #""node":1,"name":"Login.username","value":"Maruko","valueForm":"string","delivers":true,"#
                + #""replayed":false}"#)
        #expect(
            json[9]
                == #"{"id":"1:10","kind":"deliveryNext","nanoseconds":4000,"stamped":true,"depth":2,"cause":"1:3","#
                + #""subscription":2,"node":1,"name":"Login.username","internal":false,"#
                + #""site":"Login/Login.swift:40","endedSubscription":1}"#)
        #expect(
            json[6]
                == #"{"id":"1:7","kind":"suppressed","nanoseconds":1000,"stamped":false,"depth":3,"cause":"1:5","#
                + #""node":3,"name":"combiner Login.swift:12","reason":"waiting"}"#)
        #expect(json.allSatisfy { !$0.contains("\n") && !$0.contains("\u{1B}") })
    }

    @Test func `events for programs name techniques, owners, intentions and executors`() {
        var definitions = EventScript.definitions
        definitions.nodes[1]?.technique = .traced
        definitions.nodes[1]?.owner = 7
        definitions.subscriptions[2]?.owner = 8
        definitions.intentions[1] = [TraceIntention(node: 1, rule: "burst", reason: "wanted", site: nil)]
        definitions.runners = [40: .main, 41: .actor("Store"), 42: .actor(nil)]
        definitions.executorSpans[1] = [(3, 40), (5, 1), (9, 41), (10, 42)].map {
            ExecutorSpan(sequence: $0, number: $1)
        }
        let lines = EventLines(definitions, timeScale: TimeScale(EventScript.header))
        let json = EventScript.typing.map { lines.json($0).text }
        #expect(
            json[2].contains(
                #","executor":40,"executorKind":"main","node":1,"name":"Login.username","technique":"traced","owner":7,"#
                    + #""intended":["burst"],"value":"Maruko""#))
        #expect(json[8].contains(#""executor":41,"executorKind":"actor","executorType":"Store""#))
        #expect(
            json[9].contains(#""executor":42,"executorKind":"actor","subscription":2"#)
                && json[9].contains(#""subscriptionOwner":8"#))
        for place in [0, 1, 4, 5, 6, 7] { #expect(!json[place].contains("executor")) }
        #expect(json[3].contains("executor"))
    }
}
