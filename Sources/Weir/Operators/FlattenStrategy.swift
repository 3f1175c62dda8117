/// The behaviour of `flatMap` when a signal arrives before the previous one has ended.
public enum FlattenStrategy: Sendable {
    /// Subscribes to all of them at once.
    case merge
    /// Ends the subscription to the previous signal: only the latest one is delivered.
    case latest
    /// Waits until the previous signals have completed.
    case concat
    /// Drops the new signal: only the first is delivered, until it has completed or was released ('flatMapFirst', 'exhaustMap').
    case first
}
