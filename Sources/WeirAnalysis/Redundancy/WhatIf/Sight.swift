import WeirTrace

/// Whether a node reaches a live handler, or another node that shows or does something.
///
/// The result for an unobserved node holds until a subscription begins; for an observed node, until a subscription ends. To
/// limit the search in a trace where this changes all the time, every node counts as observed after `mostSteps` steps.
struct Sight {
    private enum Found: UInt8 {
        case notAsked
        case observed
        case unobserved
    }

    private static let mostSteps = 20_000_000

    private let topology: Topology
    private let kinds: [NodeKind?]
    private var found: [Found]
    private var version: [UInt64]
    private var visit: [UInt64]
    private var visits: UInt64 = 0
    private var starts: UInt64 = 1
    private var ends: UInt64 = 1
    private var steps = 0

    init(_ topology: Topology, _ kinds: [NodeKind?]) {
        self.topology = topology
        self.kinds = kinds
        found = .init(repeating: .notAsked, count: kinds.count)
        version = .init(repeating: 0, count: kinds.count)
        visit = version
    }

    mutating func subscriptionBegan() { starts &+= 1 }
    mutating func subscriptionEnded() { ends &+= 1 }

    mutating func isObserved(_ node: Int, isAlive: (Int) -> Bool) -> Bool {
        if found[node] == .notAsked || version[node] != (found[node] == .observed ? ends : starts) {
            found[node] = steps > Self.mostSteps || search(node, isAlive) ? .observed : .unobserved
            version[node] = found[node] == .observed ? ends : starts
        }
        return found[node] == .observed
    }

    private mutating func search(_ node: Int, _ isAlive: (Int) -> Bool) -> Bool {
        visits &+= 1
        visit[node] = visits
        var pending = [node]
        while let next = pending.popLast() {
            steps += topology.outputs[next].count
            for place in topology.outputs[next] where isAlive(place) {
                let target = topology.targets[place]
                guard topology.subscriptions[place].isInternal, target >= 0 else { return true }
                switch kinds[target] {
                case .observer, .binding, .command, .observable, .channel, .array: return true
                default: break
                }
                guard visit[target] != visits else { continue }
                visit[target] = visits
                pending.append(target)
            }
        }
        return false
    }
}
