import WeirTrace

/// Which subscriptions bring the values of each run of a cold node.
///
/// A cold node runs once for each subscription to it, its output, and each run has subscriptions of its own to the inputs. A run
/// subscribes to its inputs right after it has begun, so they have the ids between that of its output and that of the next one.
/// Ids that are not in this order, as of chains that were attached before the recording began, leave the runs unknown.
struct SubscriptionRuns: Sendable {
    /// How the runs of a node are distinguished.
    enum Division: UInt8 {
        /// It has no runs: it is hot, or of an unknown kind.
        case none
        /// It has one run.
        case single
        /// By the ids of its inputs.
        case ordered
        /// By the ids of the first inputs. Each other one began during a delivery through an input of the same run.
        case late
        case unknown
    }

    private struct Run {
        let node: Int
        /// The index of its output; -1: unknown.
        let output: Int
        /// The places of its inputs among those of the node; empty if it subscribes to further inputs later.
        let inputs: Range<Int>
    }

    private let inputs: [[Int]]
    private var divisions: [Division]
    private let haveOneSource: [Bool]
    private let subscribeLate: [Bool]
    private var runs: [Run] = []
    private var runOfInput: [Int32]
    private var runOfOutput: [Int32]
    /// Whether a node subscribes to inputs after its run has begun, and has several runs.
    private(set) var areLate = false
    private var zips: Set<Int> = []
    private let flatMaps: Set<Int>
    /// The number of each input of a zip, by index of the subscription; empty if there is no zip.
    private var lanes: [Int32] = []
    private(set) var laneCount = 0

    init(kinds: [NodeKind?], sources: [Int], inputs: [[Int]], outputs: [[Int]]) {
        self.inputs = inputs
        haveOneSource = kinds.map { $0.map { $0.hasRuns && $0.hasOneSource } ?? false }
        flatMaps = Set(kinds.indices.filter { kinds[$0] == .flatMap })
        subscribeLate = kinds.map { $0?.subscribesLate ?? false }
        divisions = .init(repeating: .none, count: kinds.count)
        runOfInput = .init(repeating: -1, count: sources.count)
        runOfOutput = runOfInput
        // The same chain begins with a current value in one run, and with the next change in another.
        let origins = sources.map { source in
            kinds[source] == .current ? inputs[source].first.map { sources[$0] } ?? source : source
        }
        for node in kinds.indices where !inputs[node].isEmpty {
            guard let kind = kinds[node], kind.hasRuns else { continue }
            divisions[node] = divide(node, kind, origins, outputs[node])
            if divisions[node] == .late { areLate = true }
            if kind == .zip { number(node) }
        }
    }

    private mutating func divide(_ node: Int, _ kind: NodeKind, _ origins: [Int], _ outputs: [Int]) -> Division {
        let own = inputs[node]
        let isAttachedBefore = outputs.first.map { own[0] < $0 } ?? true
        if outputs.count < 2 {
            // Another run may have emitted nothing so far.
            if isAttachedBefore, !kind.subscribesLate, Set(own.map { origins[$0] }).count < own.count {
                return .unknown
            }
            add(Run(node: node, output: outputs.first ?? -1, inputs: own.indices))
            return .single
        }
        if isAttachedBefore { return .unknown }
        let parts = split(own, at: outputs)
        if kind.subscribesLate {
            guard Set(parts.compactMap { $0.first.map { origins[own[$0]] } }).count == 1 else { return .unknown }
            for (output, part) in zip(outputs, parts) {
                add(Run(node: node, output: output, inputs: part.prefix(1)))
            }
            return .late
        }
        let lists = parts.map { part in part.map { origins[own[$0]] } }
        guard let longest = lists.max(by: { $0.count < $1.count }) else { return .unknown }
        // A run that ends early subscribes to some inputs only.
        let mayEndEarly = Set(longest).count == longest.count
        guard lists.allSatisfy({ mayEndEarly ? longest.starts(with: $0) : longest == $0 }) else { return .unknown }
        for (output, part) in zip(outputs, parts) { add(Run(node: node, output: output, inputs: part)) }
        return .ordered
    }

    /// The places of the inputs that follow each output.
    private func split(_ inputs: [Int], at outputs: [Int]) -> [Range<Int>] {
        var place = 0
        return outputs.indices.map { number in
            let start = place
            while place < inputs.count, number + 1 == outputs.count || inputs[place] < outputs[number + 1] {
                place += 1
            }
            return start..<place
        }
    }

    private mutating func add(_ run: Run) {
        for place in run.inputs { runOfInput[inputs[run.node][place]] = Int32(runs.count) }
        if run.output >= 0 { runOfOutput[run.output] = Int32(runs.count) }
        runs.append(run)
    }

    private mutating func number(_ zip: Int) {
        zips.insert(zip)
        if lanes.isEmpty { lanes = .init(repeating: -1, count: runOfInput.count) }
        for input in inputs[zip] {
            lanes[input] = Int32(laneCount)
            laneCount += 1
        }
    }

    // MARK: Runs

    func division(of node: Int) -> Division { divisions[node] }

    /// Whether each run of a node has one source, and so one input at a time.
    func hasOneSource(_ node: Int) -> Bool { haveOneSource[node] }

    /// Whether a run of a node subscribes to further inputs after it has begun.
    func subscribesLate(_ node: Int) -> Bool { subscribeLate[node] }

    func isFlatMap(_ node: Int) -> Bool { !flatMaps.isEmpty && flatMaps.contains(node) }

    /// Whether an input of a flatMap is a signal that it made, the values of which it only passes on.
    func isRequest(_ input: Int, of node: Int) -> Bool {
        guard divisions[node] == .single || divisions[node] == .late else { return false }
        return run(ofInput: input).map { inputs(ofRun: $0).first != input } ?? true
    }

    /// The number of the run to which an input belongs, as its id shows.
    func run(ofInput subscription: Int) -> Int? { Self.number(runOfInput[subscription]) }

    /// The number of the run that an output began.
    func run(ofOutput subscription: Int) -> Int? { Self.number(runOfOutput[subscription]) }

    /// The index of the subscription that began a run; nil: unknown.
    func output(ofRun run: Int) -> Int? { runs[run].output < 0 ? nil : runs[run].output }

    /// The inputs of a run, in the order of their ids.
    func inputs(ofRun run: Int) -> ArraySlice<Int> { inputs[runs[run].node][runs[run].inputs] }

    /// The inputs of the run that an output began; empty if they are unknown.
    func inputs(ofOutput subscription: Int) -> ArraySlice<Int> {
        run(ofOutput: subscription).map { inputs(ofRun: $0) } ?? []
    }

    /// Whether the inputs of each run of a node are known.
    func areKnown(_ node: Int) -> Bool { divisions[node] == .single || divisions[node] == .ordered }

    private static func number(_ run: Int32) -> Int? { run < 0 ? nil : Int(run) }

    // MARK: Zips

    func isZip(_ node: Int) -> Bool { laneCount > 0 && zips.contains(node) }

    /// The number of an input among those of all zips; nil: it feeds none.
    func lane(ofInput subscription: Int) -> Int? { laneCount == 0 ? nil : Self.number(lanes[subscription]) }
}

extension NodeKind {
    /// Whether each subscription to it begins a run with inputs of its own.
    fileprivate var hasRuns: Bool {
        switch self {
        case .replay: true
        case .multicast, .source, .foreign: false
        default: !isHot
        }
    }

    fileprivate var hasOneSource: Bool {
        switch self {
        case .flatMap, .combineLatest, .zip, .merge, .concat, .withLatest, .takeUntil, .skipUntil, .timeout, .sample,
            .catch, .race:
            false
        default: true
        }
    }

    /// Whether a run subscribes to further inputs after it has begun.
    fileprivate var subscribesLate: Bool {
        switch self {
        case .flatMap, .concat, .catch, .timeout: true
        default: false
        }
    }
}

extension Topology {
    /// The index of the input of a node through which an event of the node came about, at once or by a hop; nil if it is unknown.
    func input(behind event: TraceEvent, of node: Int) -> Int? {
        let id = event.deliveringTo == 0 ? event.scheduledBy : event.deliveringTo
        guard id != 0, let place = place(ofSubscription: id), targets[place] == node else { return nil }
        return place
    }
}
