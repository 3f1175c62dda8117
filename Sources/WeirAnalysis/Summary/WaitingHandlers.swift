import WeirTrace

/// Handlers of one call site with calls that their actor had not run at the end of the recording.
///
/// These calls wait permanently if the program never serves its main queue.
package struct WaitingHandlers: Sendable, Equatable {
    /// The call site of the subscriptions.
    package var site: TraceSite?
    /// Whether their actor is the main actor.
    package var isForMain: Bool
    /// The number of handlers.
    package var handlers: UInt64
    /// The number of waiting calls of all these handlers.
    package var calls: UInt64
}
