import Weir
import WeirTesting

/// An applied operator: from one signal of numbers to another.
struct AppliedOperator: Sendable {
    let name: String
    let apply: @Sendable (Signal<Int>, Context) -> Signal<Int>

    /// The other inputs of an operator, besides its source.
    struct Context: Sendable {
        let stage: CleanupStage
        let token: CleanupStage.Token

        var time: VirtualScheduler { stage.time }
        /// Another source whose subscriptions are counted.
        var other: Signal<Int> { stage.source(holding: token) }
        /// Returns the same number; closures that call it hold the token.
        func use(_ number: Int) -> Int { withExtendedLifetime(token) { number } }
    }

    init(_ name: String, _ apply: @escaping @Sendable (Signal<Int>, Context) -> Signal<Int>) {
        self.name = name
        self.apply = apply
    }

    /// The name of the function: `merge` for `merge (static)`.
    var function: String { name.prefix { $0 != " " && $0 != "(" }.description }
}

extension AppliedOperator {
    static let all = passing + keepingState + timed + ofSeveralSources + flattening + sharing

    static let passing: [AppliedOperator] = [
        AppliedOperator("map") { source, context in source.map { context.use($0) } },
        AppliedOperator("map (throwing)") { source, context in
            source.map { number throws -> Int in
                if number == 99 { throw CleanupStage.Refusal() }
                return context.use(number)
            }
        },
        AppliedOperator("compactMap") { source, context in source.compactMap { $0 == 2 ? nil : context.use($0) } },
        AppliedOperator("filter") { source, context in source.filter { context.use($0) != 2 } },
        AppliedOperator("disclosed") { source, _ in source.disclosed() },
        AppliedOperator("onEvent") { source, context in source.onEvent { _ in _ = context.use(0) } },
        AppliedOperator("materialize") { source, _ in source.materialize().dematerialize() },
        AppliedOperator("dematerialize") { source, context in
            source.map { Event.next(context.use($0)) }.dematerialize()
        },
        AppliedOperator("startWith") { source, _ in source.startWith(0) },
    ]

    static let keepingState: [AppliedOperator] = [
        AppliedOperator("scan") { source, context in source.scan(0) { context.use($0 + $1) } },
        AppliedOperator("removeDuplicates") { source, _ in source.removeDuplicates() },
        AppliedOperator("removeDuplicates (by key)") { source, context in
            source.removeDuplicates(by: { context.use($0) })
        },
        AppliedOperator("removeDuplicates (by ==)") { source, context in
            source.removeDuplicates(by: { context.use($0) == $1 })
        },
        AppliedOperator("skip") { source, _ in source.skip(1) },
        AppliedOperator("skip (while)") { source, context in source.skip(while: { context.use($0) < 2 }) },
        AppliedOperator("take") { source, _ in source.take(3) },
        AppliedOperator("take (of none)") { source, context in source.merge(context.other.take(0)) },
        AppliedOperator("take (while)") { source, context in source.take(while: { context.use($0) < 3 }) },
        AppliedOperator("buffer (count)") { source, _ in source.buffer(count: 2).map(\.count) },
        AppliedOperator("catch") { source, context in source.catch { _ in context.other } },
        AppliedOperator("collect") { source, _ in source.collect().map(\.count) },
        AppliedOperator("reduce") { source, context in source.reduce(0) { context.use($0 + $1) } },
        AppliedOperator("last") { source, _ in source.last() },
        AppliedOperator("last (default)") { source, _ in source.last(default: 0) },
        AppliedOperator("print") { source, _ in source.print("value", to: Silence()) },
        AppliedOperator("retry (times)") { source, _ in source.retry(2) },
        AppliedOperator("retry") { source, _ in source.retry() },
        AppliedOperator("retry (if)") { source, context in source.retry(if: { _ in context.use(1) == 0 }) },
    ]

    static let timed: [AppliedOperator] = [
        AppliedOperator("buffer (time)") { source, context in
            source.buffer(time: .seconds(1), on: context.time).map(\.count)
        },
        AppliedOperator("retry (after)") { source, context in
            source.retry(2, after: .constant(.milliseconds(100)), on: context.time)
        },
        AppliedOperator("debounce") { source, context in source.debounce(.milliseconds(100), on: context.time) },
        AppliedOperator("throttle") { source, context in source.throttle(.seconds(1), on: context.time) },
        AppliedOperator("throttle (first)") { source, context in
            source.throttle(.seconds(1), latest: false, on: context.time)
        },
        AppliedOperator("delay") { source, context in source.delay(.seconds(1), on: context.time) },
        AppliedOperator("deliver") { source, context in source.deliver(on: context.time) },
        AppliedOperator("subscribe") { source, context in source.subscribe(on: context.time) },
        AppliedOperator("timeout") { source, context in source.timeout(.seconds(1), on: context.time) },
        AppliedOperator("timeout (substitute)") { source, context in
            source.timeout(.seconds(1), on: context.time) { context.other }
        },
        AppliedOperator("sample (every)") { source, context in source.sample(every: .seconds(1), on: context.time) },
    ]

    static let ofSeveralSources: [AppliedOperator] = [
        AppliedOperator("race") { source, context in source.race(context.other) },
        AppliedOperator("race (static)") { source, context in Signal<Int>.race([context.other, source, context.other])
        },
        AppliedOperator("merge") { source, context in source.merge(context.other) },
        AppliedOperator("merge (static)") { source, context in
            Signal<Int>.merge([source, context.other, context.other])
        },
        AppliedOperator("concat") { source, context in source.concat(context.other) },
        AppliedOperator("concat (static)") { source, context in Signal<Int>.concat([context.other, source]) },
        AppliedOperator("combineLatest") { source, context in
            source.combineLatest(context.other) { context.use($0 + $1) }
        },
        AppliedOperator("combineLatest (three)") { source, context in
            source.combineLatest(context.other, context.other).map { $0.0 + $0.1 + $0.2 }
        },
        AppliedOperator("combineLatest (four)") { source, context in
            context.other.combineLatest(source, context.other, context.other).map { $0.0 + $0.3 }
        },
        AppliedOperator("combineLatest (static)") { source, context in
            Signal<Int>.combineLatest([source, context.other, context.other]).map(\.count)
        },
        AppliedOperator("zip") { source, context in source.zip(context.other) { context.use($0 + $1) } },
        AppliedOperator("zip (three)") { source, context in
            source.zip(context.other, context.other).map { $0.0 + $0.1 + $0.2 }
        },
        AppliedOperator("zip (four)") { source, context in
            context.other.zip(source, context.other, context.other).map { $0.0 + $0.3 }
        },
        AppliedOperator("zip (static)") { source, context in
            Signal<Int>.zip([source, context.other, context.other]).map(\.count)
        },
        AppliedOperator("withLatest") { source, context in
            source.withLatest(from: context.other) { context.use($0 + $1) }
        },
        AppliedOperator("withLatest (of it)") { source, context in
            context.other.withLatest(from: source).map { $0.0 + $0.1 }
        },
        AppliedOperator("sample") { source, context in source.sample(on: context.other) },
        AppliedOperator("takeUntil") { source, context in source.takeUntil(context.other.skip(2)) },
        AppliedOperator("takeUntil (it)") { source, context in context.other.takeUntil(source.skip(2)) },
        AppliedOperator("skipUntil") { source, context in source.skipUntil(context.other) },
        AppliedOperator("skipUntil (it)") { source, context in context.other.skipUntil(source) },
    ]

    static let flattening: [AppliedOperator] = [
        AppliedOperator("flatMap (merge)") { source, context in source.flatMap(.merge) { _ in context.other } },
        AppliedOperator("flatMap (latest)") { source, context in source.flatMap(.latest) { _ in context.other } },
        AppliedOperator("flatMap (concat)") { source, context in source.flatMap(.concat) { _ in context.other } },
        AppliedOperator("flatMap (first)") { source, context in source.flatMap(.first) { _ in context.other } },
        AppliedOperator("flatMap (merge, of it)") { source, _ in Signal.just(1).flatMap(.merge) { _ in source } },
        AppliedOperator("flatMap (latest, of it)") { source, _ in Signal.just(1).flatMap(.latest) { _ in source } },
        AppliedOperator("flatMap (concat, of it)") { source, _ in Signal.just(1).flatMap(.concat) { _ in source } },
        AppliedOperator("flatMap (first, of it)") { source, _ in Signal.just(1).flatMap(.first) { _ in source } },
        AppliedOperator("flatten (merge)") { source, context in source.map { _ in context.other }.flatten(.merge) },
        AppliedOperator("flatten (latest)") { source, context in source.map { _ in context.other }.flatten(.latest) },
        AppliedOperator("flatten (concat)") { source, context in source.map { _ in context.other }.flatten(.concat) },
        AppliedOperator("flatten (first)") { source, context in source.map { _ in context.other }.flatten(.first) },
    ]

    static let sharing: [AppliedOperator] = [
        AppliedOperator("share") { source, _ in source.share() },
        AppliedOperator("share (twice)") { source, _ in
            let shared = source.share()
            return shared.merge(shared)
        },
        AppliedOperator("replay") { source, _ in source.replay(2) },
        AppliedOperator("replay (twice)") { source, _ in
            let shared = source.replay(2)
            return shared.merge(shared)
        },
    ]
}

/// Discards printed lines.
private struct Silence: TextOutputStream, Sendable {
    func write(_ string: String) {}
}
