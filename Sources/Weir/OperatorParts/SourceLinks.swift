import CWeirCore
import WeirRecording

/// The subscriptions of an operator that has several sources, or that ends its subscriptions itself.
///
/// One thread at a time runs in such an operator: deliveries of its sources, their ends and the cleanup at the end go through
/// `serializer`.
///
/// The operator's sinks hold this object, which can end the subscriptions; they must not hold the sources. The token that the
/// subscriber receives holds the sources. The operator chooses a key for each source.
/// ```swift
/// let links = SourceLinks(feeding: downstream)
/// return links.token { links.attach(sink, to: source, key: 0) }
/// ```
@usableFromInline
final class SourceLinks<Output>: AnySourceLinks, @unchecked Sendable {  // Adds a constant.
    @usableFromInline let downstream: Sink<Output>

    /// - Parameter onCut: called once when everything ends, to cancel timers and release stored values.
    @usableFromInline
    init(feeding downstream: Sink<Output>, onCut: (() -> Void)? = nil) {
        self.downstream = downstream
        super.init(onCut: onCut)
    }

    /// Ends everything: the downstream first, then the subscriptions.
    @usableFromInline
    func finish(_ ending: Ending) {
        downstream.finish(ending)
        cutAll(.disposed)
    }

    override func cancel(_ reason: SubscriptionEndReason) {
        downstream.cancel(reason)
        cutAll(reason)
    }
}

/// The part of `SourceLinks` that does not depend on the type of its values.
///
/// Not generic, as `Subscription`: unspecialised code would look up each type that it mentions at run time.
@usableFromInline
class AnySourceLinks: @unchecked Sendable {  // The gate guards the links; the rest never changes.
    private enum Link {
        /// `attach` has not returned yet: the source may already be delivering, and may not stop by itself.
        ///
        /// Not retained, since the sink holds this object: `attach` keeps it alive while the link is in this state.
        case attaching(AttachingSink)
        /// Ended while attaching.
        case ended
        case linked(Disposable)

        /// The work that ends it; to be asked for inside the gate, and called outside.
        var end: LinkEnd? {
            switch self {
            case .attaching(let attaching): .sink(attaching.sink)
            case .linked(let link): .link(link)
            case .ended: nil
            }
        }
    }

    @usableFromInline final let serializer = Serializer()
    private final let onCut: (() -> Void)?
    @exclusivity(unchecked) private final var gate = weir_gate()
    @exclusivity(unchecked) private final var links: [Int: Link] = [:]
    @exclusivity(unchecked) private final var isCut = false
    private final weak var token: SourcesToken?

    fileprivate init(onCut: (() -> Void)?) { self.onCut = onCut }

    /// The subscriber's token; it holds the sources that `body` attaches, those attached later, and `waiting`, which are attached
    /// later.
    @usableFromInline
    final func token(holding waiting: [Node] = [], _ body: () -> Void) -> Disposable {
        let token = SourcesToken(self, holding: waiting)
        self.token = token
        body()
        return token
    }

    /// Subscribes `sink` to `source`, unless everything has ended.
    ///
    /// - Parameter isSerial: whether the sink's closures deliver to `downstream`, and so take turns with those of other sinks.
    @usableFromInline
    final func attach<Value>(_ sink: Sink<Value>, to source: Signal<Value>, key: Int, isSerial: Bool = true) {
        if isSerial { sink.enter(through: serializer) }
        if beginsAttaching(sink, key: key) { endAttaching(source.attach(sink), key: key) }
    }

    private final func beginsAttaching(_ sink: any CancellableSink, key: Int) -> Bool {
        HeldGate.inside(&gate) {
            if !isCut { links[key] = .attaching(AttachingSink(sink: sink)) }
            return !isCut
        }
    }

    private final func endAttaching(_ subscription: Disposable, key: Int) {
        let link = subscription.weakened()
        let token = token
        // Before the other threads know of it: a thread that ends it then finds it in the token and releases it.
        token?.hold(subscription, key: key)
        let hasEnded = HeldGate.inside(&gate) {
            if case .ended? = links[key] { links[key] = nil } else if !isCut { links[key] = .linked(link) }
            return links[key] == nil || isCut
        }
        guard hasEnded else { return }
        subscription.dispose(.disposed)
        token?.release(key: key)
    }

    /// Ends the subscription to one source, or registers that it has ended.
    @usableFromInline
    final func cut(_ key: Int, _ reason: SubscriptionEndReason = .disposed) {
        let end = HeldGate.inside(&gate) { () -> LinkEnd? in
            let link = links[key]
            if case .linked? = link { links[key] = nil } else if link != nil { links[key] = .ended }
            return link?.end
        }
        end?(reason)
        // Only now: the token may be the only owner of the subscription that has just ended.
        token?.release(key: key)
    }

    /// Ends all subscriptions; later ones are refused.
    @usableFromInline
    final func cutAll(_ reason: SubscriptionEndReason) {
        let (isFirst, ends) = HeldGate.inside(&gate) { () -> (Bool, [LinkEnd]) in
            defer {
                isCut = true
                links = [:]
            }
            // Most operators have one source, which needs no order.
            if links.count == 1, let end = links.first?.value.end { return (!isCut, [end]) }
            return (!isCut, links.keys.sorted().compactMap { links[$0]?.end })
        }
        for end in ends { end(reason) }
        if isFirst, let onCut { serializer.run(onCut) }
        // Only now: the token may be the only owner of the subscriptions that have just ended.
        token?.releaseAll()
    }

    /// Ends the subscription to the operator, then those to its sources.
    fileprivate func cancel(_ reason: SubscriptionEndReason) {}
}

/// A sink of any value.
private protocol CancellableSink: AnyObject {
    func cancel(_ reason: SubscriptionEndReason)
}

extension Sink: CancellableSink {}

private struct AttachingSink {
    unowned(unsafe) let sink: any CancellableSink
}

/// The retained work that ends a link.
private enum LinkEnd {
    case sink(any CancellableSink)
    case link(Disposable)

    func callAsFunction(_ reason: SubscriptionEndReason) {
        switch self {
        case .sink(let sink): sink.cancel(reason)
        case .link(let link): link.dispose(reason)
        }
    }
}

/// The token of a subscriber to an operator with `SourceLinks`: holds the sources until everything has ended.
final class SourcesToken: Disposable, @unchecked Sendable {  // The gate guards all of its state.
    @exclusivity(unchecked) private var gate = weir_gate()
    @exclusivity(unchecked) private var links: AnySourceLinks?
    @exclusivity(unchecked) private var subscriptions: [Int: Disposable] = [:]
    @exclusivity(unchecked) private var waiting: [Node]

    fileprivate init(_ links: AnySourceLinks, holding waiting: [Node]) {
        self.links = links
        self.waiting = waiting
        super.init()
    }

    fileprivate func hold(_ subscription: Disposable, key: Int) { exchange(subscription, key: key) }
    fileprivate func release(key: Int) { exchange(nil, key: key) }

    private func exchange(_ subscription: Disposable?, key: Int) {
        var former = subscription
        HeldGate.inside(&gate) { swap(&subscriptions[key], &former) }
        // Only here, outside of the gate: releasing it may run anything.
        withExtendedLifetime(former) {}
    }

    fileprivate func releaseAll() {
        var former = HeldGate.inside(&gate) {
            () -> (links: AnySourceLinks?, subscriptions: [Int: Disposable], [Node]) in
            defer { (links, subscriptions, waiting) = (nil, [:], []) }
            return (links, subscriptions, waiting)
        }
        if former.subscriptions.count > 1 {
            // In order, because releases are recorded.
            for key in former.subscriptions.keys.sorted() { former.subscriptions[key] = nil }
        }
        withExtendedLifetime(former) {}
    }

    deinit { releaseAll() }

    private var knownLinks: AnySourceLinks? { HeldGate.inside(&gate) { links } }

    override func end(_ reason: SubscriptionEndReason) { knownLinks?.cancel(reason) }

    override func weakened() -> Disposable { LinksCutter(knownLinks) }
}

/// Ends the subscriptions of an operator further up the chain.
///
/// The sink that the links feed holds this object, so it must not hold the links: the operator's own sinks do.
private final class LinksCutter: Disposable, @unchecked Sendable {
    private weak var links: AnySourceLinks?

    init(_ links: AnySourceLinks?) {
        self.links = links
        super.init()
    }

    override func end(_ reason: SubscriptionEndReason) { links?.cancel(reason) }
}
