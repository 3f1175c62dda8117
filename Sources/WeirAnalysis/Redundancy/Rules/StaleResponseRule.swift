@_spi(Records) import WeirTrace

/// A request: the event that caused the first of the hops that lead to an answer.
struct Request: Equatable {
    /// The event.
    var position = RunnerPosition()
    /// The line that made the node of the first hop; -1 if there is no request, or if it is unknown.
    var line: Int32 = -1
    /// How many hops have led from it to the answer.
    var hops: Int32 = 1
    /// The node of the first hop, by index.
    var node: Int32 = -1
    /// The flatMap that last emitted a value on the way, by index; -1 if there is none.
    var flatMap: Int32 = -1

    static let none = Request()
}

/// `stale-response`: a refresh with the answer to an earlier request, after that to a later one.
///
/// Two requests are compared if they are of one runner and if one line made the nodes of their first hops. Only the first answer
/// to a request after so many hops counts: the answers to two downloads may come in turns, but a first value such as "loading"
/// is no answer to what is asked for. Exempt are `()`, values equal to the former one, and the
/// first value for a new subscriber.
struct StaleResponseRule {
    var table: TallyTable
    /// The outermost hops of each thread, which an event inside them belongs to.
    private var hops: [UInt32: Hops] = [:]
    private var answers: [Answered: Answers] = [:]
    private var lines: [TraceSite: Int32] = [:]
    /// The last refresh that it has counted.
    private(set) var last: EventID?

    private struct Hops {
        private static let most = 1024
        /// In the order of their beginnings.
        private var all: [(first: UInt64, last: UInt64, request: Request, cause: EventID?)] = []
        /// The number of the last event that may have been in a forgotten hop.
        private var forgotten: UInt64 = 0

        mutating func begin(_ sequence: UInt64, _ request: Request, _ cause: EventID?) {
            if all.count >= 2 * Self.most {
                forgotten = all[Self.most - 1].last
                all.removeFirst(Self.most)
            }
            all.append((sequence, .max, request, cause))
        }

        mutating func pass(_ flatMap: Int32) {
            if all.last?.last == .max { all[all.count - 1].request.flatMap = flatMap }
        }

        mutating func end(_ sequence: UInt64) {
            if all.last?.last == .max { all[all.count - 1].last = sequence }
        }

        /// The request of the hop around an event; nil: there is none; `none`: it is forgotten.
        func request(around sequence: UInt64) -> Request? {
            sequence <= forgotten ? Request.none : place(around: sequence).map { all[$0].request }
        }

        /// The cause of the hop around an event; nil: there is no hop, or it is forgotten.
        func cause(around sequence: UInt64) -> EventID? { place(around: sequence).flatMap { all[$0].cause } }

        private func place(around sequence: UInt64) -> Int? {
            var (low, high) = (0, all.count)
            while low < high {
                let middle = (low + high) / 2
                if all[middle].first <= sequence { low = middle + 1 } else { high = middle }
            }
            return low > 0 && sequence <= all[low - 1].last ? low - 1 : nil
        }
    }

    /// The requests whose answers are compared.
    private struct Answered: Hashable {
        let subscription: Int32
        let runner: UInt32
        let line: Int32
        let hops: Int32
    }

    /// The answers of one line's requests to one subscription.
    private struct Answers {
        private static let most = 64
        private var newest: (request: RunnerPosition, refresh: EventID)?
        /// The requests that have been answered.
        private var known: [RunnerPosition] = []
        /// The latest request that was forgotten.
        private var forgotten = RunnerPosition()

        /// Takes an answer; returns the refresh with the answer to a later request, if this is the first one to its request.
        mutating func take(_ request: RunnerPosition, _ refresh: EventID) -> EventID? {
            if known.contains(request) { return nil }
            if known.count >= Self.most, let least = known.indices.min(by: { known[$0].isBefore(known[$1]) }) {
                let request = known.remove(at: least)
                if forgotten.isBefore(request) { forgotten = request }
            }
            known.append(request)
            if let newest, request.isBefore(newest.request) {
                return forgotten.isBefore(request) ? newest.refresh : nil
            }
            newest = (request, refresh)
            return nil
        }
    }

    init(_ tables: FlowTables) { table = TallyTable(.staleResponse, ofSubscriptions: tables) }

    // MARK: Hops

    mutating func hopBegan(
        _ sequence: UInt64, _ cause: EventID?, _ asked: RunnerPosition?, for node: Int32,
        _ thread: UnsafeMutablePointer<FlowThread>, _ tables: FlowTables
    ) {
        thread.pointee.request = request(cause, asked, node, tables)
        hops[thread.pointee.number, default: Hops()].begin(sequence, thread.pointee.request, cause)
    }

    /// Notes a value of a flatMap inside a hop.
    mutating func passed(_ flatMap: Int32, _ thread: UnsafeMutablePointer<FlowThread>) {
        hops[thread.pointee.number]?.pass(flatMap)
    }

    mutating func hopEnded(_ sequence: UInt64, _ thread: UnsafeMutablePointer<FlowThread>) {
        thread.pointee.request = .none
        hops[thread.pointee.number]?.end(sequence)
    }

    /// The request behind a hop: that of the hop around its cause, or else its cause.
    private mutating func request(
        _ cause: EventID?, _ asked: RunnerPosition?, _ node: Int32, _ tables: FlowTables
    ) -> Request {
        guard let cause, let asked, node >= 0 else { return .none }
        if var request = hops[cause.thread]?.request(around: cause.sequence) {
            request.hops &+= 1
            return request.line < 0 ? .none : request
        }
        return Request(position: asked, line: line(of: node, tables), node: node)
    }

    /// The number of the line that made a node; a node without a line has a number of its own.
    private mutating func line(of node: Int32, _ tables: FlowTables) -> Int32 {
        guard let site = tables.topology.definitions.nodes[tables.nodes[Int(node)].id]?.site else {
            return .max - node
        }
        if let known = lines[site] { return known }
        let new = Int32(truncatingIfNeeded: lines.count)
        lines[site] = new
        return new
    }

    /// Whether the cause of a hop, or that of the outermost hop around it, and so on, is one of these events.
    ///
    /// - Parameter isHandedOver: Whether the hop only hands the value of its cause over, so that the causes of that are asked for.
    func isBehind(_ cause: EventID, isHandedOver: Bool, where isWanted: (EventID) -> Bool) -> Bool {
        var next = isHandedOver ? hops[cause.thread]?.cause(around: cause.sequence) : cause
        for _ in 0..<Self.mostHops {
            guard let event = next else { return false }
            if isWanted(event) { return true }
            next = hops[event.thread]?.cause(around: event.sequence)
        }
        return false
    }

    private static let mostHops = 8

    // MARK: Answers

    /// Judges a refresh with an answer.
    mutating func judge(
        _ place: Int32, _ value: ValueKey, _ id: EventID, _ thread: UnsafeMutablePointer<FlowThread>,
        _ tables: FlowTables
    ) {
        let request = thread.pointee.request
        let key = Answered(
            subscription: place, runner: request.position.runner, line: request.line, hops: request.hops)
        guard let newer = answers[key, default: Answers()].take(request.position, id) else { return }
        let subscription = tables.subscriptions[Int(place)]
        let isUnchanged = subscription.hasValue && ValueKey.compare(subscription.value, value) == .equal
        if value.isVoid || isUnchanged { return }
        last = id
        table.count(place) {
            RuleTally(
                $0, node: tables.nodes[Int(subscription.source)].id, subscription: subscription.id, example: id,
                counterpart: newer)
        }
        let flatMap = thread.pointee.innermostFlatMap(tables) ?? request.flatMap
        table.note(cause: flatMap >= 0 ? flatMap : request.node, place, tables)
    }
}

extension FlowThread {
    /// The flatMap of the innermost open emission of one, inside the innermost hop.
    fileprivate func innermostFlatMap(_ tables: FlowTables) -> Int32? {
        for place in (0..<stack.count).reversed() {
            let frame = frames[place]
            if frame.opener == .hop { return nil }
            if frame.opener == .emission, frame.node >= 0, tables.nodes[Int(frame.node)].traits.contains(.requests) {
                return frame.node
            }
        }
        return nil
    }
}

extension StaleResponseRule: TallyingRule {
    static let counted = CountedEvents.refreshes
    static let commonCause: CommonCause? = .answers

    /// Each answer may be wanted, as of downloads.
    static func judge(_ finding: inout FindingFacts) -> (severity: Finding.Severity, remedy: Remedy?) {
        guard let cause = finding.first.cause, let flatMap = finding.definitions.nodes[cause], flatMap.kind == .flatMap
        else { return (.note, finding.changingSubscriptions(.dropStale)) }
        let flatMaps = FindingFacts.distinct(finding.tallies.compactMap(\.cause))
        let remedy = Remedy(
            .latestRequest, nodes: flatMaps, subscriptions: finding.subscriptions, site: flatMap.site)
        return (.note, remedy)
    }
}
