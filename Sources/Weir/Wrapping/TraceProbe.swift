import CWeirCore
import WeirRecording

#if Recording
/// The technique by which a node gets into a trace; from the module `WeirTrace`, which an app need not import.
public typealias TraceTechnique = WeirTrace.NodeTechnique
#endif

/// Adds an observable of another library to traces: as a node, with its subscriptions, emissions and ends.
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
/// Make one probe for each observable, and one ``Subscription`` for each of its subscribers: each emission goes to one
/// subscription, as with a cold ``Signal``. Emissions inside the body of an emission are caused by it. Adoption names a probe
/// after the property of the adopted model that holds it.
///
/// Any thread may call any function. Cost: one allocation for a probe, two for a subscription; an emission allocates nothing, and
/// is one predictable branch while nothing is recorded. A trace defines each item when it is first mentioned.
public class TraceProbe: Node, @unchecked Sendable {  // Only constants; the state of `Node` is atomic or guarded.
    private let name: String?
    private let type: Any.Type?
    private let means: TraceTechnique

    /// A probe for an observable whose values are of type `type`.
    ///
    /// - Parameters:
    ///   - name: the name in traces; nil: the line that made it.
    ///   - technique: the kind of the observable; `weir redundant` words the remedies of findings accordingly.
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

    /// Records a subscription, and returns the object with which its events are recorded.
    ///
    /// - Parameters:
    ///   - target: the observable that it feeds, as an edge of the graph. Nil: a handler, whose calls are timed refreshes.
    ///   - owner: the object for which the handler works, as in `subscribe(owner:)` of a signal.
    public final func subscribed(
        feeding target: TraceProbe? = nil, owner: AnyObject? = nil, file: StaticString = #fileID, line: UInt = #line
    ) -> Subscription {
        let sink: Sink<Void> =
            if let target {
                ProbeEdge(to: target, file: file, line: line)
            } else if let owner {
                .working(for: owner, { _ in }, onEnd: nil, file: file, line: line)
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
