/// An event of a signal: a signal delivers any number of values, then at most one failure or completion.
///
///     events = next* (failed | completed)?
public enum Event<Value> {
    /// A value.
    case next(Value)
    /// The end of the signal, because of an error.
    case failed(any Error)
    /// The end of the signal: no value will follow.
    case completed
}

extension Event: Sendable where Value: Sendable {}

extension Event: Equatable where Value: Equatable {
    /// Failures are equal if their types and descriptions are equal.
    public static func == (left: Event, right: Event) -> Bool {
        switch (left, right) {
        case (.next(let left), .next(let right)): left == right
        case (.failed(let left), .failed(let right)):
            type(of: left) == type(of: right) && String(describing: left) == String(describing: right)
        case (.completed, .completed): true
        default: false
        }
    }
}

/// The way in which a source has ended, as its subscribers receive it.
@usableFromInline
enum Ending {
    case completed
    case failed(any Error)
    /// The source was released without an end; no event can follow, and no handler is called.
    case released
    /// The same for a cold signal whose `Subscriber` was released: a callback that never came.
    case abandoned

    @usableFromInline var isReleased: Bool {
        switch self {
        case .released, .abandoned: true
        case .completed, .failed: false
        }
    }
}
