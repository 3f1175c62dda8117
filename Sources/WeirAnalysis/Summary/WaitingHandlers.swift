import WeirTrace

/// Handlers of one place that had calls to come when the recording ended: their actor had not run them.
///
/// So it is for good where a program never serves its main queue.
public struct WaitingHandlers: Sendable, Equatable {
    /// Where they were subscribed.
    public var site: TraceSite?
    /// Their actor is the main actor.
    public var isForMain: Bool
    /// How many handlers.
    public var handlers: UInt64
    /// How many calls of all of them.
    public var calls: UInt64
}
