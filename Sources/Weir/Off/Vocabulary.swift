#if !Recording
// The words of `WeirTrace` that `Weir` uses. `OffVocabularyTests` compares them with the originals.

@usableFromInline
enum NodeKind {
    case observable, emitter, combiner, observer, source, command, channel, array, binding, foreign, execution, map,
        compactMap, filter, removeDuplicates, scan, flatMap, combineLatest, zip, merge, concat, startWith, withLatest,
        take, skip,
        takeUntil, skipUntil, throttle, debounce, delay, timeout, buffer, sample, retry, `catch`, materialize,
        dematerialize, share, replay, onEvent, deliver, subscribe, disclose, current, changes, reduce, collect, last,
        race, multicast, print
}

@usableFromInline
enum SuppressionReason {
    case equal, filtered, waiting, disabled, noSubscriber, batched, superseded, afterCompletion, disposed, unsettled,
        executing, echoed
}

@usableFromInline
enum SubscriptionEndReason {
    case disposed, bag, sourceReleased, completed, failed, failedUnhandled, targetReleased
}

@usableFromInline
enum NodeStrategy {
    case first, all, every, settled
}

typealias NodeTechnique = TraceTechnique

/// The technique by which a node gets into a trace.
public enum TraceTechnique: UInt8, CaseIterable, Sendable {
    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    case weir, traced, observation, render, combine, published, asyncSequence, callback, foreign
}

/// Lets a type define how it is logged.
public protocol TraceValueConvertible {
    /// The readable text for the trace.
    var traceDescription: String { get }
}
#endif
