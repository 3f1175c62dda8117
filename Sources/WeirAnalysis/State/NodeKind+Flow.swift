import WeirTrace

/// How nodes of a kind take part in the flow.
extension NodeKind {
    /// It exists once, however many listen, and all hear the same; any other kind runs anew for each subscription.
    var isHot: Bool {
        switch self {
        case .observable, .emitter, .combiner, .observer, .command, .channel, .array, .binding, .share, .replay: true
        default: false
        }
    }

    /// It runs a function of the program for a value of its own: what it does is an evaluation.
    var computes: Bool {
        switch self {
        case .combiner, .map, .compactMap, .filter, .scan, .combineLatest, .zip, .withLatest: true
        default: false
        }
    }
}
