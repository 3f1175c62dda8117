#if Recording
import WeirRecording

/// The state of a property of an observable model: a pure value, whose transitions return what `PropertyNode` is to do.
///
///     source    = unread (constant unread | computed outdated)* [stored]
///     following = untracked (watched untracked)* [tracked (dormant tracked)*]
///     turn      = none (scheduled none | scheduled refused)*
///
/// Not generic, as `Property` is: code that is not specialised would look its types up at each write.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
struct PropertyState {
    /// The source of its value, known from its reads.
    enum Source {
        case unread
        /// Its last read has read no observable property; `cause`: the first change of an input before that.
        case constant(cause: ThreadLog.Place?)
        /// A model stores it, and reports reads and writes with this key path; nil: unknown. This cannot change.
        case stored(as: AnyKeyPath?)
        /// Its last computation has made these reads.
        case computed(reads: [AccessList.Access], cause: ThreadLog.Place?)
        /// An input has changed since its last computation, or will.
        case outdated(reads: [AccessList.Access], cause: ThreadLog.Place?)
    }

    /// How its model's changes are followed.
    enum Following {
        case untracked
        /// As `untracked`, but the model announces its next change.
        case watched
        /// All changes are recorded, in turns of the scheduler.
        case tracked(any Scheduler)
        /// As `tracked`, but the model announces nothing until a recording begins.
        case dormant(any Scheduler)
    }

    /// The turn of the scheduler that records the announced write.
    enum Turn {
        case none
        case scheduled
        /// The scheduler has refused it. If nothing else records the write before, the next change asks again.
        case refused
    }

    /// The facts that a trace needs about an announced write.
    struct Announcement {
        let cause: ThreadLog.Place?
        /// Whether the write was made by a task without a cause.
        var isOfUntracedTask = false
        /// The line that made the write; nil: not asked for, or unknown.
        var writeSite: WriteSite?
        /// The body that was running at the write and had read the property before.
        var body: Body?
    }

    /// A body, not held.
    final class Body {
        private(set) weak var node: Node?

        init(_ node: Node) { self.node = node }
    }

    private(set) var source = Source.unread
    private var following = Following.untracked
    private var turn = Turn.none
    private var announcement: Announcement?
    /// Whether the models in its value are known; never true if its writes are not followed.
    private var knowsModels = false

    var isTracked: Bool { scheduler != nil }
    /// Whether a write waits to be recorded.
    var isAnnounced: Bool { announcement != nil }

    /// Whether it is known to be stored.
    var isStored: Bool { if case .stored = source { true } else { false } }

    /// Whether it is known to be computed from other properties.
    var isComputed: Bool {
        switch source {
        case .computed, .outdated: true
        case .unread, .constant, .stored: false
        }
    }

    /// Whether its value must be read again.
    var isStale: Bool {
        switch source {
        case .unread, .outdated: true
        case .constant, .stored, .computed: false
        }
    }

    /// The reads of its last computation, and the change that caused it.
    var computation: (reads: [AccessList.Access], cause: ThreadLog.Place?) {
        switch source {
        case .computed(let reads, let cause), .outdated(let reads, let cause): (reads, cause)
        case .constant(let cause): ([], cause)
        case .unread, .stored: ([], nil)
        }
    }

    /// The key path with which its model reports its reads and writes; nil: unknown.
    var storedKeyPath: AnyKeyPath? { if case .stored(let keyPath) = source { keyPath } else { nil } }

    /// The scheduler on which it is tracked.
    var scheduler: (any Scheduler)? {
        switch following {
        case .tracked(let scheduler), .dormant(let scheduler): scheduler
        case .untracked, .watched: nil
        }
    }

    // MARK: Reads

    /// It is about to be read so that its model announces the next change.
    mutating func willBeWatched() { if case .untracked = following { following = .watched } }

    /// It has been read, from `new`.
    mutating func hasBeenRead(from new: Source) {
        let cause = computation.cause
        switch new {
        case .computed(let reads, _): source = .computed(reads: reads, cause: cause)
        case .constant: source = .constant(cause: cause)
        case .unread, .stored, .outdated: source = new
        }
    }

    // MARK: Changes

    /// The action when its model has announced a change.
    enum Reaction {
        /// Notify its dependents, as in all cases.
        case none
        /// Follow no change until a recording begins.
        case sleep
        /// Follow the next change, and record the write before, if there was one.
        case follow(former: Announcement?)
        /// Record it later: now, its inputs may be in the middle of a change in place.
        case computeLater
    }

    /// Its model announces a change.
    mutating func changeIsAnnounced(isRecording: Bool) -> Reaction {
        knowsModels = false
        if case .computed(let reads, _) = source { source = .outdated(reads: reads, cause: nil) }
        switch following {
        case .untracked, .watched:
            following = .untracked
            return .none
        case .tracked, .dormant: break
        }
        switch source {
        case .computed, .outdated: return .computeLater
        case .stored(.some) where !isRecording: return .sleep
        case .unread, .constant, .stored: return .follow(former: takeAnnouncement())
        }
    }

    /// One of its inputs will change. Returns whether to ask the scheduler again for a turn.
    mutating func inputWillChange() -> Bool {
        switch source {
        case .unread, .stored: return false
        case .constant: source = .unread
        case .computed(let reads, _): source = .outdated(reads: reads, cause: nil)
        case .outdated: return turn == .refused
        }
        return false
    }

    /// One of its inputs has changed at `place`; the first one counts. Returns whether that concerns its dependents.
    mutating func note(cause place: ThreadLog.Place?) -> Bool {
        if case .outdated(let reads, nil) = source { source = .outdated(reads: reads, cause: place) }
        return isStale
    }

    /// A write has been announced. Returns the scheduler to be asked for a turn that records it; nil: it has been asked.
    mutating func willSettle(noting new: Announcement?) -> (any Scheduler)? {
        if announcement == nil { announcement = new }
        if turn == .scheduled { return nil }
        turn = .scheduled
        return scheduler
    }

    mutating func turnBegins() { turn = .none }
    mutating func turnIsRefused() { turn = .refused }

    /// The announced write, which is about to be recorded.
    mutating func takeAnnouncement() -> Announcement? {
        if turn == .refused { turn = .none }
        var taken: Announcement?
        swap(&taken, &announcement)
        return taken
    }

    // MARK: Tracking

    /// The action when it is tracked.
    enum Beginning {
        /// It was tracked before.
        case again
        /// Its model announces the next change already.
        case watched
        case first
    }

    mutating func track(on scheduler: any Scheduler) -> Beginning {
        let former = following
        if case .tracked = former { return .again }
        if case .dormant = former { return .again }
        following = .tracked(scheduler)
        if case .watched = former, !isStale { return .watched }
        return .first
    }

    /// Nothing is recorded, and no change shall be announced.
    mutating func fallAsleep() {
        announcement = nil
        if case .tracked(let scheduler) = following { following = .dormant(scheduler) }
    }

    /// Changes shall be announced again. Returns whether they were not.
    mutating func wake() -> Bool {
        guard case .dormant(let scheduler) = following else { return false }
        following = .tracked(scheduler)
        return true
    }

    // MARK: Models in it

    /// Whether the models in it must be looked for, which is about to be done.
    mutating func looksForModels() -> Bool {
        defer { knowsModels = isTracked }
        return !knowsModels
    }

    mutating func modelsChange() { knowsModels = false }
}
#endif
