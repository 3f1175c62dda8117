import CWeir
import WeirTrace

/// By which means a node comes into a trace; of the module `WeirTrace`, which an app need not import.
public typealias TraceTechnique = WeirTrace.NodeTechnique

/// Brings an observable of another library into traces: as a node, with its subscriptions, its emissions and its ends.
///
/// ```swift
/// extension Feed {
///     func traced(_ name: String, file: StaticString = #fileID, line: UInt = #line) -> Feed {
///         let probe = TraceProbe(name, of: Int.self, file: file, line: line)
///         return Feed { listener in
///             let subscription = probe.subscribed(file: file, line: line)
///             let stop = self.listen { value in subscription.emitted(value) { listener(value) } }
///             return {
///                 stop()
///                 subscription.disposed()
///             }
///         }
///     }
/// }
/// ```
/// One probe for each observable, one ``Subscription`` for each of its subscribers: each emission goes to one subscription,
/// as with a cold ``Signal``. What is emitted inside the body of an emission is caused by it. A probe found in a property of
/// an adopted model is named after that.
///
/// Any thread may call any function. Cost: one allocation for a probe, two for a subscription; an emission allocates nothing,
/// and is one predictable branch while nothing is recorded. Everything is defined in a trace when it is first mentioned.
public class TraceProbe: Node, @unchecked Sendable {  // Has constants; the state of `Node` is atomic or guarded.
    private let name: String?
    private let type: Any.Type?
    private let means: TraceTechnique

    /// A probe for an observable whose values are of type `type`.
    ///
    /// - Parameters:
    ///   - name: what traces call it; nil: the line that made it.
    ///   - technique: what the observable is; `weir redundant` says in the words of that what would cure a finding.
    ///   - privacy: `.private` keeps values and errors out of every trace.
    public init(
        _ name: String? = nil, of type: Any.Type? = nil, technique: TraceTechnique = .foreign,
        privacy: TracePrivacy = .public, file: StaticString = #fileID, line: UInt = #line
    ) {
        self.name = name
        self.type = type
        means = technique
        super.init(file: file, line: line, privacy: privacy)
        recordCreated()
    }

    override final var kind: NodeKind { .foreign }
    override final var technique: NodeTechnique { means }
    override final var valueType: Any.Type? { type }
    override final var givenLabel: String? { name }

    /// Says that somebody subscribes, and gives what to tell of that subscription.
    ///
    /// - Parameters:
    ///   - target: the observable that it feeds: an edge of the graph. Nil: a handler, whose calls are refreshes and are timed.
    ///   - owner: the object for which the handler works; as with `subscribe(owner:)` of a signal.
    public final func subscribed(
        feeding target: TraceProbe? = nil, owner: AnyObject? = nil, file: StaticString = #fileID, line: UInt = #line
    ) -> Subscription {
        let sink: Sink<Void> =
            if let target {
                ProbeEdge(to: target, file: file, line: line)
            } else if let owner {
                OwnedSink({ _ in }, owner: Registry.shared.tracked(owner), onEnd: nil, file: file, line: line)
            } else {
                TerminalSink({ _ in }, target: nil, onEnd: nil, file: file, line: line)
            }
        if weir_recording() != 0 { sink.recordStarted(source: self) }
        return Subscription(to: self, sink)
    }
}

/// A subscription by which one foreign observable feeds another; it holds neither.
private final class ProbeEdge: Sink<Void> {
    private weak var fed: Node?

    init(to target: Node, file: StaticString, line: UInt) {
        fed = target
        super.init({ _ in }, isTerminal: false, file: file.utf8Start, line: UInt32(clamping: line))
    }

    override var target: Node? { fed }
}
