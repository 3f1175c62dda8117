import WeirTrace

/// An expression whose names are bound to the nodes of a trace.
///
///     let condition = try Condition(Expression("loginEnabled == true")) { name in try id(of: name) }
///     condition.judgement(in: timeline.state, of: timeline.topology).truth
///
/// Truth has three values: a value that the trace lacks is unknown, and `unknown && false` is false. A node's name represents
/// its value, which must be true or false where a condition is expected.
package struct Condition: Sendable {
    /// The ids of the nodes that it mentions, each once, in order of first mention.
    package let nodes: [UInt32]
    /// Whether its result may change at a moment at which none of its nodes changes.
    let mentionsMoment: Bool

    private let root: Term

    private indirect enum Term: Sendable {
        case literal(TraceValue)
        case node(UInt32)
        case changed(UInt32)
        case count(UInt32)
        case not(Term)
        case and(Term, Term)
        case or(Term, Term)
        case compare(Term, Expression.Comparison, Term)
    }

    /// Binds each name in the expression to the node whose id `id` returns.
    package init<Problem: Error>(
        _ expression: Expression, id: (String) throws(Problem) -> UInt32
    ) throws(Problem) {
        var nodes: [UInt32] = []
        var mentionsMoment = false
        root = try Self.bind(expression) { (name, isMoment) throws(Problem) in
            let node = try id(name)
            if !nodes.contains(node) { nodes.append(node) }
            if isMoment { mentionsMoment = true }
            return node
        }
        self.nodes = nodes
        self.mentionsMoment = mentionsMoment
    }

    private static func bind<Problem: Error>(
        _ expression: Expression, _ id: (String, Bool) throws(Problem) -> UInt32
    ) throws(Problem) -> Term {
        switch expression {
        case .literal(let value): .literal(value)
        case .node(let name): .node(try id(name, false))
        case .changed(let name): .changed(try id(name, true))
        case .count(let name): .count(try id(name, false))
        case .not(let inner): .not(try bind(inner, id))
        case .and(let left, let right): .and(try bind(left, id), try bind(right, id))
        case .or(let left, let right): .or(try bind(left, id), try bind(right, id))
        case .compare(let left, let comparison, let right):
            .compare(try bind(left, id), comparison, try bind(right, id))
        }
    }

    /// The value of the expression in a state; it need not be true or false.
    package func judgement(in state: TraceState) -> Judgement { Self.judge(root, state) }

    /// Whether the expression is true in a state.
    package func truth(in state: TraceState) -> Judgement { Self.truth(root, state) }

    private static func judge(_ term: Term, _ state: TraceState) -> Judgement {
        switch term {
        case .literal(let value): return .value(value)
        case .node(let id):
            guard let node = state.node(id) else { return .unknown(.init(node: id, reason: .noValueYet)) }
            guard let reason = node.value.reasonUnknown else { return .value(node.value) }
            // A fingerprint can still be compared with another.
            if case .fingerprint = node.value { return .value(node.value) }
            let isFirst = reason == .notRecorded && node.lastChange == nil
            return .unknown(.init(node: id, reason: isFirst ? .noValueYet : reason))
        case .changed(let id):
            return .value(.bool(state.order > 0 && state.node(id)?.changeOrder == state.order))
        case .count(let id): return .value(.unsigned(state.node(id)?.emissions ?? 0))
        case .not(let inner):
            let judgement = truth(inner, state)
            return judgement.truth.map { .value(.bool(!$0)) } ?? judgement
        case .and(let left, let right): return join(left, right, state, decisive: false)
        case .or(let left, let right): return join(left, right, state, decisive: true)
        case .compare(let left, let comparison, let right):
            let (one, other) = (judge(left, state), judge(right, state))
            guard case .value(let first) = one else { return one }
            guard case .value(let second) = other else { return other }
            return compare(ValueOrder(first, second), comparison, node(left) ?? node(right))
        }
    }

    private static func truth(_ term: Term, _ state: TraceState) -> Judgement {
        judge(term, state).asTruth(of: node(term))
    }

    /// One side equal to `decisive` settles the result, even if the other side is unknown.
    private static func join(_ left: Term, _ right: Term, _ state: TraceState, decisive: Bool) -> Judgement {
        let one = truth(left, state)
        if one.truth == decisive { return one }
        let other = truth(right, state)
        if other.truth == decisive { return other }
        return one.truth == nil ? one : other
    }

    private static func compare(
        _ order: ValueOrder, _ comparison: Expression.Comparison, _ node: UInt32?
    ) -> Judgement {
        func truth(_ truth: Bool) -> Judgement { .value(.bool(truth)) }
        if case .unknown(let reason) = order { return .unknown(.init(node: node, reason: reason)) }
        switch comparison {
        case .equal: return truth(order == .equal)
        case .notEqual: return truth(order != .equal)
        case _ where order == .different: return .unknown(.init(node: node, reason: .notComparable))
        case .less: return truth(order == .less)
        case .lessOrEqual: return truth(order != .greater)
        case .greater: return truth(order == .greater)
        case .greaterOrEqual: return truth(order != .less)
        }
    }

    private static func node(_ term: Term) -> UInt32? {
        if case .node(let id) = term { return id }
        return nil
    }
}

extension TraceState {
    /// The state of the node with this id; nil if the trace does not define it.
    package func node(_ id: UInt32) -> NodeState? { topology.place(ofNode: id).map { nodes[$0] } }
}

/// Follows the result of a condition, and evaluates it only when it may have changed.
package struct ConditionWatch: Sendable {
    /// The condition.
    package let condition: Condition
    /// The latest result.
    package private(set) var judgement: Judgement
    private let asTruth: Bool
    /// The moment of the latest evaluation.
    private var order: UInt64

    /// Follows a condition from a state on: its truth if `asTruth`, otherwise its value.
    package init(_ condition: Condition, asTruth: Bool, in state: TraceState) {
        self.condition = condition
        self.asTruth = asTruth
        order = state.order
        judgement = asTruth ? condition.truth(in: state) : condition.judgement(in: state)
    }

    /// Whether the event that has just happened may change the result.
    package func isConcerned(by event: TraceEvent, in state: TraceState) -> Bool {
        if condition.isChanging(event) { return true }
        // A change lasts for one moment only.
        return condition.mentionsMoment && order &+ 1 == state.order
    }

    /// Takes the event that has just happened, and returns whether it changed the result.
    package mutating func take(_ event: TraceEvent, in state: TraceState) -> Bool {
        guard isConcerned(by: event, in: state) else { return false }
        let before = judgement
        evaluate(in: state)
        // An event that gives no watched node a value ends a momentary change. That is evaluated once.
        if !condition.isChanging(event) { order = .max }
        return judgement != before
    }

    /// Evaluates the condition in a state that was reached by other means than `take`.
    package mutating func evaluate(in state: TraceState) {
        order = state.order
        judgement = asTruth ? condition.truth(in: state) : condition.judgement(in: state)
    }
}

extension Condition {
    /// Whether an event gives one of the condition's nodes a value.
    func isChanging(_ event: TraceEvent) -> Bool { event.kind == .emitted && nodes.contains(event.subject) }
}
