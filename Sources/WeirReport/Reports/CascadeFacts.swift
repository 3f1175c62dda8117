import WeirAnalysis
import WeirTrace

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
