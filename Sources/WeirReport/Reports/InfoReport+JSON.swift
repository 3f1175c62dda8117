import WeirAnalysis
import WeirTrace

extension InfoReport {
    /// The report for a program; 'What the command prints as JSON' lists its fields.
    package var json: JSONValue {
        let header = summary.header
        return [
            "path": .string(path),
            "bytes": .unsigned(fileSize),
            "formatVersion": .unsigned(UInt64(header.version)),
            "program": .string(header.program),
            "processID": .unsigned(UInt64(header.processID)),
            "recordedAt": header.startWallClock == 0
                ? .null : .string(Figures.isoMoment(wallClockNanoseconds: header.startWallClock)),
            "durationNanoseconds": .unsigned(summary.durationNanoseconds),
            "clock": .string(header.clock.jsonName),
            "ticksPerSecond": .unsigned(header.ticksPerSecond),
            "values": .string(header.valuePolicy.name),
            "modules": header.modules.isEmpty ? .null : .array(header.modules.map { .string($0) }),
            "labels": .object(
                header.labels.sorted { $0.key < $1.key }.map {
                    JSONValue.Member(name: $0.key, value: .string($0.value))
                }),
            "redaction": header.redaction.map { redaction in
                ["values": .string(redaction.hidesAllValues ? "all" : "some"), "texts": .bool(redaction.hidesTexts)]
            } ?? .null,
            "flightRecorder": .bool(header.isFlightRecorder),
            "byteLimit": header.byteLimit == 0 ? .null : .unsigned(header.byteLimit),
            "complete": .bool(summary.isComplete),
            "closed": .bool(header.isClosed),
            "lostEvents": summary.lostEvents.map(JSONValue.unsigned) ?? .null,
            "missingEvents": summary.mayLackThreads ? .null : .unsigned(summary.missingEvents),
            "unlistedFrames": .bool(summary.hasUnlistedFrames),
            "damagedPlaces": .unsigned(UInt64(summary.damageCount)),
            "damage": .array(summary.damage.map { .string($0.description) }),
            "events": .unsigned(summary.eventCount),
            "eventsByKind": .object(
                EventKind.allCases.filter { summary.count(of: $0) > 0 }
                    .map { JSONValue.Member(name: $0.name, value: .unsigned(summary.count(of: $0))) }),
            "settlings": .unsigned(summary.settlings),
            "rootEmissions": .unsigned(summary.rootEmissions),
            "rootEndings": .unsigned(summary.rootEndings),
            "rootBatches": .unsigned(summary.rootBatches),
            "rootHops": .unsigned(summary.rootHops),
            "unattributedDeliveries": .unsigned(summary.unattributedDeliveries),
            "snapshots": snapshotsJSON,
            "recorderOverhead": overheadJSON,
            "longestChains": .array(summary.longestChains.prefix(Self.listed).map(Self.json)),
            "slowestHandlers": .array(summary.slowestHandlers.map(Self.json)),
            "stimuli": .array(
                summary.stimuli.map { ["text": .string($0.text), "count": .unsigned($0.count)] }),
            "otherStimuli": .unsigned(summary.otherStimuli),
            "threads": .array(
                summary.threads.map {
                    [
                        "thread": .unsigned(UInt64($0.number)), "events": .unsigned($0.events),
                        "missingEvents": .unsigned($0.missing),
                    ]
                }),
            "waitingHandlers": .array(
                summary.waitingHandlers.map { waiting in
                    [
                        "site": waiting.site.map { .string("\($0)") } ?? .null,
                        "isForMain": .bool(waiting.isForMain),
                        "handlers": .unsigned(waiting.handlers),
                        "calls": .unsigned(waiting.calls),
                    ]
                }),
            "disclosures": .array(
                summary.disclosures.map { disclosure in
                    [
                        "node": .unsigned(UInt64(disclosure.node)),
                        "name": .string(disclosure.name),
                        "kind": disclosure.kind.map { .string($0.name) } ?? .null,
                        "site": disclosure.site.map { .string("\($0)") } ?? .null,
                        "sources": .array(disclosure.sources.map(JSONValue.string)),
                    ]
                }),
            "liveObjects": .array(
                summary.liveObjects.map { object in
                    [
                        "object": .unsigned(UInt64(object.id)),
                        "type": object.type.map(JSONValue.string) ?? .null,
                        "label": object.label.map(JSONValue.string) ?? .null,
                    ]
                }),
            "nodesByKind": .object(
                summary.nodesByKind.map { .init(name: $0.kind.name, value: .unsigned(UInt64($0.count))) }),
            "nodes": .array(summary.nodes.map(Self.json)),
        ]
    }

    /// The most chains that are listed: there may be one for each node.
    private static let listed = 100

    private var snapshotsJSON: JSONValue {
        let snapshots = summary.snapshots
        guard snapshots.taken > 0 else { return .null }
        return [
            "taken": .unsigned(snapshots.taken), "lost": .unsigned(snapshots.lost),
            "pauses": .unsigned(snapshots.pauses), "pauseNanoseconds": .unsigned(snapshots.pauseNanoseconds),
            "longestPauseNanoseconds": .unsigned(snapshots.longestPauseNanoseconds),
            "endNanoseconds": .unsigned(snapshots.endNanoseconds),
        ]
    }

    private var overheadJSON: JSONValue {
        guard let cost = summary.header.recordCost, let spent = summary.overheadNanoseconds else { return .null }
        return [
            "nanoseconds": .unsigned(spent),
            "picosecondsPerRecord": .unsigned(UInt64(cost.picoseconds)),
            "picosecondsPerStampedRecord": .unsigned(UInt64(cost.stampedPicoseconds)),
        ]
    }

    private static func json(_ chain: EmissionChain) -> JSONValue {
        func ids(_ nodes: [UInt32]) -> JSONValue { .array(nodes.map { .unsigned(UInt64($0)) }) }
        return [
            "emissions": .unsigned(UInt64(chain.length)), "deepest": .string(chain.deepest.description),
            "beginning": ids(chain.beginning), "end": ids(chain.end),
        ]
    }

    private static func json(_ handler: HandlerSummary) -> JSONValue {
        [
            "site": handler.site.map { .string($0.description) } ?? .null,
            "name": handler.source.map(JSONValue.string) ?? .null,
            "deliveries": .unsigned(handler.deliveries),
            "nanoseconds": .unsigned(handler.nanoseconds),
            "slowestNanoseconds": .unsigned(handler.slowestNanoseconds),
            "slowest": handler.slowest.map { .string($0.description) } ?? .null,
        ]
    }

    private static func json(_ node: NodeSummary) -> JSONValue {
        [
            "node": .unsigned(UInt64(node.id)),
            "name": .string(node.name),
            "kind": node.kind.map { .string($0.name) } ?? .null,
            "site": node.site.map { .string($0.description) } ?? .null,
            "emissions": .unsigned(node.emissions),
            "replays": .unsigned(node.replays),
            "completions": .unsigned(node.completions),
            "failures": .unsigned(node.failures),
            "hops": .unsigned(node.hops),
            "refreshes": .unsigned(node.refreshes),
            "carriedOn": .unsigned(node.carriedOn),
            "internalDeliveries": .unsigned(node.internalDeliveries),
            "unknownDeliveries": .unsigned(node.unknownDeliveries),
            "received": .unsigned(node.received),
            "suppressed": .unsigned(node.suppressed),
            "suppressedByReason": .object(
                node.suppressions.sorted { $0.key < $1.key }
                    .map { .init(name: SuppressionReason.jsonName($0.key), value: .unsigned($0.value)) }),
            "subscribers": .unsigned(UInt64(node.subscribers)),
            "liveSubscribers": .unsigned(UInt64(node.liveSubscribers)),
            "internalSubscribers": .unsigned(UInt64(node.internalSubscribers)),
            "handlerNanoseconds": .unsigned(node.handlerNanoseconds),
            "slowestHandlerNanoseconds": .unsigned(node.slowestHandlerNanoseconds),
            "widestFanOut": .unsigned(node.widestFanOut),
            "widestEmission": node.widestEmission.map { .string($0.description) } ?? .null,
        ]
    }
}
