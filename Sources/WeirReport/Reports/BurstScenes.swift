import WeirAnalysis
import WeirTrace

/// Names the parts of the program that make the writes of a burst, where a batch belongs.
struct BurstScenes {
    private let definitions: TraceDefinitions

    /// How many parts are named.
    private static let mostNames = 3

    init(_ definitions: TraceDefinitions) { self.definitions = definitions }

    /// "of “tap”", "in the handler at Cart/CartView.swift:30"; the last one may represent several.
    func names(_ finding: Finding, _ evidence: (EventID) -> Evidence?) -> [String] {
        let shown = finding.tallies.prefix(Finding.talliesShown)
        let pairs =
            finding.rule == .burst
            ? shown.flatMap(\.examples).map { ($0.first, $0.next) }
            : shown.compactMap { tally in tally.counterpart.map { (tally.example, $0) } }
        let all = pairs.compactMap { pair -> String? in
            guard let first = evidence(pair.0), let next = evidence(pair.1) else { return nil }
            return name(first, next)
        }
        let different = all.enumerated().filter { all.firstIndex(of: $1) == $0 }.map(\.element)
        if different.count <= Self.mostNames { return different }
        return different.prefix(Self.mostNames - 1) + ["in \(different.count - Self.mostNames + 1) other places"]
    }

    /// The innermost handler, hop or stimulus around two events; nil: none is known.
    private func name(_ first: Evidence, _ next: Evidence) -> String? {
        let shared = zip(first.steps, next.steps).prefix { $0.event.id == $1.event.id }.count
        let stimulus = first.steps.prefix(shared).last { $0.event.kind == .stimulusBegan }.map(\.event)
        for place in (0..<shared).reversed() {
            switch first.steps[place].event.kind {
            case .stimulusBegan: return "of \(EvidenceLine.stimulus(first.steps[place].event))"
            case .hopBegan: return stimulus.map { "in the work that \(EvidenceLine.stimulus($0)) began" }
            default:
                guard place + 1 < first.steps.count, place + 1 < next.steps.count,
                    case .delivery(_, let id) = first.steps[place + 1].way,
                    first.steps[place + 1].way == next.steps[place + 1].way,
                    let handler = definitions.subscriptions[id], !handler.isInternal
                else { continue }
                return handler.site.map { "in the handler at \(TerminalText.escaped($0.description))" }
            }
        }
        return nil
    }
}
