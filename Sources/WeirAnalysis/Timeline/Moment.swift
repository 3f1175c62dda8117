import WeirTrace

/// A moment of a trace, as a person names it.
public enum Moment: Sendable, Equatable {
    /// So many nanoseconds after the start of the recording: all events up to then, this time included, have happened.
    case time(UInt64)
    /// This event has just happened.
    case event(EventID)
    /// Such a stimulus has just ended, the last one of several; what it gave to a scheduler may still be waiting.
    case stimulus(EventFilter.Stimulus)
    /// Everything has happened.
    case end
}

/// Why a trace has no such moment.
public enum MomentError: Error, Equatable {
    /// The time lies behind the last event; it is at so many nanoseconds.
    case timeOutside(last: UInt64)
    /// There is no such event.
    case noSuchEvent(EventID)
    /// There is no such stimulus.
    case noSuchStimulus
}

extension Timeline {
    /// Goes to a moment.
    public func move(to moment: Moment) throws(MomentError) {
        switch moment {
        case .end: forward { _ in true }
        case .event(let id): if !move(to: id) { throw .noSuchEvent(id) }
        case .time(let time): try move(toTime: time)
        case .stimulus(let wanted): try move(toEndOf: wanted)
        }
    }

    private func move(toTime time: UInt64) throws(MomentError) {
        // An event without a stamp stands at the one before it, and threads are merged by time: times never fall.
        restoreCheckpoint { timeScale.nanosecondsSinceStart($0.ticks) <= time }
        guard forward({ event in timeScale.nanosecondsSinceStart(event.ticks) <= time }) != nil else {
            if wasInterrupted { return }
            let last = timeScale.nanosecondsSinceStart(state.ticks)
            if time > last { throw .timeOutside(last: last) }
            return
        }
        move(to: position - 1)
    }

    private func move(toEndOf wanted: EventFilter.Stimulus) throws(MomentError) {
        guard let stimulus = stimulus(wanted) else { throw .noSuchStimulus }
        move(to: stimulus.id)
        var hasPassed = false
        forward { event in
            hasPassed = event.isBeyond(stimulus)
            return !hasPassed && !event.isEnd(of: stimulus)
        }
        if hasPassed { move(to: position - 1) }
    }

    /// The beginning of such a stimulus, of the last one where several are; the timeline moves to some other position.
    public func stimulus(_ wanted: EventFilter.Stimulus) -> TraceEvent? {
        move(to: 0)
        var search = StimulusSearch(wanted)
        forward { event in
            search.take(event)
            return !search.isOver
        }
        return search.found?.event
    }
}
