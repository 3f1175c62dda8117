import Testing
import WeirAnalysis
import WeirTrace

struct FilterTests {
    private func passing(_ events: [TraceEvent] = EventScript.typing, _ set: (inout EventFilter) -> Void)
        -> [UInt64]
    {
        var filter = EventFilter(EventScript.definitions, timeScale: TimeScale(EventScript.header))
        set(&filter)
        return events.filter { filter.passes($0) }.map(\.id.sequence)
    }

    @Test func `without conditions everything passes`() {
        #expect(passing { _ in } == Array(1...14))
    }

    @Test func `a node has its own events and those at its subscriptions`() {
        #expect(passing { $0.nodes = [1] } == [1, 3, 4, 10, 11, 12])
        #expect(passing { $0.nodes = [3] } == [6, 7, 8])
        #expect(passing { $0.nodes = [] } == [])
    }

    @Test func `kinds, threads and times choose`() {
        #expect(passing { $0.kinds = [.suppressed, .stimulusBegan] } == [2, 7, 12])
        #expect(passing { $0.thread = 1 }.count == 14)
        #expect(passing { $0.thread = 2 } == [])
        #expect(passing { $0.after = 5000 } == [11, 12, 13, 14])
        #expect(passing { $0.before = 1000 } == [1])
        #expect(passing { ($0.after, $0.before) = (2000, 4000) } == [8, 9])
    }

    @Test func `a stimulus has all that it caused`() {
        #expect(passing { $0.stimulus = .text("name") } == Array(2...13))
        #expect(passing { $0.stimulus = .number(1) } == Array(2...13))
        #expect(passing { $0.stimulus = .number(2) } == [])
        #expect(passing { $0.stimulus = .text("tap") } == [])
    }

    @Test func `stimuli nest, and a lost end does not swallow what follows`() {
        var script = EventScript()
        script.stimulus("outer")
        script.stimulus("inner")
        script.emit(1, .void, delivers: false)
        script.endStimulus()
        script.emit(2, .void, delivers: false)
        script.endStimulus()
        script.emit(1, .void, delivers: false)
        #expect(passing(script.events) { $0.stimulus = .text("inner") } == [2, 3, 4])
        #expect(passing(script.events) { $0.stimulus = .text("outer") } == Array(1...6))
        let withoutEnd = script.events.filter { $0.id.sequence != 6 }
        #expect(passing(withoutEnd) { $0.stimulus = .text("outer") } == Array(1...5))
    }

    private func reported(_ events: [TraceEvent], _ set: (inout EventFilter) -> Void) -> [String] {
        var filter = EventFilter(EventScript.searchDefinitions, timeScale: TimeScale(EventScript.header))
        set(&filter)
        return events.filter { filter.passes($0) }.map(\.id.description)
    }

    @Test func `a stimulus has the hops that it caused, on any thread and however late`() {
        let all = EventScript.searching.map(\.id.description)
        #expect(reported(EventScript.searching) { $0.stimulus = .text("type") } == all)
        var later = EventScript(thread: 3)
        later.stimulus("advance")
        later.hop(6, causedBy: EventID(thread: 2, sequence: 2))
        later.emit(6, .void, delivers: false)
        later.endHop()
        later.hop(6, causedBy: EventID(thread: 4, sequence: 1))
        later.emit(6, .void, delivers: false)
        later.endHop()
        later.hop(6, causedBy: nil)
        later.endHop()
        later.endStimulus()
        let events = EventScript.searching + later.events
        #expect(reported(events) { $0.stimulus = .text("type") } == all + ["3:2", "3:3", "3:4"])
        #expect(reported(events) { $0.stimulus = .text("advance") } == ["3:1", "3:10"])
        #expect(reported(events) { $0.stimulus = .number(2) } == ["3:1", "3:10"])
    }

    @Test func `a hop whose end is missing does not swallow what follows`() {
        var script = EventScript()
        script.stimulus("type")
        script.endStimulus()
        script.hop(6, causedBy: EventID(thread: 1, sequence: 1))
        script.endHop()
        script.hop(6, causedBy: EventID(thread: 9, sequence: 1))
        script.emit(6, .void, delivers: false)
        let cut = script.events.filter { $0.id.sequence != 4 }
        #expect(reported(cut) { $0.stimulus = .text("type") } == ["1:1", "1:2", "1:3"])
    }

    @Test func `a node has its endings and hops`() {
        #expect(
            reported(EventScript.searching) { $0.nodes = [6] } == [
                "1:8", "2:1", "2:2", "2:3", "2:4", "2:5", "2:6", "2:7", "1:9",
            ])
        #expect(reported(EventScript.searching) { $0.kinds = [.completed, .hopEnded] } == ["2:5", "2:8", "1:10"])
    }

    @Test func `nodes are found by number, by name and by the end of a name`() {
        let directory = NodeDirectory(EventScript.definitions)
        #expect(directory.find("1") == .found([1]))
        #expect(directory.find("Login.username") == .found([1]))
        #expect(directory.find("username") == .found([1]))
        #expect(directory.find("USERNAMEVALID") == .found([2]))
        #expect(directory.find("Login.swift:12") == .found([3]))
        #expect(directory.find("combiner Login.swift:12") == .found([3]))
        #expect(directory.find("usernme") == .unknown(nearest: ["Login.username"]))
        #expect(
            directory.find("Login.usernameVlid")
                == .unknown(nearest: ["Login.usernameValid", "Login.username"]))
        #expect(directory.find("swift") == .unknown(nearest: []))
    }

    @Test func `a number is that of a node also where the trace does not define it`() {
        let directory = NodeDirectory(EventScript.definitions)
        #expect(directory.find("7") == .found([7]))
        #expect(directory.find("node 7") == .found([7]))
        #expect(directory.find("node 1") == .found([1]))
        #expect(directory.find("nodes 7") == .unknown(nearest: []))
        #expect(directory.find("node x") == .unknown(nearest: []))
    }

    @Test func `a name with its number is that node alone`() {
        var definitions = EventScript.definitions
        definitions.nodes[4] = TraceNode(id: 4, rawKind: 1, label: "Login.username")
        definitions.nodes[5] = TraceNode(id: 5, rawKind: 1, label: "Row #4")
        let directory = NodeDirectory(definitions)
        #expect(directory.find("Login.username #4") == .found([4]))
        #expect(directory.find("username #1") == .found([1]))
        #expect(directory.find("Row #4") == .found([5]))
        #expect(directory.find("Login.usern… #4") == .found([4]))
        #expect(directory.find("Login.usernameV…") == .found([2]))
        guard case .unknown = directory.find("Login.username #2") else {
            Issue.record("node 2 is not named so")
            return
        }
    }

    @Test func `equal names stand for all their nodes, and different ones are asked about`() {
        var definitions = EventScript.definitions
        definitions.nodes[4] = TraceNode(id: 4, rawKind: 1, label: "Login.username")
        #expect(NodeDirectory(definitions).find("username") == .found([1, 4]))
        definitions.nodes[5] = TraceNode(id: 5, rawKind: 1, label: "Account.username")
        #expect(NodeDirectory(definitions).find("username") == .ambiguous([5, 1, 4]))
        #expect(NodeDirectory(definitions).find("Login.username") == .found([1, 4]))
        // A callback whose name ends in the same word does not match; one with exactly that name does.
        definitions.nodes[6] = TraceNode(id: 6, rawKind: 10, label: "show results")
        definitions.nodes[7] = TraceNode(id: 7, rawKind: 1, label: "SearchModel.results")
        #expect(NodeDirectory(definitions).find("results") == .found([7]))
        #expect(NodeDirectory(definitions).find("Results") == .found([7]))
        #expect(NodeDirectory(definitions).find("show results") == .found([6]))
        definitions.nodes[8] = TraceNode(id: 8, rawKind: 10, label: "results")
        #expect(NodeDirectory(definitions).find("results") == .found([8]))
    }
}
