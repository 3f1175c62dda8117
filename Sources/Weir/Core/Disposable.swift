import CWeir
import WeirTrace

/// Ends something, once: a subscription, or whatever a closure ends.
///
/// ```swift
/// let subscription = username.subscribe { print($0) }
/// subscription.dispose()
/// ```
/// Releasing a `Disposable` ends nothing. A subscription's keeps alive what it subscribes to until it is disposed.
/// Any thread may dispose; the second time and every later one do nothing.
public class Disposable: @unchecked Sendable {
    @exclusivity(unchecked) private final var isEnded = false
    private final var action: (() -> Void)?

    init() {}

    /// A disposable that runs `action` when it is first disposed, and releases it then.
    ///
    /// An action that is made in an actor's isolation runs there: at once if `dispose()` is called there, else a moment later.
    public init(@_inheritActorContext _ action: @escaping @Sendable @isolated(any) () -> Void) {
        let home = action.isolation.map(Home.init)
        let action = Isolation.action(action)
        self.action = home.map { home in { home.run(action) } } ?? action
    }

    /// For what is known to be safe on the thread that disposes.
    init(plain action: @escaping () -> Void) { self.action = action }

    /// What is over already.
    @usableFromInline
    static func ended() -> Disposable { Disposable() }

    /// Ends what this stands for; a subscription's closure is released before this returns, unless it is being delivered to.
    public final func dispose() { dispose(.disposed) }

    /// Leaves the ending to the bag, which disposes when it is emptied or released.
    public final func disposed(by bag: DisposeBag) { bag.add(self) }

    final func dispose(_ reason: SubscriptionEndReason) {
        guard !weir_exchange_bool(&isEnded, true) else { return }
        end(reason)
    }

    func end(_ reason: SubscriptionEndReason) {
        action?()
        action = nil
    }

    /// What ends the same, and holds no source.
    func weakened() -> Disposable { self }
}

/// A subscription to a subject, in its subscriber's hands.
///
/// Not generic: code that is not specialised makes it, and would have to ask the runtime for its type.
final class Subscription: Disposable, @unchecked Sendable {
    private var source: Node?
    private let key: UInt64

    init(_ source: Node, key: UInt64) {
        self.source = source
        self.key = key
        super.init()
    }

    override func end(_ reason: SubscriptionEndReason) {
        source?.removeSubscription(key, reason)
        source = nil
    }

    override func weakened() -> Disposable { WeakSubscription(source, key: key) }
}

/// A subscription in the hands of an operator, which must not hold what it subscribes to.
private final class WeakSubscription: Disposable, @unchecked Sendable {
    private weak var source: Node?
    /// What computes the source, where that is a combiner: its heir can take its place.
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
