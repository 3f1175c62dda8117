import CWeir
import WeirTrace

/// The state of each node and subscription that the rules use, at the indexes of the topology.
///
/// The tables are allocated memory, because an array would be checked and copied at each record. A copy of this value shares
/// the tables.
struct FlowTables {
    let topology: Topology
    /// The most counted events that a rule keeps for each of its tallies.
    let mostOccurrences: Int
    let nodes: UnsafeMutablePointer<FlowNode>
    let subscriptions: UnsafeMutablePointer<FlowSubscription>
    /// The last emission of the run that each subscription to a cold node represents.
    let runs: UnsafeMutablePointer<EmissionMark>
    /// What `burst` keeps of the refresh before the last one, by subscription.
    let formers: UnsafeMutablePointer<FormerRefresh>
    private let placeOfNode: UnsafeMutableBufferPointer<Int32>
    private let placeOfSubscription: UnsafeMutableBufferPointer<Int32>
    private let memory: Memory

    // Limits the memory that a hostile id can cost; the ids of a recorder stay below.
    private static let denseLimit = 1 << 22

    private final class Memory {
        var tables: [UnsafeMutableRawPointer] = []
        // The tables hold no references.
        deinit { for table in tables { table.deallocate() } }
    }

    init(_ topology: Topology, keeping mostOccurrences: Int) {
        self.topology = topology
        self.mostOccurrences = mostOccurrences
        memory = Memory()
        let definitions = topology.definitions
        nodes = Self.table(topology.nodeIDs.count)
        for (place, id) in topology.nodeIDs.enumerated() {
            var node = FlowNode(id, rawKind: definitions.nodes[id]?.rawKind ?? 0)
            if definitions.nodes[id]?.technique == .callback { node.traits.insert(.isCallback) }
            if definitions.nodes[id]?.technique == .asyncSequence { node.traits.insert(.isSequence) }
            if definitions.nodes[id]?.technique == .render { node.traits.insert(.isBody) }
            for intention in definitions.intentions[id] ?? [] {
                if let rule = RedundancyRule(rawValue: intention.rule) { node.intended |= rule.bit }
            }
            (nodes + place).initialize(to: node)
        }
        let areStates = topology.areStatesOfCommands
        for place in areStates.indices where areStates[place] { nodes[place].traits.remove(.joins) }
        subscriptions = Self.table(topology.subscriptions.count)
        let isOfEvents = topology.come(from: topology.are([.emitter]), through: \.passesEventsOn)
        let isOfEmitters = topology.come(from: topology.are([.emitter]), through: \.passesValuesOn)
        let areAnswers = topology.come(from: topology.are([.emitter, .source, .flatMap]), through: \.passesEventsOn)
        let followCommands = topology.come(from: areStates) { $0.passesEventsOn || $0 == .current || $0 == .replay }
        for (place, subscription) in topology.subscriptions.enumerated() {
            let source = nodes + topology.sources[place]
            let wantsAll = isOfEvents[topology.sources[place]] || followCommands[topology.sources[place]]
            (subscriptions + place).initialize(
                to: FlowSubscription(
                    isTerminal: !subscription.isInternal, isOfEmitters: isOfEmitters[topology.sources[place]],
                    isOfEvents: isOfEvents[topology.sources[place]], wantsNext: wantsAll,
                    areAnswers: areAnswers[topology.sources[place]], intended: source.pointee.intended,
                    id: subscription.id, source: Int32(topology.sources[place]),
                    target: Int32(topology.targets[place]), filter: Int32(topology.filter(before: place) ?? -1),
                    wantsAll: wantsAll))
        }
        runs = Self.table(topology.subscriptions.count)
        runs.initialize(repeating: EmissionMark(), count: topology.subscriptions.count)
        formers = Self.table(topology.subscriptions.count)
        formers.initialize(repeating: FormerRefresh(), count: topology.subscriptions.count)
        placeOfNode = Self.table(topology.nodeIDs)
        placeOfSubscription = Self.table(topology.subscriptions.map(\.id))
        memory.tables = [
            UnsafeMutableRawPointer(nodes), UnsafeMutableRawPointer(subscriptions), UnsafeMutableRawPointer(runs),
            UnsafeMutableRawPointer(formers),
        ]
        for table in [placeOfNode, placeOfSubscription] {
            if let base = table.baseAddress { memory.tables.append(UnsafeMutableRawPointer(base)) }
        }
    }

    /// Memory for elements, which begins with a cache line.
    private static func table<Element>(_ count: Int) -> UnsafeMutablePointer<Element> {
        UnsafeMutableRawPointer.allocate(byteCount: max(1, count) * MemoryLayout<Element>.stride, alignment: 64)
            .bindMemory(to: Element.self, capacity: max(1, count))
    }

    /// The indexes of ids in ascending order.
    private static func table(_ ids: [UInt32]) -> UnsafeMutableBufferPointer<Int32> {
        let last = ids.last { $0 < denseLimit } ?? 0
        let table = UnsafeMutableBufferPointer<Int32>.allocate(capacity: Int(last) + 1)
        table.initialize(repeating: -1)
        for (place, id) in ids.enumerated() where id <= last { table[Int(id)] = Int32(place) }
        return table
    }

    /// Makes the processor fetch the state of the node or subscription that an emission, suppression or delivery needs soon.
    ///
    /// Several threads' graphs do not fit into the nearest cache. Without a branch: which kind follows cannot be predicted.
    @inline(__always)
    func prefetch(_ step: FlowStep) {
        let (table, stride) =
            step.kind <= EventKind.suppressed.rawValue
            ? (UnsafeRawPointer(nodes), MemoryLayout<FlowNode>.stride)
            : (UnsafeRawPointer(subscriptions), MemoryLayout<FlowSubscription>.stride)
        let entry = table + Int(max(0, step.place)) &* stride
        weir_prefetch(entry)
        weir_prefetch(entry + 64)
        weir_prefetch(entry + 128)
    }

    /// The index of a node; -1 if the trace does not define it.
    @inline(__always)
    func place(ofNode id: UInt32) -> Int32 {
        if Int(id) < placeOfNode.count { return placeOfNode.baseAddress.unsafelyUnwrapped[Int(id)] }
        return Int32(topology.place(ofNode: id) ?? -1)
    }

    /// The index of a subscription; -1 if the trace does not define it.
    @inline(__always)
    func place(ofSubscription id: UInt32) -> Int32 {
        if Int(id) < placeOfSubscription.count { return placeOfSubscription.baseAddress.unsafelyUnwrapped[Int(id)] }
        return Int32(topology.place(ofSubscription: id) ?? -1)
    }
}

extension Topology {
    /// The nearest `filter` or `compactMap` behind a subscription, through operators with one source that make events of events.
    fileprivate func filter(before subscription: Int) -> Int? {
        var place = sources[subscription]
        for _ in 0..<16 {
            guard let kind = kind(place), kind.passesEventsOn else { return nil }
            if kind == .filter || kind == .compactMap { return place }
            let known = Set(inputs[place].map { sources[$0] })
            guard known.count == 1, let source = known.first else { return nil }
            place = source
        }
        return nil
    }

    private func kind(_ place: Int) -> NodeKind? { definitions.nodes[nodeIDs[place]]?.kind }

    /// For each node, whether it is of one of these kinds.
    fileprivate func are(_ kinds: Set<NodeKind>) -> [Bool] {
        nodeIDs.indices.map { kind($0).map(kinds.contains) == true }
    }

    /// For each node, whether it is a command's `isExecuting` or `isEnabled`: an observable made by the call that made the command.
    fileprivate var areStatesOfCommands: [Bool] {
        func site(_ place: Int) -> TraceSite? { definitions.nodes[nodeIDs[place]]?.site }
        let sites = Set(nodeIDs.indices.filter { kind($0) == .command }.compactMap(site))
        return nodeIDs.indices.map { kind($0) == .observable && site($0).map(sites.contains) == true }
    }

    /// For each node, whether its values come from `origins` only: it is one, or an operator of a kind that `passes` them on and whose
    /// sources all are such nodes.
    fileprivate func come(from origins: [Bool], through passes: (NodeKind) -> Bool) -> [Bool] {
        var are = origins
        // The sources of each operator that are not known to be such.
        var others = inputs.indices.map {
            inputs[$0].isEmpty || kind($0).map(passes) != true ? -1 : inputs[$0].count
        }
        var next = are.indices.filter { are[$0] }
        while let place = next.popLast() {
            for subscription in outputs[place] where targets[subscription] >= 0 {
                let target = targets[subscription]
                guard others[target] > 0 else { continue }
                others[target] -= 1
                if others[target] == 0, !are[target] {
                    are[target] = true
                    next.append(target)
                }
            }
        }
        return are
    }
}

extension NodeKind {
    /// Whether it is an operator that makes events of events.
    var passesEventsOn: Bool {
        switch self {
        case .map, .compactMap, .filter, .removeDuplicates, .flatMap, .zip, .merge, .concat, .withLatest, .take, .skip,
            .takeUntil, .skipUntil, .throttle, .debounce, .delay, .timeout, .buffer, .sample, .retry, .catch,
            .materialize,
            .dematerialize, .share, .onEvent, .deliver, .subscribe, .disclose, .race, .multicast, .print:
            true
        case .observable, .emitter, .combiner, .observer, .source, .command, .execution, .channel, .array, .binding,
            .foreign,
            .scan,
            .combineLatest, .startWith, .replay, .current, .changes, .reduce, .collect, .last:
            false
        }
    }

    /// Whether it is such an operator, and emits the very values of its sources.
    fileprivate var passesValuesOn: Bool {
        switch self {
        case .map, .compactMap, .flatMap, .zip, .withLatest, .buffer, .materialize, .dematerialize: false
        default: passesEventsOn
        }
    }
}
