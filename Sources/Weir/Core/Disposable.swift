import CWeirCore
import WeirRecording

/// Ends something once: a subscription, or anything else that a closure ends.
///
/// ```swift
/// let subscription = username.subscribe { print($0) }
/// subscription.dispose()
/// ```
/// Releasing a `Disposable` ends nothing. A subscription keeps its source alive until it is disposed. Any thread may dispose;
/// every call after the first does nothing.
public class Disposable: @unchecked Sendable {
    @exclusivity(unchecked) private final var isEnded = false
    private final var action: (() -> Void)?

    init() {}

    /// A disposable that runs `action` when it is first disposed, and then releases it.
    ///
    /// An action that is made in an actor's isolation runs there: at once if `dispose()` is called there, otherwise a moment later.
    public init(@_inheritActorContext _ action: @escaping @Sendable @isolated(any) () -> Void) {
        let home = action.isolation.map(Home.init)
        let action = Isolation.action(action)
        self.action = home.map { home in { home.run(action) } } ?? action
    }

    /// For actions that are known to be safe on the disposing thread.
    init(plain action: @escaping () -> Void) { self.action = action }

    /// A disposable that is already over.
    @usableFromInline
    static func ended() -> Disposable { Disposable() }

    /// Ends the subscription or work; a subscription's closure is released before this returns, unless a delivery to it is running.
    public final func dispose() { dispose(.disposed) }

    /// Leaves the disposal to the bag, which disposes when it is emptied or released.
    public final func disposed(by bag: DisposeBag) { bag.add(self) }

    final func dispose(_ reason: SubscriptionEndReason) {
        guard !weir_exchange_bool(&isEnded, true) else { return }
        end(reason)
    }

    func end(_ reason: SubscriptionEndReason) {
        action?()
        action = nil
    }

    /// A disposable that ends the same subscription but holds no source.
    func weakened() -> Disposable { self }
}

/// A subscription to a subject, held by its subscriber.
///
/// Not generic: unspecialised code makes it, and would have to look up its type at run time.
final class Subscription: Disposable, @unchecked Sendable {
    private var source: Node?
    private let key: UInt64

    init(_ source: Node, key: UInt64) {
        self.source = source
        self.key = key
        super.init()
    }

    override func end(_ reason: SubscriptionEndReason) {
        var ended: Node?
        swap(&source, &ended)
        ended?.removeSubscription(key, reason)
    }

    override func weakened() -> Disposable { WeakSubscription(source, key: key) }
}

/// A subscription that an operator holds; the operator must not hold its source.
private final class WeakSubscription: Disposable, @unchecked Sendable {
    private weak var source: Node?
    /// The evaluation of a source that is a combiner: the combiner's heir can replace it.
    private weak var evaluation: Evaluation?
    private let key: UInt64

    init(_ source: Node?, key: UInt64) {
        self.source = source
        evaluation = source?.evaluation
        self.key = key
        super.init()
    }

    override func end(_ reason: SubscriptionEndReason) {
        (source ?? evaluation?.combiner)?.removeSubscription(key, reason)
        source = nil
        evaluation?.releaseIfForgotten()
    }
}

/// Disposes its contents when it is emptied or released.
///
/// ```swift
/// let bag = DisposeBag()
/// username.subscribe { print($0) }.disposed(by: bag)
/// ```
/// Any thread may add, empty and release. A disposable that is added while the bag is emptied is disposed at the next emptying.
public final class DisposeBag {
    @exclusivity(unchecked) private var gate = weir_gate()
    @exclusivity(unchecked) private var disposables: [Disposable] = []

    /// An empty bag.
    public init() {}

    deinit { empty() }

    /// Adds a disposable to the bag.
    public func add(_ disposable: Disposable) { HeldGate.inside(&gate) { disposables.append(disposable) } }

    /// Disposes everything in the bag in the order of adding; the bag can be used again.
    public func dispose() { empty() }

    private func empty() {
        var all: [Disposable] = []
        HeldGate.inside(&gate) { swap(&all, &disposables) }
        for disposable in all { disposable.dispose(.bag) }
    }
}

extension DisposeBag: @unchecked Sendable {}  // The gate guards the mutable state.
