import WeirAnalysis
import WeirTrace

/// Draws what one stimulus caused, as a tree of emissions, refreshes and suppressions.
///
/// Each fact is below its cause, or behind it after '→' if it is the only effect. Three kinds of fact have no line: a
/// delivery that only feeds another node (the emission of that node replaces it), a refresh that caused nothing (it is shown
/// behind its emission), and the settling of a turn.
package struct CascadeTree {
    /// A line before its branches are drawn.
    struct Line {
        var level: Int
        var text: String
        var hasRefreshes = false
    }

    /// The maximum width of a line, in columns.
    package var width = 110

    private let phrases: EventPhrases
    private let definitions: TraceDefinitions
    private let timeScale: TimeScale
    private let style: Style

    /// A renderer with the names from `definitions`; short names omit the owners.
    package init(
        _ definitions: TraceDefinitions, timeScale: TimeScale, style: Style = .plain,
        hasShortNames: Bool = false
    ) {
        phrases = EventPhrases(definitions, style: style, hasShortNames: hasShortNames)
        self.definitions = definitions
        self.timeScale = timeScale
        self.style = style
    }

    /// The tree: at most `limit` lines, and one that counts the rest.
    package func lines(_ cascade: Cascade, limit: Int = 200) -> [String] {
        var facts = CascadeFacts(cascade, isFeed: isFeed)
        let kept = facts.lines.prefix(max(1, limit))
        let omitted = UInt64(facts.lines.count - kept.count) &+ cascade.omitted
        facts.lines = Array(kept)
        var texts = facts.lines.map(text)
        if cascade.isBeginningMissing {
            facts.lines.insert(CascadeFacts.Line(level: 0, item: nil), at: 0)
            texts.insert("(its beginning is missing)", at: 0)
        }
        let joined = Self.join(
            zip(facts.lines, texts).map {
                Line(level: $0.level, text: $1, hasRefreshes: !$0.refreshes.isEmpty)
            },
            width: width)
        var drawn = Self.draw(joined)
        if omitted > 0 { drawn.append(style(.faint, "   … and \(Figures.count(omitted)) more")) }
        if cascade.isEndMissing { drawn.append(style(.warning, "   (the recording ends here)")) }
        return drawn
    }

    /// Moves the only effect of a line behind that line if there is room.
    static func join(_ lines: [Line], width: Int) -> [Line] {
        var lines = lines
        var index = lines.count - 2
        while index >= 0 {
            let level = lines[index].level
            let end = lines[(index + 1)...].firstIndex { $0.level <= level } ?? lines.count
            let effects = lines[(index + 1)..<end].count { $0.level == level + 1 }
            // Refreshes of a line count as effects, too.
            if effects == 1, !lines[index].hasRefreshes, lines[index + 1].level == level + 1 {
                let joined = lines[index].text + " → " + lines[index + 1].text
                if Style.width(joined) + 3 * level <= width {
                    lines[index].text = joined
                    lines[index].hasRefreshes = lines[index + 1].hasRefreshes
                    for moved in (index + 2)..<max(index + 2, end) { lines[moved].level -= 1 }
                    lines.remove(at: index + 1)
                }
            }
            index -= 1
        }
        return lines
    }

    /// Adds the branches that connect each line to its cause.
    static func draw(_ lines: [Line]) -> [String] {
        // From the last line to the first: a level is open if a later sibling follows at that level.
        var open: [Bool] = []
        var drawn: [String] = []
        for line in lines.reversed() {
            let level = line.level
            if open.count > level + 1 { open.removeSubrange((level + 1)...) }
            while open.count < level + 1 { open.append(false) }
            var prefix = ""
            if level > 0 {
                for above in 1..<level { prefix += open[above] ? "│  " : "   " }
                prefix += open[level] ? "├─ " : "╰─ "
            }
            open[level] = true
            drawn.append(prefix + line.text)
        }
        return drawn.reversed()
    }

    private func isFeed(_ event: TraceEvent) -> Bool {
        guard let subscription = definitions.subscriptions[event.subject] else { return false }
        return subscription.isInternal || subscription.target != nil
    }

    private func text(_ line: CascadeFacts.Line) -> String {
        guard let item = line.item else { return "" }
        let event = item.event
        switch event.kind {
        case .stimulusBegan: return style(.strong, TerminalText.cut(TerminalText.escaped(event.text), to: 80))
        case .emitted where !event.isReplayed:
            return "\(phrases.node(event.subject)) = \(phrases.value(of: event))" + refreshes(line)
        case .emitted, .completed, .failed: return phrases.phrase(event) + refreshes(line)
        case .hopBegan:
            // A hop that does not begin the cascade is drawn below its cause.
            return item.level == 0 && event.cause != nil
                ? "continued" + phrases.hop(event) : "hop" + phrases.hop(event, withCause: false)
        case .batchBegan: return style(.strong, "batch")
        case .suppressed:
            return "\(phrases.node(event.subject)) "
                + style(.warning, "stops: " + phrases.reason(event))
        case .deliveryBegan, .deliveryNext:
            if isFeed(event) { return phrases.phrase(event) + style(.faint, ", which made nothing of it") }
            return phrases.phrase(event) + slowness(item)
        default: return phrases.phrase(event)
        }
    }

    private func refreshes(_ line: CascadeFacts.Line) -> String {
        guard let first = line.refreshes.first else { return "" }
        let others = line.refreshes.count - 1
        return " · " + phrases.phrase(first.event) + slowness(first)
            + (others > 0 ? " and \(Figures.count(others, "other"))" : "")
    }

    /// The duration of a delivery, if it is long enough to mention.
    private func slowness(_ item: Cascade.Item) -> String {
        let time = item.deliveryTicks.map { timeScale.nanoseconds(ticks: $0) } ?? 0
        return time >= 1_000_000 ? style(.faint, " (\(Figures.duration(nanoseconds: time)))") : ""
    }
}

/// The facts of a cascade that get a line of their own, each with its level in the drawn tree.
struct CascadeFacts {
    struct Line {
        var level: Int
        /// Nil for a line about events that the trace lacks.
        var item: Cascade.Item?
        /// For an emission, completion or failure: the deliveries to handlers that caused nothing further.
        var refreshes: [Cascade.Item] = []
    }

    var lines: [Line] = []

    // A feedback loop may nest endlessly; its tree must still fit a page.
    private static let deepest = 24

    init(_ cascade: Cascade, isFeed: (TraceEvent) -> Bool) {
        // Per level of the cascade: the shift to the left, and the line that represents the level.
        var shifts: [Int] = []
        var lineOfLevel: [Int?] = []
        for (index, item) in cascade.items.enumerated() {
            if shifts.count > item.level {
                shifts.removeSubrange(item.level...)
                lineOfLevel.removeSubrange(item.level...)
            }
            while shifts.count < item.level {
                shifts.append(shifts.last ?? 0)
                lineOfLevel.append(lineOfLevel.last ?? nil)
            }
            let shift = shifts.last ?? 0
            let isDelivery = item.event.kind == .deliveryBegan || item.event.kind == .deliveryNext
            let causesNothing = index + 1 == cascade.items.count || cascade.items[index + 1].level <= item.level
            if isDelivery, item.event.isSettling || !causesNothing && isFeed(item.event) {
                shifts.append(shift + 1)
                lineOfLevel.append(lineOfLevel.last ?? nil)
            } else if isDelivery, causesNothing, !isFeed(item.event), let emission = lineOfLevel.last ?? nil,
                let kind = lines[emission].item?.event.kind, [.emitted, .completed, .failed].contains(kind)
            {
                lines[emission].refreshes.append(item)
                shifts.append(shift)
                lineOfLevel.append(emission)
            } else {
                shifts.append(shift)
                lineOfLevel.append(lines.count)
                lines.append(Line(level: min(item.level - shift, Self.deepest), item: item))
            }
        }
    }
}
