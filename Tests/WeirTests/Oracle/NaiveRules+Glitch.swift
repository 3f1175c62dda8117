import WeirTrace

@testable import WeirAnalysis

extension NaiveRules {
    /// `glitch`.
    mutating func judgeGlitches() {
        for (emission, later) in superseding {
            guard let home = home(emission, superseding) else { continue }
            if home == emission {
                count(.glitch, emission, node: events[emission].subject)
                if isInLoop(later) { change(.glitch, events[emission].subject, 0) { $0.inLoop += 1 } }
            }
            for refresh in refreshes where refresh.emission == emission {
                // A refresh by another thread in between makes this one a wanted one.
                let next = refreshes.first {
                    $0.subscription == refresh.subscription && $0.position > refresh.position
                }
                if next?.emission == later { waste(.glitch, refresh, node: events[home].subject) }
            }
        }
    }

    /// For each superseded emission, the position of the emission that supersedes it.
    var allSuperseding: [Int: Int] {
        let following = following
        return following.filter { supersedes($1, $0, following) }
    }

    /// For each emission, the position of the node's next emission in the same turn, if any.
    private var following: [Int: Int] {
        let emissions = events.indices.filter { events[$0].isNewValue && kind(events[$0].subject) != .emitter }
        var following: [Int: Int] = [:]
        for unordered in Dictionary(grouping: emissions, by: { events[$0].subject }).values {
            // An emission of a cold node counts from its first delivery; another thread's emission may come in between.
            let own = unordered.sorted { whenItsRunIsKnown($0) < whenItsRunIsKnown($1) }
            for (place, emission) in own.enumerated() {
                // An emission by another thread in between separates them.
                let next = own.dropFirst(place + 1).first { areOfOneRun(emission, $0) }
                if let next, turn(emission) == turn(next) { following[emission] = next }
            }
        }
        return following
    }

    private func whenItsRunIsKnown(_ emission: Int) -> Int {
        run(emission) == nil ? emission : opened[emission]?.deliveries.first?.position ?? emission
    }

    /// Whether the emission at `later` reached its node by another flow than the one at `emission`.
    private func supersedes(_ later: Int, _ emission: Int, _ following: [Int: Int]) -> Bool {
        if hasFrameMarks && screens[emission] != screens[later] { return false }
        let frames = around[emission] + [opened[emission]].compactMap(\.self)
        let common = frames.last { frame in around[later].contains { $0.opening == frame.opening } }
        guard let common else { return false }
        let inside = [emission, later].map { position in
            emissions(around: position).last { $0.opening > common.opening }?.opening
        }
        var isIndirect = inside.contains { $0 != nil }
        if let former = inside[0], let latter = inside[1], events[former].subject == events[latter].subject {
            isIndirect = following[former] == latter && supersedes(latter, former, following)
        }
        switch events[common.opening].kind {
        case .emitted where events[common.opening].subject != events[emission].subject:
            guard let former = delivery(common, at: emission), let latter = delivery(common, at: later) else {
                return false
            }
            return former.position != latter.position || former.subscription == 0 || isIndirect
        case .batchBegan, .hopBegan: return isIndirect
        default: return false
        }
    }

    /// The delivery of a frame; subscription 0 means that it was settling.
    private func delivery(_ frame: NaiveFrame, at position: Int) -> (position: Int, subscription: UInt32)? {
        frame.deliveries.last { $0.position < position }
    }

    /// The position of the emission whose finding includes this one: where the flows join; nil if they do not.
    private func home(_ emission: Int, _ superseding: [Int: Int]) -> Int? {
        if let outer = emissions(around: emission).last?.opening, let later = superseding[emission],
            let outerLater = emissions(around: later).last?.opening, superseding[outer] == outerLater,
            let home = home(outer, superseding)
        {
            return home
        }
        let joining: [NodeKind?] = [.observable, .combiner, .channel, .combineLatest]
        guard let node = naive.definitions.nodes[events[emission].subject], !isOfCommand(node) else { return nil }
        return joining.contains(node.kind) ? emission : nil
    }
}
