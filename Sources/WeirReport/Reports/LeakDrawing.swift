import WeirAnalysis
import WeirTrace

/// Draws the subject of a leak finding: the cycle, or the path to an object; below it the facts and the remedy.
///
///     ┬ retain-cycle · 2 objects, 176 bytes · proven: nothing outside holds them
///     ├─ LoginViewModel                Login/LoginViewModel.swift:18
///     │    ↓ .loginTouched: Observer<Void>
///     │    ↓ .handler: closure         Login/LoginViewModel.swift:64
///     │    ~ captures self strongly
///     ╰→ LoginViewModel (the same object)
///     Remedy: capture [weak self] at Login/LoginViewModel.swift:64.
///
/// Steps through Weir's own objects are drawn as one; weak references are not drawn.
package struct LeakDrawing {
    /// A drawing with more steps omits the middle.
    static let mostSteps = 24
    private static let mostColumns = 72

    let finding: LeakFinding
    let snapshot: TraceSnapshot
    let definitions: TraceDefinitions?
    private let steps: LeakSteps

    /// A drawing of a finding whose example is in `snapshot`; `definitions` name the sources of subscriptions.
    package init(_ finding: LeakFinding, in snapshot: TraceSnapshot, _ definitions: TraceDefinitions? = nil) {
        self.finding = finding
        self.snapshot = snapshot
        self.definitions = definitions
        steps = LeakSteps(snapshot: snapshot, definitions: definitions)
    }

    /// The lines, without line breaks.
    package func lines(style: Style = .plain) -> [String] { picture(style) + linesBelow(style) }

    /// The same lines for use below a headline; an example that cannot be drawn gets no title, which would repeat it.
    func linesBelowHeadline(_ style: Style) -> [String] {
        switch finding.example {
        case .cycle, .object: lines(style: style)
        case .tracked, .orphan, .openSubscription, .growth: linesBelow(style)
        }
    }

    private func linesBelow(_ style: Style) -> [String] {
        facts.map { style(.faint, $0) } + [words.remedyLine(style)].compactMap(\.self)
    }

    var words: LeakWords { LeakWords(finding, snapshot, definitions) }

    /// The cycle or path; only a title if there is nothing to draw.
    private func picture(_ style: Style) -> [String] {
        switch finding.example {
        case .cycle(let place):
            guard snapshot.cycles.indices.contains(place) else { return [title(style)] }
            let references = snapshot.references(of: snapshot.cycles[place])
            guard let first = references.first else { return [title(style)] }
            let head = snapshot.objects[Int(first.source)]
            let end = "╰→ \(style(.strong, LeakSteps.name(head))) (the same object)"
            return [title(style)] + body(steps.head(head), steps.steps(references, isCycle: true), style) + [end]
                + holder(references, style)
        case .object(let place):
            guard let object = snapshot.object(place) else { return [title(style)] }
            let way = snapshot.way(to: place)
            let end = "╰→ \(style(.strong, steps.head(object).text))"
            guard let first = way.first else {
                return [title(style), "│  \(words.outside(object))", end]
            }
            let head = snapshot.objects[Int(first.source)]
            let reported = steps.steps(way, isCycle: false)
            return [title(style), "│  \(words.outside(head))"] + body(steps.head(head), reported, style) + [end]
        case .tracked, .orphan, .openSubscription, .growth: return [title(style)]
        }
    }

    private func title(_ style: Style) -> String {
        let mark =
            switch finding.example {
            case .cycle, .object: "┬"
            default: "─"
            }
        return "\(mark) \(style(.strong, finding.rule.rawValue)) · \(words.title)"
    }

    private func body(_ head: LeakStep, _ steps: [LeakStep], _ style: Style) -> [String] {
        var steps = steps
        let omitted = steps.count - Self.mostSteps
        if omitted > 1 {
            let left = LeakStep(text: "… \(Figures.count(omitted, "more step"))", site: nil)
            steps.replaceSubrange(Self.mostSteps * 3 / 4..<Self.mostSteps * 3 / 4 + omitted, with: [left])
        }
        let rows = [("├─ ", head)] + steps.map { ("│    ", $0) }
        let width = rows.filter { $0.1.site != nil }.map { TerminalText.width($0.0 + $0.1.text) }.max() ?? 0
        return rows.map { margin, step in
            guard let site = step.site else { return margin + step.text }
            let used = TerminalText.width(margin + step.text)
            let gap = String(repeating: " ", count: max(0, min(width, Self.mostColumns) - used) + 2)
            return margin + step.text + gap + style(.faint, site)
        }
    }

    /// The shortest path from outside to any object of a cycle.
    private func holder(_ references: [SnapshotReference], _ style: Style) -> [String] {
        guard finding.rule == .heldCycle else { return [] }
        let places = Set(references.map { Int($0.source) })
        let ways = places.sorted().map { (place: $0, way: snapshot.way(to: $0)) }
            .filter { entry in
                let isHeld = snapshot.objects[entry.place].outsideReferences > 0 || !entry.way.isEmpty
                return isHeld && !entry.way.dropLast().contains { places.contains(Int($0.target)) }
                    && !entry.way.contains { places.contains(Int($0.source)) }
            }
        guard let held = ways.min(by: { $0.way.count < $1.way.count }) else { return [] }
        guard let first = held.way.first else {
            let object = snapshot.objects[held.place]
            return ["   \(LeakSteps.name(object)) is held by " + words.outside(object)]
        }
        let head = snapshot.objects[Int(first.source)]
        let reported = body(steps.head(head), steps.steps(held.way, isCycle: false, includesEnd: true), style)
        return ["   It is held by " + words.outside(head)] + reported.map { "   " + $0.dropFirst(3) }
    }

    /// The facts below the picture.
    private var facts: [String] {
        [
            words.others, words.otherCycles, words.collection, words.knot, words.weakReferences, words.companions,
            words.expectation, words.otherCaptures, words.otherTasks,
            words.limitation(about: mentioned),
        ].compactMap(\.self)
    }

    /// The objects that the picture shows.
    private var mentioned: [SnapshotObject] {
        let references: [SnapshotReference]
        switch finding.example {
        case .cycle(let place):
            guard snapshot.cycles.indices.contains(place) else { return [] }
            references = snapshot.references(of: snapshot.cycles[place])
        case .object(let place):
            guard let object = snapshot.object(place) else { return [] }
            return snapshot.way(to: place).map { snapshot.objects[Int($0.source)] } + [object]
        default: return []
        }
        return references.map { snapshot.objects[Int($0.source)] }
    }
}
