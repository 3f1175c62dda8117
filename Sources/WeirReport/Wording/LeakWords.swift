import WeirAnalysis
import WeirTrace

/// The sentences about a leak finding; text from a trace is escaped.
struct LeakWords {
    let finding: LeakFinding
    private let snapshot: TraceSnapshot
    let definitions: TraceDefinitions?

    init(_ finding: LeakFinding, _ snapshot: TraceSnapshot, _ definitions: TraceDefinitions?) {
        self.finding = finding
        self.snapshot = snapshot
        self.definitions = definitions
    }

    /// The headline: "1,000 objects of Screen were to be gone by checkpoint “closed”, and were not".
    var headline: String {
        let count = finding.count
        switch finding.example {
        case .cycle(let place):
            let (name, through) = cycle(place)
            let cycles = Figures.count(count, "cycle") + through
            if finding.weakEntry != nil {
                return count == 1
                    ? "\(name) keeps itself alive\(through) until the program cuts the cycle"
                    : "\(cycles) keep \(name) alive until the program cuts them"
            }
            if finding.rule == .retainCycle {
                return count == 1
                    ? "\(name) keeps itself alive\(through), and nothing outside holds it"
                    : "\(cycles) keep \(name) alive, and nothing outside does"
            }
            if let variable = variable(place) {
                return count == 1
                    ? "\(name) holds itself\(through); \(variable) holds it permanently"
                    : "\(cycles) hold \(name); \(variable) holds the first of them permanently"
            }
            return count == 1
                ? "\(name) holds itself\(through), and leaks once its external owner releases it"
                : "\(cycles) will keep \(name) alive once their external owners release them"
        case .object, .tracked:
            if finding.rule == .outlivedScope {
                let isLate = finding.expectation.map { $0.late > 0 && $0.late == $0.objects } ?? false
                let outcome = (count == 1 ? "was" : "were") + (isLate ? " gone only later" : " not")
                let expected = "to be gone \(deadline), and \(outcome)"
                return "\(several) \(count == 1 ? "was" : "were") \(expected)"
            }
            return "\(several) \(count == 1 ? "is" : "are") kept alive by nothing but handlers"
        case .orphan(let id):
            let owner = definitions?.subscriptions[id]?.owner.flatMap { definitions?.objects[$0]?.type }
            let released =
                "although \(escaped(owner.map(SourceType.written) ?? "the object")), for which \(count == 1 ? "it works" : "they work"), was released"
            return "\(subscriptions(id)) \(count == 1 ? "is" : "are") alive \(released)"
        case .openSubscription(let id):
            return "\(subscriptions(id)) \(count == 1 ? "is" : "are") alive at the end of the recording"
        case .growth(let growth):
            let more = "\(Figures.count(count)) more of them alive at the last of \(growth.rounds) checkpoints"
            return "\(line(growth.line)): \(more) “\(escaped(growth.checkpoint))” than at the first, and more each time"
        }
    }

    /// The text after the rule's name in a drawing.
    var title: String {
        switch finding.example {
        case .cycle(let place):
            guard snapshot.cycles.indices.contains(place) else { return headline }
            let cycle = snapshot.cycles[place]
            let objects = Figures.count(cycle.componentObjects, "object")
            let isPrivate = snapshot.references(of: cycle).contains { snapshot.objects[Int($0.source)].isPrivate }
            // A redacted trace has no sizes.
            let bytes = cycle.componentBytes > 0 ? ", \(Figures.bytes(cycle.componentBytes))" : ""
            let size = objects + bytes + (isPrivate ? " and private values" : "")
            let more =
                cycle.retainedSize > cycle.componentBytes ? ", keeps \(Figures.bytes(cycle.retainedSize))" : ""
            let verdict =
                finding.weakEntry != nil
                ? "not proven: only weak references reach \(cycle.componentObjects == 1 ? "it" : "them") from outside"
                : cycle.isProven
                    ? "proven: nothing outside holds \(cycle.componentObjects == 1 ? "it" : "them")"
                    : variable(place).map { "held permanently by \($0)" }
                        ?? (finding.severity == .note
                            ? "held from outside: it leaks once its owner releases it and nobody disposes the subscription"
                            : "held from outside: it leaks once its owner releases it")
            return size + more + " · " + verdict
        case .object(let place):
            guard let object = snapshot.object(place) else { return headline }
            let size =
                object.isPrivate
                ? "keeps private values · "
                : object.retainedSize > 0 ? "keeps \(Figures.bytes(object.retainedSize)) · " : ""
            let isHandlers = finding.rule == .undisposed || object.isHeldByHandlersOnly
            return size + (isHandlers ? "held by handlers only" : "held")
        default: return headline
        }
    }

    /// The number of similar cases; nil: none.
    var others: String? {
        guard finding.count > 1 else { return nil }
        switch finding.example {
        case .growth: return nil
        default: return "\(Figures.count(finding.count - 1)) more like it."
        }
    }

    /// The other cycles that go through the same closure; nil: none.
    var otherCycles: String? {
        guard !finding.otherCycles.isEmpty else { return nil }
        let count = finding.otherCycles.reduce(0) { $0 &+ $1.count }
        var names: [String] = []
        for case .cycle(let place) in finding.otherCycles.map(\.example) {
            let name = cycle(place).through
            if !name.isEmpty, !names.contains(name) { names.append(name) }
        }
        let shown = names.prefix(3).joined(separator: ",") + (names.count > 3 ? ", …" : "")
        return "The same closure closes \(Figures.count(count, "other cycle"))\(names.isEmpty ? "" : ",")\(shown)."
    }

    /// The other closures that hold the object; nil: none.
    var otherCaptures: String? {
        let sites = finding.otherCaptures
        guard case .object(let place) = finding.example, let object = snapshot.object(place), !sites.isEmpty else {
            return nil
        }
        let shown = sites.prefix(5).map { LeakSteps.escapedAndCut($0.description, 100) }.joined(separator: ", ")
        let rest = sites.count > 5 ? " and \(Figures.count(sites.count - 5)) more" : ""
        let closures = sites.count == 1 ? "Another closure captures" : "Other closures capture"
        return "\(closures) \(LeakSteps.name(object)) strongly, too: \(shown)\(rest)."
    }

    /// The other tasks that presumably hold the object; nil: none.
    var otherTasks: String? {
        let tasks = finding.otherTasks
        guard case .object(let place) = finding.example, let object = snapshot.object(place), !tasks.isEmpty else {
            return nil
        }
        let shown = tasks.prefix(5).map { LeakSteps.escapedAndCut(OutsideHolder.task($0).shortDescription, 160) }
        let rest = tasks.count > 5 ? " and \(Figures.count(tasks.count - 5)) more" : ""
        let words = tasks.count == 1 ? "Another task holds" : "Other tasks hold"
        return "\(words) \(LeakSteps.name(object)), too, it seems: \(shown.joined(separator: ", "))\(rest)."
    }

    /// When the objects were expected to be gone, and what they received after that.
    var expectation: String? {
        guard let expectation = finding.expectation else { return nil }
        // Without a trace, the snapshot is the deadline, and the rule's name says it all.
        if expectation.deadline == .now && finding.rule == .outlivedScope { return nil }
        let isOne = expectation.objects == 1
        var text = isOne ? "It was" : "They were"
        if expectation.objects < finding.count, expectation.objects > 0 {
            text = "\(Figures.count(expectation.objects)) of these objects \(isOne ? "was" : "were")"
        }
        text += " expected to be gone \(deadline)"
        if expectation.late > 0 {
            text +=
                expectation.late == expectation.objects
                ? ", and released later"
                : "; \(Figures.count(expectation.late, "of them was", "of them were")) released later"
        }
        // Values may also have come through subscriptions that nobody knows to be the object's.
        if let deliveries = expectation.deliveries, deliveries > 0 {
            text +=
                ", and received \(expectation.isAtLeast ? "at least " : "")\(Figures.count(deliveries, "value")) after that"
        }
        return text + "."
    }

    /// The overdue objects that it keeps alive: "And with it 2 others: PlayerScreen, PlayerModel."
    var companions: String? {
        guard finding.companions > 0 else { return nil }
        let others = Figures.count(finding.companions, "other")
        let types = finding.typesOfCompanions
        var list = types.prefix(3).map { escaped(SourceType.written($0)) }.joined(separator: ", ")
        if types.count > 3 { list += " and \(Figures.count(types.count - 3, "more type"))" }
        let isOne = finding.count == 1
        return finding.rule == .retainCycle
            ? "\(isOne ? "It keeps" : "They keep") \(others) that should be gone: \(list)."
            : "And with \(isOne ? "it" : "them") \(others): \(list)."
    }

    /// The sentence that the cycle is part of a larger cycle group; nil: it is not.
    var knot: String? {
        guard case .cycle(let place) = finding.example, snapshot.cycles.indices.contains(place) else { return nil }
        let cycle = snapshot.cycles[place]
        let own = Set(snapshot.references(of: cycle).map(\.source)).count
        guard cycle.componentObjects > UInt64(own) else { return nil }
        return
            "It is part of a larger cycle group of \(Figures.count(cycle.componentObjects, "object")): after you break it, other cycles of the group "
            + "may appear."
    }

    /// The sentence that a weak reference still reaches a cycle that nothing else holds; nil: none does.
    var weakReferences: String? {
        finding.weakEntry.flatMap { snapshot.object($0) }.map {
            "A weak reference from elsewhere still reaches \(LeakSteps.name($0)): the cycle leaks unless the program cuts it through that."
        }
    }

    /// The sentence that one collection holds all growing objects; nil: none does.
    var collection: String? {
        finding.collection.map { "\(name(of: $0)) holds \(Figures.count($0.count)): all that are alive." }
    }

    /// The name of a collection: ".messages of Chat", "static Chat.messages".
    func name(of list: GrowingCollection) -> String {
        let name = LeakSteps.escapedAndCut(list.property, 80)
        return list.owner.map { ".\(name) of \(escaped(SourceType.written($0)))" } ?? name
    }

    /// Whether the holder is unknown, or there is none.
    var isHolderUnknown: Bool {
        switch finding.example {
        case .tracked: true
        case .object(let place): snapshot.object(place)?.isGarbage ?? true
        default: false
        }
    }

    /// The holder of an object outside the heap walk.
    func outside(_ object: SnapshotObject) -> String {
        // A task that waits for another has a long name.
        if let holder = object.outsideHolder {
            return LeakSteps.escapedAndCut(holder.description, holder.isGuess ? 400 : 100)
        }
        if object.isGarbage { return "nothing outside" }
        if object.outsideReferences == .max { return "\(Self.staticMemory), which is never released" }
        if object.outsideReferences == 0 { return "a holder that the snapshot does not contain" }
        return "something outside: \(Figures.count(object.outsideReferences, "reference")) that the walk does not see "
            + "(the stack, a global, memory it cannot read)"
    }

    /// The limitation that concerns these objects; nil: none is known.
    func limitation(about objects: [SnapshotObject]) -> String? {
        if let incomplete = objects.first(where: \.isIncomplete) {
            return "Not all of \(LeakSteps.name(incomplete)) could be read."
        }
        let types = Set(objects.map(\.type))
        let limitation = snapshot.limitations.first { types.contains($0.subject) && !$0.subject.isEmpty }
        return limitation.map { "Not analysed: \(LeakLimitationWords.sentence(for: $0))" }
    }

    /// The deadline: "by checkpoint “closed”", "by checkpoint “closed”, the last by the end of the recording".
    private var deadline: String {
        func by(_ deadline: MissedExpectation.Deadline) -> String {
            switch deadline {
            case .checkpoint(let name): "by checkpoint “\(escaped(name))”"
            case .end: "by the end of the recording"
            case .now: "by now"
            }
        }
        let last = finding.expectation?.lastDeadline.map { ", the last \(by($0))" } ?? ""
        return by(finding.expectation?.deadline ?? .now) + last
    }

    /// "1,000 objects of Screen", "Screen “main”".
    private var several: String {
        var (type, label): (String?, String?)
        switch finding.example {
        case .object(let place): (type, label) = (snapshot.object(place)?.type, snapshot.object(place)?.label)
        case .tracked(let id): (type, label) = (definitions?.objects[id]?.type, definitions?.objects[id]?.label)
        default: (type, label) = (nil, nil)
        }
        let name = escaped(type.map(SourceType.written) ?? "an object")
        if finding.count > 1 { return "\(Figures.count(finding.count)) objects of \(name)" }
        guard let label, label != type else { return name }
        return "\(name) “\(escaped(label))”"
    }

    /// The object at which a cycle begins, and the property through which it continues: " through .loginTouched".
    private func cycle(_ place: Int) -> (name: String, through: String) {
        guard snapshot.cycles.indices.contains(place) else { return ("an object", "") }
        let references = snapshot.references(of: snapshot.cycles[place])
        guard let first = references.first else { return ("an object", "") }
        let inStorage = references.prefix { snapshot.objects[Int($0.target)].kind == .storage }.count
        let label = references.prefix(inStorage + 1).map(\.label).joined()
        let through = label.hasPrefix(".") ? " through \(escaped(ReferenceLabel.withoutIndexes(label)))" : ""
        return (LeakSteps.name(snapshot.objects[Int(first.source)]), through)
    }

    /// The holder of static objects without a known name.
    private static let staticMemory = "static memory"

    /// The variable that holds the cycle, if that is the reason why the finding is only a note.
    private func variable(_ place: Int) -> String? {
        guard finding.severity == .note, finding.remedy.kind != .dispose,
            snapshot.cycles.indices.contains(place)
        else { return nil }
        let cycle = snapshot.cycles[place]
        if let variable = snapshot.variable(holding: cycle) { return escaped(variable) }
        let isStatic = snapshot.references(of: cycle).contains { snapshot.isHeldPermanently(Int($0.source)) }
        return isStatic ? Self.staticMemory : nil
    }

    private func subscriptions(_ id: UInt32) -> String {
        let known = definitions?.subscriptions[id]
        if node(inLoop: id) != nil {
            return (finding.count == 1 ? "a loop" : Figures.count(finding.count, "loop")) + " over " + sources(known)
        }
        if let awaited {
            let awaits = finding.count == 1 ? "an await" : Figures.count(finding.count, "await")
            return "\(awaits) for the first value of \(awaited)"
        }
        let site = known?.site.map { " (made at \(escaped($0.description)))" } ?? ""
        let count = finding.count == 1 ? "a subscription" : Figures.count(finding.count, "subscription")
        let names = sources(known)
        return count + (names.isEmpty ? "" : " to \(names)") + site
    }

    /// The name of the node for whose first value an `await` waits through the subscription; nil: none does.
    var awaited: String? {
        finding.awaited.flatMap { node in definitions.map { escaped($0.name(ofNode: node)) } }
    }

    /// The node over whose `values` the subscription loops; nil: it is no loop.
    func node(inLoop id: UInt32?) -> UInt32? { id.flatMap { definitions?.node(inLoop: $0) } }

    /// The nodes that the subscriptions observe: "LoginVM.ok and LoginVM.name".
    func sources(_ example: TraceSubscription?) -> String {
        guard let definitions, let example else { return "" }
        var names: [String] = []
        let loop = node(inLoop: example.id).map { [$0] }
        for source in loop ?? [example.source] + finding.sources {
            let name = definitions.name(ofNode: source)
            if !names.contains(name) { names.append(name) }
            if names.count > Self.mostSources { break }
        }
        let shown = names.prefix(Self.mostSources).map(escaped)
        if names.count > Self.mostSources { return "\(shown.joined(separator: ", ")) and more" }
        let last = shown[shown.count - 1]
        return shown.count == 1 ? last : "\(shown.dropLast().joined(separator: ", ")) and \(last)"
    }

    private static let mostSources = 3

    private func line(_ line: LineGrowth.Line) -> String {
        switch line {
        case .nodes(let rawKind, let site):
            let kind = NodeKind(rawValue: rawKind)?.name ?? "node"
            return "nodes (\(kind)) made at \(escaped(site?.description ?? "an unknown line"))"
        case .subscriptions(let site): return "subscriptions made at \(escaped(site?.description ?? "an unknown line"))"
        case .objects(let type, let label):
            let name = escaped(type.map(SourceType.written) ?? "unknown type")
            return "tracked objects of \(name)" + (label.map { $0 == type ? "" : " “\(escaped($0))”" } ?? "")
        }
    }

    private func escaped(_ text: String) -> String { LeakSteps.escapedAndCut(text, 100) }
}
