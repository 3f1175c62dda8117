import Testing
import WeirTrace

@testable import WeirAnalysis

extension OracleTests {
    @Test func `why a node did not change agrees with all that the stimulus caused, found event by event`() async throws
    {
        var outcomes: [String: Int] = [:]
        for program in try await Self.programs() {
            let naive = NaiveInterpreter(program.events, program.definitions)
            guard !naive.stimuli.isEmpty else { continue }
            let timeline = try Timeline(program.reader, checkpointByteLimit: 1 << 20, checkpointSpacing: 64)
            var random = SeededGenerator(seed: program.seed &* 61 &+ 3)
            let nodes = program.definitions.nodes.keys.sorted()
            let interrupted = naive.stimuli.indices.filter { naive.hasHop(inside: naive.stimuli[$0]) }
            for pick in 0..<4 {
                let numbers = pick == 0 && !interrupted.isEmpty ? interrupted : Array(naive.stimuli.indices)
                let number = numbers.randomElement(using: &random)!
                let check = WhyNotCheck(naive, NaiveScope(naive, from: naive.stimuli[number]))
                let near = check.neighbours
                for node in (0..<4).compactMap({ (near.count > $0 ? near : nodes).randomElement(using: &random) }) {
                    let found = try timeline.whyNot([node], after: .stimulus(.number(UInt64(number + 1))))
                    check.count(found.outcome, in: &outcomes)
                    let fault =
                        check.fault(of: found) ?? (found.stimulusNumber == UInt64(number + 1) ? nil : "another number")
                    if let fault {
                        Issue.record("seed \(program.seed), stimulus \(number + 1), node \(node): \(fault)")
                        return
                    }
                }
            }
        }
        let rare: [String] = ["suppressed", "ended", "madeNothing", "handlerDidNotWrite", "notYetSubscribed"]
        for outcome in rare + ["subscriptionEnded", "changed", "unconnected", "released", "notYetMade"] {
            #expect(outcomes[outcome] ?? 0 > 0, "no answer says '\(outcome)'")
        }
    }
}

/// Checks an answer against the events.
private struct WhyNotCheck {
    private let naive: NaiveInterpreter
    private let scope: NaiveScope
    private let reached: [WhyNot.Reached]

    init(_ naive: NaiveInterpreter, _ scope: NaiveScope) {
        (self.naive, self.scope) = (naive, scope)
        reached = scope.reached
    }

    /// The unreached nodes that reached nodes feed, and those that they feed in turn.
    var neighbours: [UInt32] {
        let changed = Set(reached.map(\.node))
        func targets(of nodes: Set<UInt32>) -> Set<UInt32> {
            Set(
                nodes.flatMap { naive.subscriptions(to: $0) }.flatMap { edge in
                    (naive.writes[edge.id] ?? []).union(naive.laterWrites[edge.id] ?? [])
                        .union(edge.target.map { [$0] } ?? [])
                })
        }
        let first = targets(of: changed)
        return first.union(targets(of: first)).subtracting(changed).sorted()
    }

    func count(_ outcome: WhyNot.Outcome, in outcomes: inout [String: Int]) {
        guard case .stopped(let stops) = outcome else {
            return outcomes["\(outcome)".prefix { $0 != "(" }.description, default: 0] += 1
        }
        for stop in stops { outcomes["\(stop.reason)".prefix { $0 != "(" }.description, default: 0] += 1 }
    }

    func fault(of found: WhyNot) -> String? {
        if found.stimulus != naive.events[scope.beginning] { return "it tells of \(found.stimulus.id)" }
        if found.reached != reached {
            let missing = reached.filter { !found.reached.contains($0) }
            let surplus = found.reached.filter { !reached.contains($0) }
            return "it reached also \(missing), and not \(surplus)"
        }
        let before = naive.node(found.node, at: scope.beginning)
        // The view's side of a channel has its value since it sent that.
        let isChannel = naive.definitions.nodes[found.node]?.kind == .channel
        let change = isChannel ? before.silentWrite ?? before.lastChange : before.lastChange
        if found.value != before.value || found.lastChange != change { return "its value was \(before)" }
        let own = reached.first { $0.node == found.node }
        if case .changed(let reported) = found.outcome {
            return reported == own ? nil : "it changed as \(String(describing: own))"
        }
        if own != nil { return "it did change" }
        switch found.outcome {
        case .changed: return nil
        case .released: return before.life == .released ? nil : "it was not released"
        case .notYetMade:
            let isMade = naive.events[scope.beginning...].contains {
                $0.kind == .nodeCreated && $0.subject == found.node
            }
            return isMade ? nil : "it was not made afterwards"
        case .unconnected: return fault(ofUnconnected: found.node)
        case .stopped(let stops):
            if stops.isEmpty { return "there is no stop" }
            for (place, stop) in stops.enumerated() where stops[..<place].contains(stop) { return "twice: \(stop)" }
            let lengths = stops.map(\.path.count)
            if lengths != lengths.sorted() { return "nearer stops come later: \(lengths)" }
            for stop in stops {
                if let fault = fault(of: stop, before: found.node) { return "\(fault): \(stop)" }
            }
            return nil
        }
    }

    private func fault(ofUnconnected node: UInt32) -> String? { isConnected(node) ? "it is connected" : nil }

    /// Whether a path leads from the nodes that the stimulus reached to a node, over subscriptions and over handlers that write.
    ///
    /// While a command is executed, it refuses other executions: nothing more comes to the node from what executes it.
    private func isConnected(_ node: UInt32, isLive: Bool = true) -> Bool {
        var seen: Set<UInt32> = Set(reached.map(\.node))
        if !isLive {
            // The stimulus enters a path also where it makes nothing, or an end.
            let entered: Set<EventKind> = [.suppressed, .completed, .failed]
            seen.formUnion(scope.members.map { naive.events[$0] }.filter { entered.contains($0.kind) }.map(\.subject))
        }
        var open = Array(seen)
        while let next = open.popLast() {
            for edge in naive.subscriptions(to: next) {
                if isLive {
                    let life = naive.life(ofSubscription: edge.id, at: scope.beginning)
                    guard life == .alive, !naive.beginsExecution(edge) else { continue }
                }
                for target in naive.definitions.nodes.keys where !seen.contains(target) {
                    guard isLive ? naive.feeds(edge, target) : naive.mayFeed(edge, target) else { continue }
                    if isLive, naive.node(target, at: scope.beginning).life == .released { continue }
                    seen.insert(target)
                    open.append(target)
                }
            }
        }
        return seen.contains(node)
    }

    private func fault(of stop: WhyNot.Stop, before node: UInt32) -> String? {
        let way = [stop.node] + stop.path
        if way.last != node || Set(way).count != way.count { return "the way leads elsewhere" }
        for (from, to) in zip(way, way.dropFirst())
        where !naive.subscriptions(to: from).contains(where: { naive.mayFeed($0, to) })
            && !naive.isCommand(from, publishingThrough: to)
        {
            return "there is no way from \(from) to \(to)"
        }
        if way.contains(where: { !scope.emissions(of: $0).isEmpty }) { return "a node on the way did change" }
        switch stop.reason {
        case .suppressed(let step): return fault(step, of: stop.node, [.suppressed])
        case .ended(let step): return fault(step, of: stop.node, [.completed, .failed])
        case .madeNothing(let event, let subscription), .handlerDidNotWrite(let event, let subscription):
            guard let place = naive.position(of: event), scope.contains(event), naive.deliversAnything(place),
                naive.events[place].subject == subscription
            else { return "it is no delivery that the stimulus caused" }
            let isHandler = if case .handlerDidNotWrite = stop.reason { true } else { false }
            let isInput = naive.definitions.subscriptions[subscription]?.target == stop.node
            let edge = naive.definitions.subscriptions[subscription]
            if isHandler && !(edge.map { naive.mayWrite($0, to: stop.node) } ?? false) || !isHandler && !isInput {
                return "a handler is none"
            }
            return fault(of: subscription, feeding: stop.node)
        case .subscriptionEnded(let step, let subscription):
            guard let step, step.event.kind == .subscriptionEnded, step.event.subject == subscription,
                let end = naive.position(of: step.event.id)
            else { return "it is not the end" }
            let source = naive.definitions.subscriptions[subscription]!.source
            guard let last = scope.emissions(of: source).last else {
                // A source that has ended emits nothing, although the stimulus reaches it.
                let isReached = scope.members.contains {
                    naive.events[$0].suppressionReason == .afterCompletion && naive.events[$0].subject == source
                }
                let isOfNode = naive.definitions.subscriptions[subscription].map { naive.mayFeed($0, stop.node) }
                if isReached, end < scope.beginning, isOfNode == true { return nil }
                if end > scope.beginning { return "it ended only later" }
                // A subscription is missing on a path that the stimulus entered.
                if !isConnected(way[way.count - 1]), isConnected(source, isLive: false) {
                    return isOfNode == true ? nil : "it never fed it"
                }
                return fault(ofLostFeed: subscription, of: stop.node)
            }
            if end > naive.close(ofEmission: last) { return "it ended only later" }
            let isNew = naive.life(ofSubscription: subscription, at: scope.beginning) == .unmentioned
            if isNew, naive.start(of: subscription) ?? 0 > last { return "it began only later" }
            return fault(of: subscription, feeding: stop.node) ?? fault(ofNothingThrough: subscription)
        case .notYetSubscribed(nil, let subscription):
            // The beginning of a command's execution is not recorded: it appears with its first delivery.
            let isStarted = naive.subscription(subscription, at: naive.events.count).start != nil
            let isThere = naive.life(ofSubscription: subscription, at: scope.beginning) != .unmentioned
            return isStarted || isThere ? "it has a beginning" : fault(of: subscription, feeding: stop.node)
        case .notYetSubscribed(let start, let subscription):
            guard let start = naive.position(of: start), naive.events[start].subject == subscription,
                naive.events[start].kind == .subscriptionStarted
            else { return "it is not the beginning" }
            let source = naive.definitions.subscriptions[subscription]!.source
            guard let last = scope.emissions(of: source).last else { return "nothing was emitted to it" }
            if start < scope.beginning { return "it began before" }
            if start < last {
                if naive.isHot(source) { return "it began in time" }
                let end = naive.events.firstIndex { $0.kind == .subscriptionEnded && $0.subject == subscription }
                if let end, end < naive.close(ofEmission: last) { return "it had ended" }
            }
            return fault(of: subscription, feeding: stop.node) ?? fault(ofNothingThrough: subscription)
        case .waitsForActor: return "no handler of these programs belongs to an actor"
        case .notDelivered(let subscription):
            let source = naive.definitions.subscriptions[subscription]!.source
            if naive.life(ofSubscription: subscription, at: scope.beginning) != .alive {
                guard let start = naive.start(of: subscription), let last = scope.emissions(of: source).last,
                    start < last, naive.isHot(source)
                else { return "it was not there" }
            }
            return fault(of: subscription, feeding: stop.node) ?? fault(ofNothingThrough: subscription)
        }
    }

    private func fault(_ step: CauseStep, of node: UInt32, _ kinds: Set<EventKind>) -> String? {
        guard kinds.contains(step.event.kind), step.event.subject == node else { return "it is something else" }
        let isInside = scope.contains(step.event.id)
        if step.event.suppressionReason == .superseded || step.event.suppressionReason == .disposed && !isInside {
            // Whatever caused the newer value or the disposal, this value reached the node earlier, because of the stimulus.
            let place = naive.position(of: step.event.id) ?? 0
            let isFed = scope.members.contains { member in
                member < place && naive.deliversAnything(member)
                    && naive.definitions.subscriptions[naive.events[member].subject]?.target == node
            }
            return isFed ? nil : "nothing had come to it"
        }
        return isInside ? nil : "the stimulus did not cause it"
    }

    /// A former source of a node is reported if nothing feeds the node any more.
    private func fault(ofLostFeed subscription: UInt32, of node: UInt32) -> String? {
        guard let edge = naive.definitions.subscriptions[subscription], naive.feeds(edge, node) else {
            return "it never fed it"
        }
        let isFed = naive.definitions.subscriptions.values.contains {
            naive.feeds($0, node) && naive.life(ofSubscription: $0.id, at: scope.beginning) == .alive
                && $0.target.map { naive.node($0, at: scope.beginning).life != .released } ?? true
        }
        return isFed ? "something feeds it" : nil
    }

    private func fault(of subscription: UInt32, feeding node: UInt32) -> String? {
        guard let edge = naive.definitions.subscriptions[subscription], naive.mayFeed(edge, node) else {
            return "\(subscription) does not feed \(node)"
        }
        return scope.emissions(of: edge.source).isEmpty ? "\(edge.source) emitted nothing" : nil
    }

    private func fault(ofNothingThrough subscription: UInt32) -> String? {
        let isFed = scope.members.contains {
            naive.deliversAnything($0) && naive.events[$0].subject == subscription
        }
        return isFed ? "something was delivered" : nil
    }
}

extension NaiveInterpreter {
    /// Whether the event at a position begins the delivery of a value, a completion or a failure.
    func deliversAnything(_ position: Int) -> Bool {
        let event = events[position]
        return (event.kind == .deliveryBegan || event.kind == .deliveryNext) && event.subject != 0
    }

    /// Whether values may reach `node` through a subscription, directly or by its handler, or that of another one like it.
    func mayFeed(_ edge: TraceSubscription, _ node: UInt32) -> Bool {
        edge.target == node || mayWrite(edge, to: node)
    }

    /// Whether the handler of this subscription wrote to a node, or another one of the same line, or another execution of the
    /// same command.
    func mayWrite(_ edge: TraceSubscription, to node: UInt32) -> Bool {
        if hasWritten(edge.id, to: node) { return true }
        let writers = definitions.subscriptions.values.filter { hasWritten($0.id, to: node) }
        if let command = command(executedThrough: edge) {
            return writers.contains { self.command(executedThrough: $0) == command }
                || subscriptions(feeding: node).contains { self.command(executedThrough: $0) == command }
        }
        return isTerminal(edge.id) && writers.contains { isTerminal($0.id) && $0.site == edge.site && edge.site != nil }
    }

    /// The command to whose execution or from whose execution a subscription leads.
    private func command(executedThrough edge: TraceSubscription) -> UInt32? {
        guard edge.isInternal else { return nil }
        guard let execution = isExecution(edge.target) ? edge.target : isExecution(edge.source) ? edge.source : nil
        else {
            return nil
        }
        return subscriptions(feeding: execution).map(\.source).first { definitions.nodes[$0]?.kind == .command }
    }

    private func isExecution(_ node: UInt32?) -> Bool { node.flatMap { definitions.nodes[$0]?.kind } == .execution }

    /// Whether a command's input goes through a subscription to an execution of it.
    func beginsExecution(_ edge: TraceSubscription) -> Bool {
        definitions.nodes[edge.source]?.kind == .command && isExecution(edge.target)
    }

    /// Whether a node is a command, and another one emits the values of its executions.
    func isCommand(_ node: UInt32, publishingThrough other: UInt32) -> Bool {
        guard let command = definitions.nodes[node], let part = definitions.nodes[other] else { return false }
        return command.kind == .command && part.kind == .emitter && command.site == part.site
    }

    /// The position at which all deliveries of the emission at a position are over.
    func close(ofEmission position: Int) -> Int {
        frames[events[position].id.thread]?.first { $0.opening == position }?.closing ?? position
    }

    /// The position at which a subscription began; nil if that is unknown.
    func start(of subscription: UInt32) -> Int? {
        events.firstIndex { $0.kind == .subscriptionStarted && $0.subject == subscription }
    }

    /// Whether all subscribers share one value of a node: nothing runs for each of them separately.
    func isHot(_ node: UInt32) -> Bool {
        let shared: Set<NodeKind> = [
            .observable, .emitter, .combiner, .command, .channel, .array, .execution, .share, .replay,
        ]
        return definitions.nodes[node]?.kind.map(shared.contains) ?? true
    }
}
