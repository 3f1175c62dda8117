#if Recording
import CWeirCore
import WeirRecording

/// A subscription by which an observable of Weir feeds a body that reads it.
///
/// The observable holds it; it holds neither, and is no reason to keep a combiner.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
private final class ValueReader<Value>: Sink<Value> {
    private weak var dependent: (any InputDependent)?

    init(for dependent: any InputDependent, file: StaticString, line: UInt) {
        self.dependent = dependent
        super.init(
            operation: { sink, _ in
                let me = unsafeDowncast(sink, to: ValueReader<Value>.self)
                if weir_recording() != 0 { me.dependent?.inputChanged(at: ThreadLog().openPlace) }
            }, file: file.utf8Start, line: UInt32(clamping: line))
        keepsSource = false
    }

    override var target: Node? { dependent }
}

/// A node whose value a body can read.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
private protocol ReadableNode: Node {
    /// Feeds `dependent` until the result is disposed, which holds nothing.
    func feed(_ dependent: any InputDependent, file: StaticString, line: UInt) -> Disposable
}

@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
extension ReadOnlyObservable: ReadableNode {
    fileprivate func feed(_ dependent: any InputDependent, file: StaticString, line: UInt) -> Disposable {
        attach(ValueReader(for: dependent, file: file, line: line)).weakened()
    }
}

/// The observables of Weir that the last run of a body has read.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
struct ReadValues {
    private struct Feed {
        weak var source: Node?
        let subscription: Disposable
    }

    private var feeds: [Feed] = []

    /// The same for the next run, which has read `sources`, perhaps several times; the subscriptions to others must be disposed.
    func next(
        _ sources: [Node], for dependent: any InputDependent, file: StaticString, line: UInt
    ) -> (values: ReadValues, former: ReadValues) {
        var (next, former) = (ReadValues(), ReadValues())
        var known: [ObjectIdentifier: Feed] = [:]
        for feed in feeds {
            if let source = feed.source { known[ObjectIdentifier(source)] = feed } else { former.feeds.append(feed) }
        }
        var read: Set<ObjectIdentifier> = []
        for source in sources where read.insert(ObjectIdentifier(source)).inserted {
            let feed = known.removeValue(forKey: ObjectIdentifier(source))
            guard let feed = feed ?? Self.feed(from: source, to: dependent, file: file, line: line) else { continue }
            next.feeds.append(feed)
        }
        former.feeds += known.values
        return (next, former)
    }

    private static func feed(
        from source: Node, to dependent: any InputDependent, file: StaticString, line: UInt
    ) -> Feed? {
        (source as? any ReadableNode).map {
            Feed(source: source, subscription: $0.feed(dependent, file: file, line: line))
        }
    }

    func dispose() { for feed in feeds { feed.subscription.dispose() } }
}
#endif
