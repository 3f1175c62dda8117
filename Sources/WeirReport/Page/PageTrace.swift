import WeirAnalysis
import WeirTrace

/// One trace of a report page: its lanes, events, drawings and findings, as the page's script reads them.
///
/// Up to `mostEvents` events are in the page. Of a longer trace it has those around one moment, and for each lane the number
/// of events in each of `binCount` equal parts of the whole. Memory grows with the graph and with `mostEvents`.
package struct PageTrace {
    /// The most events that a page holds in detail.
    package static let mostEvents = 1_200_000
    /// The parts into which the overview of a longer trace divides it.
    static let binCount = 1024
    /// The most lanes with an overview of their own.
    static let mostOverviewLanes = 2048

    let json: JSONValue
    /// The events, compressed, in base 64.
    let data: String

    /// Reads a trace; `around` is the moment that the page shows first, by default the worst finding.
    package init(
        _ reader: TraceReader, path: String, around moment: Moment? = nil, mostEvents: Int = PageTrace.mostEvents,
        reporting report: PassProgress.Report? = nil
    ) throws {
        let topology = Topology(try reader.definitions())
        let scale = TimeScale(reader.header)
        let findings = PageFindings(reader, topology, path, reporting: report)
        var chosen: UInt64?
        if let moment {
            var pass = try MomentPass(reader, topology, to: moment, reporting: report)
            try pass.run(reporting: report)
            chosen = pass.state.order
        }
        var columns = EventColumns(topology, scale)
        var state = TraceState(topology, startTicks: reader.header.startTicks)
        var builder = GraphBuilder(topology)
        var interest: UInt64?
        reader.forEachEvent(reporting: report) { event in
            builder.take(event)
            state.take(event)
            if event.id == findings.interest { interest = state.order }
            if columns.count <= mostEvents { columns.take(event) }
            return true
        }
        let lists = builder.graph(of: state)
        var options = GraphOptions()
        options.collapse = .none
        let lanes = PageLanes(lists, topology, state)
        var overview = JSONValue.null
        var first: UInt64 = 0
        var start = TraceState(topology, startTicks: reader.header.startTicks)
        if columns.count > mostEvents {
            let wanted = chosen ?? interest ?? 0
            let room = UInt64(mostEvents)
            first = min(wanted > room / 2 ? wanted - room / 2 : 0, state.order - min(state.order, room))
            let part = Self.part(
                reader, topology, lanes, first: first, count: mostEvents, total: state.order, reporting: report)
            (columns, start, overview) = (part.columns, part.start, part.overview)
        }
        var values = columns.values
        let initial = start.nodes.map { values.json($0.value) }
        let (parts, bytes) = columns.encoded()
        let compressed = Deflate.compressed(bytes)
        data = Base64.text(of: compressed)
        json = [
            "path": .string(PageText.short(path)),
            "name": .string(PageText.short(path.split(separator: "/").last.map(String.init) ?? path)),
            "program": .string(PageText.short(reader.header.program)),
            "started": reader.header.startWallClock == 0
                ? .null : .string(Figures.isoMoment(wallClockNanoseconds: reader.header.startWallClock)),
            "events": .unsigned(UInt64(columns.count)), "allEvents": .unsigned(state.order),
            "first": .unsigned(first), "at": chosen.map { .unsigned($0) } ?? .null,
            "duration": .unsigned(scale.nanosecondsSinceStart(state.ticks)),
            "threads": .array(columns.threads.map { .string(Self.name(ofThread: $0, topology.definitions)) }),
            "threadNumbers": .array(columns.threads.map { .unsigned(UInt64($0)) }),
            "groups": .array(lanes.groups.map { .string(PageText.short($0)) }),
            "lanes": .array(lanes.lanes.map(\.json)),
            "idleNodes": .unsigned(UInt64(lists.idleNodes)),
            "nodes": [
                "ids": .array(topology.nodeIDs.map { .unsigned(UInt64($0)) }),
                "lanes": .array(lanes.laneOfNode.map { .signed(Int64($0)) }), "initial": .array(initial),
            ],
            "subscriptions": [
                "sources": .array(topology.sources.map { .signed(Int64($0)) }),
                "targets": .array(topology.targets.map { .signed(Int64($0)) }),
                "lanes": .array(lanes.laneOfSubscription.map { .signed(Int64($0)) }),
            ],
            "objects": .object(
                topology.definitions.objects.values.sorted { $0.id < $1.id }.prefix(10_000).map {
                    .init(name: "\($0.id)", value: .string(PageText.short($0.name)))
                }),
            "writeSites": .object(
                topology.definitions.writeSites.values.sorted { $0.id < $1.id }.prefix(10_000).map {
                    .init(name: "\($0.id)", value: .string(PageText.short(WriteSiteWords.place($0))))
                }),
            "texts": .array(values.texts.map { .string($0) }),
            "graph": PageGraph(lanes, topology, state).levels(
                lists: lists, every: builder.graph(of: state, .wholeRecording, options)),
            "findings": findings.json, "occurrences": Self.rows(of: findings.occurrences, columns),
            "overview": overview,
            "columns": parts, "bytes": .unsigned(UInt64(bytes.count)),
        ]
    }

    /// The rows of the events in the page, by fingerprint: in order, each as its distance from the one before.
    private static func rows(of occurrences: [String: [EventID]], _ columns: EventColumns) -> JSONValue {
        .object(
            occurrences.sorted { $0.key < $1.key }.map { fingerprint, events in
                let rows = Set(events.compactMap(columns.row)).sorted()
                let distances = zip(rows, [0] + rows).map { JSONValue.unsigned(UInt64($0 - $1)) }
                return .init(name: fingerprint, value: .array(distances))
            })
    }

    private static func name(ofThread number: UInt32, _ definitions: TraceDefinitions) -> String {
        switch definitions.runners[number] {
        case .main: "main actor (\(number))"
        case .actor(let name): PageText.short("actor \(name ?? "") (\(number))")
        case nil: "thread \(number)"
        }
    }

    /// A second pass over a long trace: the events of the part in detail, and the counts of all.
    private static func part(
        _ reader: TraceReader, _ topology: Topology, _ lanes: PageLanes, first: UInt64, count: Int, total: UInt64,
        reporting report: PassProgress.Report?
    ) -> (columns: EventColumns, start: TraceState, overview: JSONValue) {
        let scale = TimeScale(reader.header)
        var columns = EventColumns(topology, scale)
        var start = TraceState(topology, startTicks: reader.header.startTicks)
        let shown = min(lanes.lanes.count, mostOverviewLanes)
        var bins = [UInt32](repeating: 0, count: shown * binCount)
        var totals = [UInt64](repeating: 0, count: binCount)
        var times = [UInt64](repeating: 0, count: binCount + 1)
        var order: UInt64 = 0
        reader.forEachEvent(reporting: report) { event in
            let bin = min(binCount - 1, Int(order * UInt64(binCount) / max(1, total)))
            if order < first { start.take(event) } else if columns.count < count { columns.take(event) }
            times[bin + 1] = scale.nanosecondsSinceStart(event.ticks)
            let lane: Int? =
                switch event.kind {
                case .emitted, .suppressed, .completed, .failed:
                    topology.place(ofNode: event.subject).map { lanes.laneOfNode[$0] }
                case .deliveryBegan, .deliveryNext:
                    topology.place(ofSubscription: event.subject).map { lanes.laneOfSubscription[$0] }
                default: nil
                }
            if let lane, lane >= 0 {
                totals[bin] &+= 1
                if lane < shown { bins[lane * binCount + bin] &+= 1 }
            }
            order += 1
            return true
        }
        for place in 1...binCount where times[place] == 0 { times[place] = times[place - 1] }
        let overview: JSONValue = [
            "bins": .unsigned(UInt64(binCount)), "times": .array(times.map { .unsigned($0) }),
            "totals": .array(totals.map { .unsigned($0) }),
            "counts": .array(
                (0..<shown).map { lane in
                    .array(bins[lane * binCount..<(lane + 1) * binCount].map { .unsigned(UInt64($0)) })
                }),
        ]
        return (columns, start, overview)
    }
}
