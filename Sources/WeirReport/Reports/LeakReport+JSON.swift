import WeirAnalysis
import WeirTrace

extension LeakReport {
    /// The report for a program; 'What the command prints as JSON' lists the fields.
    package func json(path: String, isComplete: Bool) -> JSONValue {
        let shown = findings.found.prefix(limit ?? .max)
        return [
            "path": .string(path), "complete": .bool(isComplete),
            "rules": .array(LeakRule.allCases.filter(rules.contains).map { .string($0.rawValue) }),
            "checkpoint": pass.judged.map { .string(pass.checkpoints.all[$0].name) } ?? .null,
            "alive": .unsigned(UInt64(pass.aliveCount)), "overdue": .unsigned(UInt64(findings.overdueCount)),
            "garbage": .unsigned(UInt64(findings.garbageCount)),
            "findings": .array(shown.map(json)),
            "omittedFindings": .unsigned(UInt64(findings.found.count - shown.count)),
            "snapshot": judged.map(json) ?? .null,
            "abortedWalks": .array(pass.abortedWalks.map(json)),
        ]
    }

    private func json(_ walk: AbortedWalk) -> JSONValue {
        [
            "checkpoint": walk.checkpoint.map { .string(pass.checkpoints.all[$0].name) } ?? .null,
            "reason": .string("\(walk.limitation.reason)"), "subject": .string(walk.limitation.subject),
            "sentence": .string(sentence(walk)),
        ]
    }

    private func json(_ finding: LeakFinding) -> JSONValue {
        let drawing = drawing(of: finding)
        let remedy = finding.remedy
        return [
            "rule": .string(finding.rule.rawValue), "severity": .string(finding.severity.word),
            "fingerprint": .string(finding.fingerprint), "sentence": .string(drawing.words.headline),
            "count": .unsigned(finding.count), "bytes": .unsigned(finding.bytes),
            "subscription": finding.subscription.map { .unsigned(UInt64($0)) } ?? .null,
            "expected": finding.expectation.map(json) ?? .null,
            "otherCycles": .unsigned(finding.otherCycles.reduce(0) { $0 &+ $1.count }),
            "otherCaptures": .array(finding.otherCaptures.map { json($0) }),
            "otherTasks": .array(finding.otherTasks.map(json)),
            "companions": .unsigned(finding.companions),
            "typesOfCompanions": .array(finding.typesOfCompanions.map { .string($0) }),
            "remedy": .object(
                members(of: remedy) + [.init(name: "sentence", value: json(drawing.words.remedy))]),
            "example": example(finding), "drawing": .array(drawing.lines().map { .string($0) }),
        ]
    }

    private func members(of remedy: LeakRemedy) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        func add(_ name: String, _ value: JSONValue) { members.append(.init(name: name, value: value)) }
        add("kind", .string(remedy.kind.rawValue))
        add("site", json(remedy.site))
        add("function", json(remedy.function))
        add("subject", json(remedy.subject ?? remedy.holder?.description))
        add("property", json(remedy.property))
        add("weakly", .array(remedy.weakly.map { .object(self.members(of: $0)) }))
        return members
    }

    private func json(_ expectation: MissedExpectation) -> JSONValue {
        [
            "objects": .unsigned(expectation.objects), "late": .unsigned(expectation.late),
            "checkpoint": checkpoint(expectation.deadline),
            "lastCheckpoint": checkpoint(expectation.lastDeadline ?? expectation.deadline),
            "deliveries": expectation.deliveries.map(JSONValue.unsigned) ?? .null,
        ]
    }

    private func checkpoint(_ deadline: MissedExpectation.Deadline) -> JSONValue {
        if case .checkpoint(let name) = deadline { .string(name) } else { .null }
    }

    private func example(_ finding: LeakFinding) -> JSONValue {
        let snapshot = snapshot(of: finding) ?? TraceSnapshot()
        switch finding.example {
        case .cycle(let place):
            guard snapshot.cycles.indices.contains(place) else { return .null }
            let cycle = snapshot.cycles[place]
            let references = snapshot.references(of: cycle)
            return [
                "kind": "cycle", "proven": .bool(cycle.isProven && finding.weakEntry == nil),
                "componentObjects": .unsigned(cycle.componentObjects),
                "componentBytes": .unsigned(cycle.componentBytes), "retainedBytes": .unsigned(cycle.retainedSize),
                "objects": .array(references.map { json(snapshot.objects[Int($0.source)]) }),
                "references": .array(references.map(json)),
            ]
        case .object(let place):
            guard let object = snapshot.object(place) else { return .null }
            let way = snapshot.way(to: place)
            return [
                "kind": "object",
                "objects": .array(way.map { json(snapshot.objects[Int($0.source)]) } + [json(object)]),
                "references": .array(way.map(json)),
            ]
        case .tracked(let id):
            let object = definitions.objects[id]
            return [
                "kind": "tracked", "object": .unsigned(UInt64(id)), "type": json(object?.type),
                "label": json(object?.label),
            ]
        case .orphan(let id), .openSubscription(let id):
            let known = definitions.subscriptions[id]
            return [
                "kind": "subscription", "subscription": .unsigned(UInt64(id)), "site": json(known?.site),
                "node": known.map { .unsigned(UInt64($0.source)) } ?? .null,
                "name": known.map { .string(definitions.name(ofNode: $0.source)) } ?? .null,
                "owner": known?.owner.map { .unsigned(UInt64($0)) } ?? .null,
            ]
        case .growth(let growth): return json(growth)
        }
    }

    private func json(_ growth: LineGrowth) -> JSONValue {
        let (of, site, type, label): (String, TraceSite?, String?, String?) =
            switch growth.line {
            case .nodes(let rawKind, let site): ("nodes", site, NodeKind(rawValue: rawKind)?.name, nil)
            case .subscriptions(let site): ("subscriptions", site, nil, nil)
            case .objects(let type, let label): ("objects", nil, type, label)
            }
        return [
            "kind": "growth", "of": .string(of), "site": json(site), "type": json(type), "label": json(label),
            "checkpoint": .string(growth.checkpoint), "rounds": .unsigned(UInt64(growth.rounds)),
            "first": .signed(Int64(growth.first)), "last": .signed(Int64(growth.last)),
        ]
    }

    private func json(_ object: SnapshotObject) -> JSONValue {
        let (identity, id): (String?, UInt32) =
            switch object.identity {
            case .none: (nil, 0)
            case .node(let id): ("node", id)
            case .subscription(let id): ("subscription", id)
            case .object(let id): ("object", id)
            }
        return [
            "kind": .string(object.kind.jsonName), "type": .string(object.type), "label": json(object.label),
            "site": json(object.site), "identity": json(identity),
            "id": identity == nil ? .null : .unsigned(UInt64(id)),
            "bytes": object.isPrivate ? .string("private") : .unsigned(object.size),
            "retainedBytes": object.isPrivate ? .string("private") : .unsigned(object.retainedSize),
            "outsideReferences": object.outsideReferences == .max ? .null : .unsigned(UInt64(object.outsideReferences)),
            "outsideName": json(object.outsideHolder?.description), "outsideHolder": json(object.outsideHolder),
            "garbage": .bool(object.isGarbage),
            "heldByHandlersOnly": .bool(object.isHeldByHandlersOnly), "incomplete": .bool(object.isIncomplete),
            "internal": .bool(object.isInternal),
        ]
    }

    private func json(_ holder: OutsideHolder?) -> JSONValue {
        switch holder {
        case nil: .null
        case .variable(let name): ["kind": "variable", "name": .string(name)]
        case .taskResult: ["kind": "taskResult"]
        case .closure(let site): ["kind": "closure", "site": json(site)]
        case .task(let tasks): ["kind": "task", "tasks": json(tasks)]
        }
    }

    private func json(_ tasks: [TaskWork]) -> JSONValue {
        .array(
            tasks.map { task in
                [
                    "function": .string(task.function), "functionKind": .string(task.kind.jsonName),
                    "site": json(task.site), "madeAt": json(task.madeAt), "waitsFor": .string(task.wait.jsonName),
                ]
            })
    }

    private func json(_ reference: SnapshotReference) -> JSONValue {
        [
            "label": .string(reference.label), "closure": .bool(reference.isClosure),
            "function": json(reference.function), "functionKind": .string(reference.functionKind.jsonName),
            "site": json(reference.site),
        ]
    }

    private func json(_ snapshot: TraceSnapshot) -> JSONValue {
        [
            "objects": .unsigned(snapshot.walkedObjects), "references": .unsigned(snapshot.walkedReferences),
            "bytes": .unsigned(snapshot.walkedBytes), "omittedObjects": .unsigned(snapshot.omittedObjects),
            "omittedCycles": .unsigned(snapshot.omittedCycles),
            "limitations": .array(
                snapshot.limitations.map { limitation in
                    [
                        "reason": .string(limitation.reason.jsonName), "subject": .string(limitation.subject),
                        "sentence": .string(LeakLimitationWords.sentence(for: limitation)),
                    ]
                }),
        ]
    }

    private func json(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }

    private func json(_ site: TraceSite?) -> JSONValue { site.map { .string($0.description) } ?? .null }
}
