/// Returns a signal again later, without holding a subject.
///
/// An operator that will subscribe (again) keeps this instead of the signal: its source must not hold it in a cycle.
@usableFromInline
final class Later<Value> {
    private let make: () -> Signal<Value>?
    /// The signal returned last: a source that is reached on several paths stays one signal.
    private weak var made: Signal<Value>?

    init(_ make: @escaping () -> Signal<Value>?) { self.make = make }

    /// Returns nil if a subject has been released, and with it every value.
    @usableFromInline
    func signal() -> Signal<Value>? {
        if let made { return made }
        let new = make()
        made = new
        return new
    }
}

/// The signals of one graph that are returned again later: each once, however many paths lead to it.
@usableFromInline
final class LaterSignals {
    private var known: [ObjectIdentifier: AnyObject] = [:]

    @usableFromInline
    init() {}

    @usableFromInline
    func later<Value>(_ signal: Signal<Value>) -> Later<Value> {
        if let known = known[ObjectIdentifier(signal)] { return unsafeDowncast(known, to: Later<Value>.self) }
        let new = Later(signal.forLater(self))
        known[ObjectIdentifier(signal)] = new
        return new
    }
}
