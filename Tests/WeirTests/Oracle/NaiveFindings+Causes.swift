import WeirTrace

@testable import WeirAnalysis

/// 'One cause, one finding' of the page.
extension NaiveFindings {
    /// The cause of a counted event of the rules that share causes.
    private func cause(_ subject: Subject, _ position: Int) -> UInt32? {
        switch subject.rule {
        case .repeatedValue, .noopEvaluation, .repeatedRequest: unchangedCause(subject.rule, position)
        case .burst: refresh(at: position).flatMap { next(after: $0) }.flatMap { writer(of: $0.position) }
        case .staleResponse: answerCause(position)
        default: nil
        }
    }

    /// The node of the outermost of the unchanged emissions around an event, up to a hop.
    private func unchangedCause(_ rule: RedundancyRule, _ position: Int) -> UInt32? {
        var around = rules.around[position]
        var node = events[position].subject
        if rule != .noopEvaluation {
            guard let emission = around.popLast() else { return nil }
            node = events[emission.opening].subject
            if !isUnchanged(emission.opening) { return node }
        }
        for frame in around.reversed() {
            let kind = events[frame.opening].kind
            if kind == .stimulusBegan || kind == .batchBegan { continue }
            guard kind == .emitted, isUnchanged(frame.opening) else { break }
            node = events[frame.opening].subject
        }
        return node
    }

    /// The node of the outermost open emission of a thread.
    func writer(of position: Int) -> UInt32? {
        rules.emissions(around: position).first.map { events[$0.opening].subject }
    }

    /// The flatMap that emitted a stale answer, or else the node of the first hop after its request.
    private func answerCause(_ position: Int) -> UInt32? {
        if let flatMap = answeringFlatMap(position) { return flatMap }
        var hop = outermostHop(position)
        while let cause = hop.flatMap({ rules.naive.position(of: events[$0].cause) }), let outer = outermostHop(cause) {
            hop = outer
        }
        return hop.map { events[$0].subject }
    }

    /// The hop that is in no other frame but a stimulus, around an event or begun by it.
    private func outermostHop(_ position: Int) -> Int? {
        let frames = (rules.around[position] + [rules.opened[position]].compactMap(\.self))
            .drop { events[$0.opening].kind == .stimulusBegan }
        return frames.first.flatMap { events[$0.opening].kind == .hopBegan ? $0.opening : nil }
    }

    /// The flatMap through which a stale answer came.
    func answeringFlatMap(_ position: Int) -> UInt32? {
        guard var hop = outermostHop(position) else { return nil }
        let inside = rules.emissions(around: position).filter { $0.opening > hop }
        if let flatMap = inside.last(where: { rules.kind(events[$0.opening].subject) == .flatMap }) {
            return events[flatMap.opening].subject
        }
        while let cause = rules.naive.position(of: events[hop].cause), let outer = outermostHop(cause) {
            let emission = events.indices.last { place in
                place < hop && events[place].isNewValue && rules.kind(events[place].subject) == .flatMap
                    && rules.around[place].contains { $0.opening == outer }
            }
            if let emission { return events[emission].subject }
            hop = outer
        }
        return nil
    }

    /// The line that made the causes of all events that a finding counts; nil if there is none.
    private func causeLine(of finding: NaiveFinding) -> NodeLine? {
        let lines = Set(
            counted(finding).map { counted in cause(counted.subject, counted.position).map { causeLine($0) } })
        return lines.count == 1 ? lines.first! : nil
    }

    private func causes(of finding: NaiveFinding) -> Set<UInt32> {
        Set(counted(finding).compactMap { cause($0.subject, $0.position) })
    }

    // MARK: Loops

    /// The subscriptions through which an event came about that `feedback` counts, outermost first.
    func loop(at position: Int) -> [UInt32] {
        guard let own = rules.loop(at: position) else { return [] }
        let inside = rules.emissions(around: position).filter { $0.opening >= own.opening }
        let path = inside.map { frame in frame.deliveries.last { $0.position < position }?.subscription ?? 0 }
        return Array(path.filter { $0 != 0 }.prefix(64))
    }

    /// The loop of the first event that is counted at a node, which represents all.
    func firstLoop(of subject: Subject) -> [UInt32] { rules.tallies[subject]!.first.map(loop) ?? [] }

    private struct Edge: Hashable {
        let site: TraceSite?
        let source: NodeLine
    }

    private func edge(_ id: UInt32) -> Edge? {
        definitions.subscriptions[id].map { Edge(site: $0.site, source: nodeLine($0.source)) }
    }

    mutating func listUnderLoops() {
        guard rules.options.rules.contains(.feedback) else { return }
        var cuts: [(edge: Edge, place: Int)] = []
        for place in found.indices where found[place].rule == .feedback && !found[place].isIntended {
            let loops = found[place].subjects.map { Set(firstLoop(of: $0).compactMap(edge)) }
            if let worse = cuts.first(where: { cut in loops.allSatisfy { $0.contains(cut.edge) } }) {
                list(place, under: worse.place)
            } else {
                for edge in found[place].remedy?.subscriptions.sorted().prefix(1).compactMap(edge) ?? [] {
                    cuts.append((edge, place))
                }
            }
        }
        for place in found.indices
        where [.burst, .repeatedValue, .glitch].contains(found[place].rule) && !found[place].isIntended {
            let loops = counted(found[place]).map { loopsAround($0.subject.rule, $0.position) }
            let common = loops.dropFirst().reduce(loops.first ?? []) { $0.intersection($1) }
            if let loop = common.min() { list(place, under: found[loop].primary ?? loop) }
        }
    }

    /// The findings of `feedback` that count an emission around an event.
    private func loopsAround(_ rule: RedundancyRule, _ position: Int) -> Set<Int> {
        var positions = [position]
        if rule == .burst, let next = refresh(at: position).flatMap({ next(after: $0) }) {
            positions.append(next.position)
        }
        if rule == .glitch { positions = [rules.superseding[position] ?? position] }
        let emissions = positions.flatMap { rules.emissions(around: $0).map(\.opening) }
        return Set(
            found.indices.filter { place in
                found[place].rule == .feedback && !found[place].isIntended
                    && counted(found[place]).contains { emissions.contains($0.position) }
            })
    }

    private mutating func list(_ place: Int, under primary: Int) {
        (found[place].primary, found[place].remedy) = (primary, nil)
    }

    // MARK: Groups

    private struct GroupKey: Hashable {
        enum Cause { case unchangedValues, writes, answers }
        let cause: Cause
        let line: NodeLine
        let remedy: Remedy.Kind?
    }

    private func key(_ finding: NaiveFinding) -> GroupKey? {
        guard finding.primary == nil, !finding.isIntended, let line = causeLine(of: finding) else { return nil }
        return switch finding.rule {
        case .repeatedValue, .noopEvaluation, .repeatedRequest:
            GroupKey(cause: .unchangedValues, line: line, remedy: nil)
        case .burst: finding.remedy.map { GroupKey(cause: .writes, line: line, remedy: $0.kind) }
        case .staleResponse: GroupKey(cause: .answers, line: line, remedy: finding.remedy?.kind)
        default: nil
        }
    }

    mutating func groupByCause() {
        let alike = Dictionary(grouping: found.indices.filter { key(found[$0]) != nil }) { key(found[$0])! }
        let groups = alike.flatMap { key, places in
            key.cause == .writes ? connected(places).map { (key, $0) } : [(key, places)]
        }
        for (key, places) in groups {
            let worst = places[0]
            if key.cause == .unchangedValues {
                let causes = places.reduce(into: Set<UInt32>()) { $0.formUnion(self.causes(of: found[$1])) }
                let isCuredAtCauseOnly =
                    found[worst].rule == .noopEvaluation && found[worst].remedy == nil
                    && !causes.contains(found[worst].first.node)
                guard places.count > 1 || isCuredAtCauseOnly else { continue }
                let outputs = definitions.subscriptions.values.filter {
                    causes.contains($0.source) && $0.target.flatMap(rules.kind) != .removeDuplicates
                }
                if outputs.isEmpty { continue }
                found[worst].remedy = NaiveRemedy(kind: .removeDuplicates, subscriptions: Set(outputs.map(\.id)))
            } else if places.count > 1 {
                let remedies = places.compactMap { found[$0].remedy }
                for remedy in remedies {
                    found[worst].remedy!.nodes.formUnion(remedy.nodes)
                    found[worst].remedy!.subscriptions.formUnion(remedy.subscriptions)
                }
            }
            for place in places.dropFirst() { list(place, under: worst) }
        }
    }

    /// Divides bursts into those that have a cause in common, or a line of the subscriptions, directly or through others.
    private func connected(_ places: [Int]) -> [[Int]] {
        func isConnected(_ one: Int, _ other: Int) -> Bool {
            func sites(_ place: Int) -> Set<TraceSite> {
                Set(found[place].remedy!.subscriptions.compactMap { definitions.subscriptions[$0]?.site })
            }
            return !causes(of: found[one]).isDisjoint(with: causes(of: found[other]))
                || !sites(one).isDisjoint(with: sites(other))
        }
        var groups: [[Int]] = []
        for place in places {
            let joined = groups.filter { $0.contains { isConnected($0, place) } }
            groups.removeAll { joined.contains($0) }
            groups.append((joined.flatMap(\.self) + [place]).sorted())
        }
        return groups
    }

    mutating func listUnderAnswers() {
        for place in found.indices where found[place].rule == .burst && found[place].primary == nil {
            let finding = found[place]
            if finding.isIntended || found.contains(where: { $0.primary == place }) { continue }
            let isFollowed = finding.subjects.allSatisfy { rules.tallies[$0]!.stale == rules.tallies[$0]!.count }
            let stale = found.indices.first { other in
                found[other].rule == .staleResponse && !found[other].isIntended
                    && found[other].subscriptions.isSuperset(of: finding.subscriptions)
            }
            if isFollowed, let stale { list(place, under: found[stale].primary ?? stale) }
        }
    }

    // MARK: Settled

    mutating func listUnderSettled() {
        let places = found.indices.filter { found[$0].remedy?.kind == .settled && !found[$0].isIntended }
        for place in places { found[place].remedy!.nodes.formUnion(joins(with: found[place].remedy!.nodes)) }
        for (index, place) in places.enumerated() {
            let worse = places[..<index].first { other in
                found[other].primary == nil && found[other].remedy!.nodes.isSuperset(of: found[place].nodes)
            }
            if let worse { list(place, under: worse) }
        }
    }

    private func dataInputs(_ node: UInt32) -> [TraceSubscription] {
        rules.naive.subscriptions(feeding: node).filter { $0.isInternal && !$0.isTiming }
    }

    /// Whether recorded data subscriptions lead from one node to another one.
    private func leads(_ source: UInt32, _ target: UInt32, _ seen: Set<UInt32> = []) -> Bool {
        dataInputs(target).contains { input in
            input.source == source
                || !seen.contains(input.source) && leads(source, input.source, seen.union([input.source]))
        }
    }

    /// The combiners and combineLatests that must wait with some nodes.
    private func joins(with nodes: Set<UInt32>) -> Set<UInt32> {
        func depends(_ id: UInt32) -> Bool { nodes.contains(id) || nodes.contains { leads($0, id) } }
        func isSource(_ id: UInt32) -> Bool { !nodes.contains(id) && nodes.contains { leads(id, $0) } }
        let all = definitions.nodes.keys
        let sources = all.filter(isSource)
        return Set(
            all.filter { node in
                guard !nodes.contains(node), rules.kind(node) == .combiner || rules.kind(node) == .combineLatest,
                    definitions.nodes[node]?.technique == .weir, !waits(node), depends(node)
                else { return false }
                let inputs = Set(dataInputs(node).map(\.source))
                return inputs.contains(where: depends)
                    && inputs.contains { input in
                        !depends(input)
                            && (sources.contains(input) || sources.contains { leads($0, input) })
                    }
            })
    }

    /// Whether a node never evaluated while an input delivered.
    func waits(_ node: UInt32) -> Bool {
        !events.indices.contains { position in
            events[position].subject == node && rules.isEvaluation(position)
                && rules.naive.places[position].subscription.map { $0 != 0 } == true
        }
    }
}
