import WeirAnalysis
import WeirTrace

/// The selection of events on a command line.
struct EventQuery {
    private var nodes: [String] = []
    private var kinds: Set<EventKind>?
    private var thread: UInt32?
    private var after: UInt64?
    private var before: UInt64?
    private var stimulus: EventFilter.Stimulus?

    init(_ arguments: ParsedArguments) throws(UsageError) {
        let time = "a time such as 12ms, 1.5s or 300us"
        nodes = arguments.values["node"] ?? []
        if nodes.contains("") { throw .badValue(option: "node", value: "", expected: "a node's name or number") }
        for word in (arguments.values["kind"] ?? []).flatMap({
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }) {
            kinds = try (kinds ?? []).union(EventKinds.named(String(word)))
        }
        thread = try arguments.value("thread", expecting: "a thread's number") { UInt32($0) }
        after = try arguments.value("after", expecting: time, Quantities.nanoseconds)
        before = try arguments.value("before", expecting: time, Quantities.nanoseconds)
        stimulus = try arguments.value("stimulus", expecting: "a part of a stimulus's text, or its number") { text in
            text.isEmpty ? nil : UInt64(text).map { .number($0) } ?? .text(text)
        }
    }

    /// Whether it selects fewer than all events.
    var isFiltered: Bool {
        !nodes.isEmpty || kinds != nil || thread != nil || after != nil || before != nil || stimulus != nil
    }

    /// The filter for a trace with these definitions; the nodes are still missing.
    func filter(_ definitions: TraceDefinitions, _ timeScale: TimeScale) -> EventFilter {
        var filter = EventFilter(definitions, timeScale: timeScale)
        (filter.kinds, filter.thread, filter.stimulus) = (kinds, thread, stimulus)
        (filter.after, filter.before) = (after, before)
        return filter
    }

    /// The ids of the selected nodes; nil if none is named.
    func nodeIDs(_ definitions: TraceDefinitions, _ path: String) throws(UsageError) -> Set<UInt32>? {
        guard !nodes.isEmpty else { return nil }
        let directory = NodeDirectory(definitions)
        var ids: Set<UInt32> = []
        for name in nodes { ids.formUnion(try directory.ids(named: name, in: path, areDefined: false)) }
        return ids
    }
}
