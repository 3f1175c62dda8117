import WeirAnalysis
import WeirTrace

/// Everything that the findings pane shows of one trace: findings, losses, hidden values, and limits of the analyses.
struct PageFindings {
    /// The most findings of each analysis; the rest are counted.
    static let limit = 200

    /// The most events to mark for each instance of a finding.
    static let mostOccurrences = 10_000

    let json: JSONValue
    /// The events that each redundancy finding counts, by its fingerprint.
    let occurrences: [String: [EventID]]
    /// An event of the worst redundancy finding.
    let interest: EventID?

    init(_ reader: TraceReader, _ topology: Topology, _ path: String, reporting report: PassProgress.Report?) {
        let definitions = topology.definitions
        let pass = RedundancyPass(reader, topology, keeping: Self.mostOccurrences, reporting: report)
        let findings = Findings(pass, definitions)
        let shown = findings.found.prefix(Self.limit) + findings.intended.prefix(Self.limit)
        let evidence = Evidence.all(of: shown.flatMap(\.shownEvents), in: reader)
        var redundancy = RedundancyReport(
            pass, findings, definitions, timeScale: TimeScale(reader.header), options: RedundancyOptions()
        ) { evidence[$0] }
        redundancy.limit = Self.limit
        occurrences = Dictionary(
            findings.found.prefix(Self.limit).filter { !$0.isNormal }.map { finding in
                (finding.fingerprint, finding.tallies.flatMap(\.occurrences))
            }, uniquingKeysWith: +)
        interest = findings.primaries.first { !$0.isNormal }?.example

        let lives = LeakPass(reader, topology, reporting: report)
        let judged = lives.snapshot.flatMap(reader.snapshot)
        let snapshotOf: (UInt32) -> TraceSnapshot? = { $0 == lives.snapshot ? judged : reader.snapshot($0) }
        var leaks = LeakReport(
            lives, LeakFindings(lives, reader, snapshot: snapshotOf), snapshot: snapshotOf)
        leaks.limit = Self.limit
        let losses = TraceLosses(reader, lives)
        let origins = leaks.findings.found.prefix(Self.limit).map { finding in
            JSONValue.Member(
                name: finding.fingerprint, value: .array(Self.origins(of: finding, leaks).map { $0.json(topology) }))
        }
        json = [
            "redundancy": redundancy.json(path: path, isComplete: losses.isEmpty),
            "leaks": leaks.json(path: path, isComplete: losses.isEmpty && leaks.abortedWalks.isEmpty),
            "origins": .object(origins),
            "leakSummary": .string(LeakSentences.overdue(leaks.findings, alive: lives.aliveCount, when: leaks.moment)),
            "losses": .array(Losses.sentences(of: losses).map { .string($0) }),
            "damage": .array(losses.damage.map { .string(PageText.short($0.description)) }),
            "earlierAbortedWalks": .array(leaks.earlierAbortedWalks.prefix(Self.limit).map { .string($0) }),
            "unjudged": .array(redundancy.unjudged.map { Self.json($0, definitions) }),
        ]
    }

    /// The parts of a leak whose making an event records.
    private static func origins(of finding: LeakFinding, _ leaks: LeakReport) -> [SnapshotObject.Identity] {
        let subscription = finding.subscription.map { [SnapshotObject.Identity.subscription($0)] } ?? []
        switch finding.example {
        case .cycle(let place):
            guard let snapshot = leaks.snapshot(of: finding), snapshot.cycles.indices.contains(place) else { break }
            return subscription
                + snapshot.references(of: snapshot.cycles[place]).map { snapshot.objects[Int($0.source)].identity }
        case .object(let place):
            guard let object = leaks.snapshot(of: finding)?.object(place) else { break }
            return subscription + [object.identity]
        case .tracked(let id): return subscription + [.object(id)]
        case .orphan(let id), .openSubscription(let id): return [.subscription(id)]
        case .growth: break
        }
        return subscription
    }

    private static func json(_ group: RedundancyReport.Unjudged, _ definitions: TraceDefinitions) -> JSONValue {
        let names = group.tallies.prefix(8).map { JSONValue.string(PageText.short(definitions.name(ofNode: $0.node))) }
        return [
            "rule": .string(group.rule.rawValue), "counted": .string(group.rule.counted.count(group.count)),
            "names": .array(names), "more": .unsigned(UInt64(group.tallies.count - names.count)),
            "phrase": .string(group.reason.phrase), "help": .string(group.reason.help),
        ]
    }
}

extension SnapshotObject.Identity {
    /// The kind and the subject of the event that begins it, as in the columns of a page.
    fileprivate func json(_ topology: Topology) -> JSONValue {
        let (kind, subject): (EventKind, Int) =
            switch self {
            case .none: (.nodeCreated, 0)
            case .node(let id): (.nodeCreated, (topology.place(ofNode: id) ?? -1) + 1)
            case .subscription(let id): (.subscriptionStarted, (topology.place(ofSubscription: id) ?? -1) + 1)
            case .object(let id): (.objectTracked, Int(id))
            }
        return .array([.unsigned(UInt64(kind.rawValue)), .signed(Int64(subject))])
    }
}
