import WeirAnalysis
import WeirTrace

/// Writes one finding: its headline, its site, an example with its causes, and the remedy.
struct FindingLines {
    let definitions: TraceDefinitions
    let timeScale: TimeScale
    let style: Style
    /// The length of a frame if the program marks none, in nanoseconds.
    let frame: UInt64
    /// The evidence for an event: how it came about.
    let evidence: (EventID) -> Evidence?
    private let outputs: Outputs
    /// Created once, because it examines all names of the trace.
    private let evidenceLine: EvidenceLine

    private static let width = 112

    init(
        definitions: TraceDefinitions, timeScale: TimeScale, style: Style, frame: UInt64,
        evidence: @escaping (EventID) -> Evidence?
    ) {
        self.definitions = definitions
        self.timeScale = timeScale
        self.style = style
        self.frame = frame
        self.evidence = evidence
        evidenceLine = EvidenceLine(definitions, style: style)
        outputs = Outputs(definitions)
    }

    /// The lines of a finding; the first starts with `number`.
    func lines(_ finding: Finding, number: Int) -> [String] {
        let indent = String(repeating: " ", count: 5)
        let mark = String(repeating: " ", count: max(0, 3 - String(number).count)) + "\(number)  "
        let words = words(finding)
        let place = finding.site.map { "at \(escaped($0)) · " } ?? ""
        let evidence = evidence(finding.example)
        return [
            mark + words.headline,
            indent + heading(finding) + style(.faint, " · \(place)fingerprint \(finding.fingerprint)"),
        ] + example(finding, words, evidence, indent: indent)
            + (handlers(finding) + loop(finding)).map { indent + $0 }
            + (finding.remedy.map { [indent + "Remedy: " + sentence($0, of: finding, evidence) + "."] } ?? [])
    }

    /// The findings with the same cause as `finding`, a line each.
    func others(_ others: [Finding], of finding: Finding) -> [String] {
        guard !others.isEmpty else { return [] }
        let indent = String(repeating: " ", count: 5)
        let heading: String
        var others = others
        if finding.remedy?.kind == .settled {
            heading = "The same remedy also cures:"
        } else if finding.rule == .feedback {
            // The line of the loop names its nodes.
            let loop = Set(loopNodes(finding))
            others.removeAll { $0.rule == .feedback && loop.isSuperset(of: $0.tallies.map(\.node)) }
            if others.isEmpty { return [] }
            heading = "The loop also caused:"
        } else if finding.remedy?.kind == .cutLaterLoop {
            heading = "The loop also caused:"
        } else if let cause = finding.cause, let kind = finding.rule.commonCause {
            heading =
                switch kind {
                case .writes: "The same writes to \(name(cause)) also caused:"
                case .answers: "The same answers also caused:"
                case .unchangedValues: "The same unchanged values of \(name(cause)) also caused:"
                }
        } else {
            return []
        }
        let shown = others.prefix(Self.othersShown).map {
            indent + "  " + style(.faint, $0.rule.rawValue) + "  " + words($0).headline
                + ($0.site.map { style(.faint, " (\(escaped($0)))") } ?? "")
        }
        let rest = others.count - shown.count
        return [indent + heading] + shown + (rest > 0 ? [indent + "  and \(Figures.count(rest)) more"] : [])
    }

    private static let othersShown = 5

    /// Unchanged results that no change helps against, wrapped.
    func normal(_ findings: [Finding]) -> [String] {
        let names = findings.prefix(Self.normalShown).map { "\(subject($0)) (\(Figures.count($0.count)))" }
        let rest = findings.count - names.count
        let parts = names + (rest > 0 ? ["and \(Figures.count(rest)) more"] : [])
        let heading = "Conditions whose inputs changed and whose value did not; nothing needs to change:"
        let lines = parts.enumerated().reduce(into: [[String]]()) { lines, part in
            let text = part.element + (part.offset + 1 < parts.count ? "," : "")
            let width = (lines.last ?? []).reduce(0) { $0 + Style.width($1) + 1 }
            if lines.isEmpty || width + Style.width(text) > Self.width - 4 {
                lines.append([text])
            } else {
                lines[lines.count - 1].append(text)
            }
        }
        return [style(.faint, heading)] + lines.map { "  " + $0.joined(separator: " ") }
    }

    private static let normalShown = 20

    /// The lines of the example of a finding, without indentation.
    func exampleLines(_ finding: Finding) -> [String] {
        example(finding, words(finding), evidence(finding.example), indent: "") + handlers(finding) + loop(finding)
    }

    /// A line with the handlers that run on several threads, or that asked for a repeated source; none for other rules.
    private func handlers(_ finding: Finding) -> [String] {
        let (heading, subscriptions) =
            finding.rule == .repeatedSource
            ? ("Subscribed at", subscribers(ofSources: finding))
            : (
                "Handlers that ran on several threads",
                finding.rule == .crossThread ? finding.tallies.flatMap(\.handlers) : []
            )
        let sites = subscriptions.map { definitions.subscriptions[$0]?.site.map(escaped) ?? "?" }
        guard !sites.isEmpty else { return [] }
        let different = Set(sites).sorted()
        let rest = different.count - min(different.count, Self.handlersShown)
        let names = different.prefix(Self.handlersShown) + (rest > 0 ? ["\(Figures.count(rest)) more"] : [])
        return ["\(heading): \(names.joined(separator: ", "))"]
    }

    /// A line with the whole feedback loop, from its node to its node; none for other rules.
    private func loop(_ finding: Finding) -> [String] {
        let edges = finding.tallies[0].loop.compactMap { definitions.subscriptions[$0] }
        guard finding.rule == .feedback, let first = edges.first else { return [] }
        var parts = edges.flatMap { edge in
            let handler = edge.isInternal ? nil : edge.site.map { "handler " + style(.faint, escaped($0)) }
            return [name(edge.source)] + (handler.map { [$0] } ?? [])
        }
        if parts.count > Self.loopShown {
            let middle = Self.loopShown / 2
            parts.replaceSubrange(middle..<(parts.count - middle), with: ["… \(parts.count - 2 * middle) more …"])
        }
        return ["Loop: " + (parts + [name(first.source)]).joined(separator: " → ")]
    }

    private static let loopShown = 12

    private func loopNodes(_ finding: Finding) -> [UInt32] {
        finding.tallies.flatMap { $0.loop.compactMap { definitions.subscriptions[$0]?.source } }
    }

    /// The terminal subscriptions that the sources of a finding serve, or else the last ones behind them.
    private func subscribers(ofSources finding: Finding) -> [UInt32] {
        let tallies = finding.tallies.prefix(Self.sourcesExamined)
        let sources = Set(
            tallies.map(\.node) + tallies.compactMap { $0.counterpart.flatMap(evidence)?.steps.last?.event.subject })
        var (found, visited): (Set<UInt32>, Set<UInt32>) = ([], sources)
        var next = Array(sources)
        while let node = next.popLast(), visited.count < Self.nodesExamined {
            for output in outputs.all[node] ?? [] {
                let targets = output.target.map { outputs.all[$0] ?? [] } ?? []
                if output.isInternal, let target = output.target, !targets.isEmpty {
                    if visited.insert(target).inserted { next.append(target) }
                } else {
                    found.insert(output.id)
                }
            }
        }
        return found.sorted()
    }

    /// The subscriptions to each node, collected once if a finding needs them.
    private final class Outputs {
        private let definitions: TraceDefinitions
        private(set) lazy var all = Dictionary(grouping: definitions.subscriptions.values, by: \.source)

        init(_ definitions: TraceDefinitions) { self.definitions = definitions }
    }

    private static let sourcesExamined = 20
    private static let nodesExamined = 1000

    private static let handlersShown = 5

    /// The sentence that states the remedy; nil: none is known.
    func remedy(_ finding: Finding) -> String? {
        finding.remedy.map { sentence($0, of: finding, evidence(finding.example)) }
    }

    /// One line and the remedy, for use where space is limited.
    func brief(_ finding: Finding) -> [String] {
        [
            heading(finding) + "  " + words(finding).headline
        ]
            + (finding.remedy.map { [style(.faint, "   → ") + sentence($0, of: finding, evidence(finding.example))] }
                ?? [])
    }

    /// A line for a finding that the program declares as intended, with the reason.
    func intended(_ finding: Finding) -> String {
        let reason = TerminalText.cut(TerminalText.escaped(finding.intention ?? ""), to: 100)
        let site = finding.site.map { style(.faint, " (\(escaped($0)))") } ?? ""
        return "\(finding.rule.rawValue): \(words(finding).headline)\(site): “\(reason)”"
    }

    /// The sentence that says what was found.
    func headline(_ finding: Finding) -> String { words(finding).headline }

    /// The lines of the subscriptions that a remedy changes besides the one at its own line, up to four.
    private func otherSites(of remedy: Remedy) -> [String] {
        let sites = Set(
            remedy.subscriptions.compactMap { definitions.subscriptions[$0]?.site }.filter { $0 != remedy.site })
        let names = sites.map(escaped).sorted()
        return names.count > 4 ? names.prefix(3) + ["\(names.count - 3) more"] : names
    }

    /// The sentence that states the remedy of a finding.
    func sentence(_ remedy: Remedy, of finding: Finding, _ evidence: Evidence?) -> String {
        let input =
            finding.rule == .noopEvaluation ? inputName(finding) : finding.rule == .feedback ? unsettling(finding) : nil
        let isOfCause = remedy.kind == .removeDuplicates && finding.cause.map(remedy.nodes.contains) == true
        let node = isOfCause ? finding.cause ?? finding.node : finding.node
        let names = isOfCause || Set(finding.tallies.map(\.node)).count == 1
        let stimuli = finding.rule == .burst ? finding.tallies[0].counterpart.flatMap(self.evidence) : nil
        let (first, later) = (evidence.flatMap(EvidenceLine.origin), stimuli.flatMap(EvidenceLine.origin))
        let written =
            remedy.kind == .cutLaterLoop ? stimuli.flatMap(lastWrite) : remedy.corrected.map { ($0, remedy.site) }
        let differ = first != nil && later != nil && first?.id != later?.id
        return RemedyWords(
            kind: remedy.kind, node: names ? name(node) : subject(finding),
            nodeKind: definitions.nodes[node]?.kind, technique: technique(node),
            site: written?.site.map(escaped) ?? remedy.site.map(escaped), written: written.map { name($0.node) },
            joins: joins(remedy, areReplaced: false), replaced: joins(remedy, areReplaced: true),
            beginsWithCurrent: remedy.beginsWithCurrent,
            scenes: [.batch, .batchHandler, .computeOnce].contains(remedy.kind) ? scenes(of: finding) : [],
            stimulus: first.map(EvidenceLine.stimulus),
            laterStimulus: differ ? later.map(EvidenceLine.stimulus) : nil,
            input: input, isOfSeveralStimuli: differ || finding.tallies.contains { $0.betweenStimuli > 0 },
            cannotBatch: remedy.cannotBatch, isOverdue: finding.tallies[0].isOverdue, interval: interval,
            carriesOn: finding.tallies.contains(where: \.carriesOn),
            carriers: Set(remedy.carriers).isSubset(of: finding.tallies.map(\.subscription)) ? [] : carriers(remedy),
            isOfLaterWork: remedy.isOfLaterWork, isOfBurst: finding.rule == .burst,
            isOfOneStimulus: first != nil && first?.id == later?.id && !isPartedByHop(evidence, stimuli),
            isOfAll: isOfCause && Set(remedy.subscriptions) != Set(finding.tallies.map(\.subscription)),
            isOfOneView: finding.tallies.contains(where: \.isOfOneView),
            areAnswers: remedy.isOfEvents || finding.tallies.allSatisfy(\.areAnswers),
            missesEarlierValues: remedy.missesEarlierValues, isBeforeEffects: remedy.isBeforeEffects,
            isBinding: finding.tallies.allSatisfy { targetKind($0.subscription) == .binding },
            isOfOneNode: remedy.isOfOwnHandlers, loopStates: loopStates(finding).map(name),
            isOfState: finding.tallies.allSatisfy { isOfState($0.subscription) }, needsReplay: remedy.needsReplay,
            otherSites: remedy.kind == .throttle || remedy.isOfOwnHandlers ? otherSites(of: remedy) : []
        ).sentence
    }

    /// The input whose emission left the node of a finding unsettled, which the node itself caused; nil: unknown.
    private func unsettling(_ finding: Finding) -> String? {
        let first = finding.tallies[0]
        let outputs = outputs.all[first.loopNode] ?? []
        return outputs.contains { $0.target == first.node } ? name(first.loopNode) : nil
    }

    /// The observables of a feedback loop that handlers or bindings write.
    private func loopStates(_ finding: Finding) -> [UInt32] {
        guard finding.rule == .feedback else { return [] }
        let sources = finding.tallies[0].loop.compactMap { definitions.subscriptions[$0]?.source }
        return Set(sources.filter { definitions.nodes[$0]?.kind == .observable }).sorted()
    }

    /// The last write of a handler before an event, and the line of the handler.
    private func lastWrite(_ evidence: Evidence) -> (node: UInt32, site: TraceSite?)? {
        for step in evidence.steps.reversed() where step.event.kind == .emitted {
            guard case .delivery(_, let id) = step.way, let handler = definitions.subscriptions[id], !handler.isInternal
            else { continue }
            return (step.event.subject, handler.site)
        }
        return nil
    }

    private func scenes(of finding: Finding) -> [String] {
        BurstScenes(definitions).names(finding, evidence)
    }

    private func targetKind(_ subscription: UInt32) -> NodeKind? {
        definitions.subscriptions[subscription]?.target.flatMap { definitions.nodes[$0]?.kind }
    }

    /// Whether a subscription is a binding to an observable or its like.
    private func isOfState(_ subscription: UInt32) -> Bool {
        definitions.subscriptions[subscription]?.isInternal == true && targetKind(subscription)?.isBoundTo == true
    }

    /// The nodes that must settle, too: "Model.label at Cart.swift:14", or for a batch, those that settled combiners must replace.
    private func joins(_ remedy: Remedy, areReplaced: Bool) -> [String] {
        func isReplaced(_ join: Remedy.Join) -> Bool {
            remedy.kind == .batch && definitions.nodes[join.node]?.kind == .combineLatest
        }
        let all = remedy.joins.filter { isReplaced($0) == areReplaced }.map { join in
            let name = areReplaced ? NodeKind.combineLatest.name : name(join.node)
            return name + (join.site.map { " at \(escaped($0))" } ?? "")
        }
        let different = all.enumerated().filter { all.firstIndex(of: $1) == $0 }.map(\.element)
        let rest = different.count - Self.joinsShown
        return different.prefix(Self.joinsShown) + (rest > 0 ? ["\(Figures.count(rest)) more"] : [])
    }

    private static let joinsShown = 20

    /// The lines of the handlers that also write, if a remedy changes what several handlers receive.
    private func carriers(_ remedy: Remedy) -> [String] {
        let sites = remedy.carriers.compactMap { definitions.subscriptions[$0]?.site.map(escaped) }
        let different = sites.enumerated().filter { sites.firstIndex(of: $1) == $0 }.map(\.element)
        let rest = different.count - min(different.count, Self.handlersShown)
        return different.prefix(Self.handlersShown) + (rest > 0 ? ["\(Figures.count(rest)) more"] : [])
    }

    /// The length of a frame in whole milliseconds, rounded up.
    private var interval: UInt64 {
        let (whole, rest) = frame.quotientAndRemainder(dividingBy: 1_000_000)
        return rest > 0 ? whole + 1 : max(1, whole)
    }

    /// The technique with which the program made a node.
    ///
    /// Older traces record it only for observables of other libraries.
    func technique(_ id: UInt32) -> NodeTechnique {
        guard let node = definitions.nodes[id] else { return .weir }
        return node.technique == .weir && node.kind == .foreign ? .foreign : node.technique
    }

    private func heading(_ finding: Finding) -> String {
        let role: Style.Role = finding.severity == .note ? .faint : .warning
        return style(.strong, finding.rule.rawValue) + " · " + style(role, finding.severity.word)
    }

    private func example(
        _ finding: Finding, _ words: FindingWords, _ evidence: Evidence?, indent: String
    ) -> [String] {
        guard let evidence else {
            return [indent + style(.faint, "e.g. \(finding.example), which the trace no longer holds")]
        }
        let parts = evidenceLine.parts(evidence)
        var words = words
        words.counterpart = counterpart(finding)
        let lines = EvidenceLine.wrapped(parts, end: words.reason, width: Self.width, indent: indent + "     ")
        return lines.enumerated().map { $0 == 0 ? indent + "e.g. " + $1.dropFirst(indent.count + 5) : $1 }
    }

    /// Whether the first of two events is directly of a stimulus, and the other one of a hop: the program awaited between them.
    private func isPartedByHop(_ first: Evidence?, _ later: Evidence?) -> Bool {
        first?.isInHop == false && later?.isInHop == true
    }

    /// The event that makes the example redundant; with the name of its stimulus if that is another one.
    private func counterpart(_ finding: Finding) -> String? {
        guard let id = finding.tallies[0].counterpart else { return nil }
        guard finding.rule == .burst, let stimulus = evidence(id).flatMap(EvidenceLine.origin) else {
            return id.description
        }
        return "\(id) (\(EvidenceLine.stimulus(stimulus)))"
    }

    private func words(_ finding: Finding) -> FindingWords {
        let subscription = definitions.subscriptions[finding.tallies[0].subscription]
        let owner = subscription?.owner ?? subscription?.target.flatMap { definitions.nodes[$0]?.owner }
        let threads = finding.tallies.first { $0.threads.count > 1 }?.threads.map(runner) ?? []
        return FindingWords(
            rule: finding.rule, node: subject(finding), areSeveral: Set(finding.tallies.map(\.node)).count > 1,
            target: subscription?.target.map(name),
            isExecution: definitions.nodes[finding.node]?.kind == .execution, count: finding.count,
            refreshes: finding.refreshes,
            wasted: finding.wastedTicks > 0 ? duration(finding.wastedTicks) : nil,
            frame: Figures.duration(nanoseconds: frame), threads: threads,
            unsettled: finding.tallies.reduce(0) { $0 &+ $1.unsettled },
            isOverdue: finding.tallies[0].isOverdue, isOfState: isOfState(finding.tallies[0].subscription),
            owner: owner.flatMap { definitions.objects[$0]?.name }.map { style(.name, cut($0)) },
            all: finding.tallies.reduce(0) { $0 &+ $1.all })
    }

    /// The node, or the first of several that one line made.
    private func subject(_ finding: Finding) -> String {
        let others = Set(finding.tallies.map(\.node)).count - 1
        return name(finding.node) + (others > 0 ? " and \(Figures.count(others, "other")) of this line" : "")
    }

    private func inputName(_ finding: Finding) -> String? {
        guard let input = definitions.subscriptions[finding.tallies[0].via]?.source else { return nil }
        // The owner's name is not repeated for a property of the same model.
        func path(_ id: UInt32) -> [Substring] { definitions.nodes[id]?.label?.split(separator: ".") ?? [] }
        let (one, other) = (path(input), path(finding.node))
        guard one.count > 1, one.dropLast() == other.dropLast(), let last = one.last else { return name(input) }
        return style(.name, cut(String(last)))
    }

    /// A thread, or an executor that several threads serve in turn.
    private func runner(_ number: UInt32) -> String {
        switch definitions.runners[number] {
        case nil: "thread \(number)"
        case .main: "the main queue"
        case .actor(let type): "the actor \(style(.name, cut(type ?? String(number))))"
        }
    }

    private func name(_ id: UInt32) -> String { style(.name, cut(definitions.name(ofNode: id))) }

    private func cut(_ text: String) -> String { TerminalText.cut(TerminalText.escaped(text), to: 80) }

    private func escaped(_ site: TraceSite) -> String { TerminalText.escaped(site.description) }

    private func duration(_ ticks: UInt64) -> String {
        Figures.duration(nanoseconds: timeScale.nanoseconds(ticks: ticks))
    }
}
