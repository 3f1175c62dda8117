/// What `flatMap` does when a signal arrives while a former one has not ended.
public enum FlattenStrategy: Sendable {
    /// Listens to all of them at once.
    case merge
    /// Ends the subscription to the former one: only the latest is heard.
    case latest
    /// Lets it wait until the former ones have completed.
    case concat
    /// Drops it: only the first is heard, until it has completed ('flatMapFirst', 'exhaustMap').
    case first
}
