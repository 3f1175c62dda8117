import WeirAnalysis
import WeirTrace

extension StateReport {
    /// The report for a program; 'What the command prints as JSON' lists its fields.
    public var json: JSONValue {
        let definitions = state.topology.definitions
        let open = lastEvent.map { state.openFrames(ofThread: $0.id.thread) }?.last { $0.opener == .stimulusBegan }
        return [
            "path": .string(path),
            "position": .unsigned(state.order),
            "nanoseconds": .unsigned(timeScale.nanosecondsSinceStart(state.ticks)),
            "event": lastEvent.map { EventLines(definitions, timeScale: timeScale).json($0) } ?? .null,
            "stimulus": (open ?? state.lastStimulus).map { stimulus in
                [
                    "number": .unsigned(stimulus.stimulusNumber), "text": .string(stimulus.text),
                    "event": .string(stimulus.id.description), "open": .bool(open != nil),
                ]
            } ?? .null,
            "nodes": .array(shownPlaces.map(json)),
        ]
    }

    private func json(_ place: Int) -> JSONValue {
        let id = state.topology.nodeIDs[place]
        let node = state.nodes[place]
        let definition = state.topology.definitions.nodes[id]
        let life =
            switch node.life {
            case .unmentioned: "notYetMade"
            case .alive: "alive"
            case .released: "released"
            }
        return [
            "node": .unsigned(UInt64(id)),
            "name": .string(state.topology.definitions.name(ofNode: id)),
            "kind": definition?.kind.map { .string($0.name) } ?? .null,
            "site": definition?.site.map { .string($0.description) } ?? .null,
            "state": .string(life),
            "value": node.value.json,
            "valueForm": .string(node.value.formName),
            "changedBy": node.lastChange.map { .string($0.description) } ?? .null,
            "changedAtNanoseconds": node.lastChange == nil
                ? .null : .unsigned(timeScale.nanosecondsSinceStart(node.changeTicks)),
            "changedNow": .bool(isMarked(node)),
            "emissions": .unsigned(node.emissions),
            "refreshes": .unsigned(node.refreshes),
            "suppressed": .unsigned(node.suppressions),
            "liveSubscribers": .signed(Int64(node.liveHandlers)),
            "liveInternalSubscribers": .signed(Int64(node.liveEdges)),
        ]
    }
}
