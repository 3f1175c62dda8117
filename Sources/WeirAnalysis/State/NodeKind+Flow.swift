import WeirTrace

/// Which nodes of a kind are hot, and which compute.
extension NodeKind {
    /// Whether it exists once for all its subscribers; any other kind runs anew for each subscription.
    package var isHot: Bool {
        switch self {
        case .observable, .emitter, .combiner, .observer, .command, .execution, .channel, .array, .binding, .share,
            .replay:
            true
        default: false
        }
    }

    /// Whether it may pass values on later, in a hop of their own.
    var schedules: Bool {
        switch self {
        case .deliver, .subscribe, .delay, .debounce, .throttle, .timeout, .buffer, .sample, .retry: true
        default: false
        }
    }

    /// Whether it runs a function of the program to produce a value, which counts as an evaluation.
    var computes: Bool {
        switch self {
        case .combiner, .map, .compactMap, .filter, .scan, .combineLatest, .zip, .withLatest: true
        default: false
        }
    }
}
