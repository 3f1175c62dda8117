import WeirTrace

/// Which subscriptions bring the values of each run of a combineLatest.
///
/// A run is a subscription to the node. It subscribes to each input right after it has begun.
struct LatestRuns {
    private var inputs: [[Int]] = []
    private var runs: [Int: Int] = [:]
    private var known: Set<Int> = []

    init(_ topology: Topology, _ kinds: [NodeKind?]) {
        for node in kinds.indices where kinds[node] == .combineLatest { learn(node, topology) }
    }

    private mutating func learn(_ node: Int, _ topology: Topology) {
        let (outputs, all) = (topology.outputs[node], topology.inputs[node])
        guard !outputs.isEmpty, all.count % outputs.count == 0 else { return }
        let count = all.count / outputs.count
        for run in outputs.indices {
            let own = Array(all[run * count..<(run + 1) * count])
            if outputs.count > 1 {
                // They have the ids between that of their run and that of the next one.
                guard own.allSatisfy({ $0 > outputs[run] && (run + 1 == outputs.count || $0 < outputs[run + 1]) }),
                    own.map({ topology.sources[$0] }) == all.prefix(count).map({ topology.sources[$0] })
                else { return }
            }
            for place in own + [outputs[run]] { runs[place] = inputs.count }
            inputs.append(own)
        }
        known.insert(node)
    }

    /// Whether the runs of the node could be told apart.
    func knows(_ node: Int) -> Bool { known.contains(node) }

    /// The inputs of the run to which an input or an output belongs.
    func inputs(ofRun place: Int) -> [Int] { runs[place].map { inputs[$0] } ?? [] }
}
