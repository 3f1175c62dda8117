import Weir

/// A node of a running program.
enum LiveNode<Value: SoakValue>: Sendable {
    case state(ReadOnlyObservable<Value>)
    case emitter(Emitter<Value>)
    /// Available once a thread has made it.
    case late(LockedBox<ReadOnlyObservable<Value>?>)

    var observable: ReadOnlyObservable<Value>? {
        switch self {
        case .state(let observable): observable
        case .late(let place): place.value
        case .emitter: nil
        }
    }

    /// Nil if it cannot be written to.
    var writable: Observable<Value>? { observable as? Observable<Value> }

    var signal: Signal<Value>? {
        if case .emitter(let emitter) = self { return emitter }
        return observable
    }
}
