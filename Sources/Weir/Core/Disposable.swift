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
public class Disposable {
    @exclusivity(unchecked) private final var isEnded = false
    private final var action: (() -> Void)?

    init() {}

    /// A disposable that runs `action` when it is first disposed, and releases it then.
    public init(_ action: @escaping () -> Void) { self.action = action }

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
}

/// A subscription to a signal, in its subscriber's hands.
final class Subscription<Value>: Disposable {
    private var source: Signal<Value>?
    private let key: UInt64

    init(_ source: Signal<Value>, key: UInt64) {
        self.source = source
        self.key = key
        super.init()
    }

    override func end(_ reason: SubscriptionEndReason) {
        source?.remove(key, reason)
        source = nil
    }
}
