import WeirTrace

/// A rule of redundancy: a value of its type counts during the pass, and its static members describe the findings.
protocol DescribedRule {
    /// The events that it counts.
    static var counted: CountedEvents { get }
    /// The common part of findings that one line of the program caused; nil: each needs its own cure.
    static var commonCause: CommonCause? { get }
    /// Whether a finding that only feedback loops caused is listed under that of the loop.
    static var followsLoops: Bool { get }
    /// The severity and the remedy of a finding; nil: no remedy is known to help. A rule may also choose the examples to show.
    static func judge(_ finding: inout FindingFacts) -> (severity: Finding.Severity, remedy: Remedy?)
    /// The tallies at the end of the pass; `byMarks`: frame marks separate screens, not the time.
    func tallies(_ tables: FlowTables, byMarks: Bool) -> [RuleTally]
}

extension DescribedRule {
    static var commonCause: CommonCause? { nil }
    static var followsLoops: Bool { false }
}

/// A rule that keeps its tallies in one table.
protocol TallyingRule: DescribedRule {
    var table: TallyTable { get }
}

extension TallyingRule {
    func tallies(_ tables: FlowTables, byMarks: Bool) -> [RuleTally] { table.tallies }
}

/// The events that a rule counts.
package enum CountedEvents: Sendable {
    case refreshes, emissions, evaluations, subscriptions, requests
}

/// The common part of findings with one cause; the cure of the cause cures all of them.
package enum CommonCause: Sendable {
    /// A node that emitted unchanged values.
    case unchangedValues
    /// Writes to one node.
    case writes
    /// Answers that came too late.
    case answers
}

/// The tallies of a finding, worst first, and the program that made them.
struct FindingFacts {
    var tallies: [RuleTally]
    let lines: ProgramLines

    var first: RuleTally { tallies[0] }
    var definitions: TraceDefinitions { lines.definitions }
    var technique: NodeTechnique { definitions.nodes[first.node]?.technique ?? .weir }
    var nodes: [UInt32] { Self.distinct(tallies.map(\.node)) }
    var subscriptions: [UInt32] { Self.distinct(tallies.map(\.subscription)) }
    /// The subscriptions through which the counted events came.
    var inputs: [UInt32] { Self.distinct(tallies.map(\.via)) }
    var nodeSite: TraceSite? { definitions.nodes[first.node]?.site }
    var subscriptionSite: TraceSite? { definitions.subscriptions[first.subscription]?.site ?? nodeSite }

    /// A remedy that changes the nodes.
    func changingNodes(_ kind: Remedy.Kind) -> Remedy { Remedy(kind, nodes: nodes, site: nodeSite) }

    /// A remedy that changes the subscriptions.
    func changingSubscriptions(_ kind: Remedy.Kind) -> Remedy {
        Remedy(kind, nodes: nodes, subscriptions: subscriptions, site: subscriptionSite)
    }

    /// The nodes wait until the turn settles.
    var settling: Remedy {
        var remedy = Remedy(.settled, nodes: nodes, site: lines.computingSite(ofNode: first.node))
        remedy.beginsWithCurrent = lines.beginsWithCurrent(first.node)
        return remedy
    }

    /// The ids but 0, each once.
    static func distinct(_ ids: [UInt32]) -> [UInt32] { Set(ids).subtracting([0]).sorted() }
}
