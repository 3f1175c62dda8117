import WeirTrace

/// A moment of a trace, specified by a person.
package enum Moment: Sendable, Equatable {
    /// This many nanoseconds after the start of the recording: all events up to and including this time have happened.
    case time(UInt64)
    /// This event has just happened.
    case event(EventID)
    /// The last such stimulus has just ended; work that it gave to a scheduler may still be waiting.
    case stimulus(EventFilter.Stimulus)
    /// Everything has happened.
    case end
}

/// Why a trace lacks a moment.
package enum MomentError: Error, Equatable {
    /// The time is after the last event, which is at `last` nanoseconds.
    case timeOutside(last: UInt64)
    /// There is no such event.
    case noSuchEvent(EventID)
    /// There is no such stimulus.
    case noSuchStimulus
}

extension Timeline {
    /// Goes to a moment.
    package func move(to moment: Moment) throws(MomentError) {
        switch moment {
        case .end: move(to: .max)
        case .event(let id): if !move(to: id) { throw .noSuchEvent(id) }
        case .time(let time): try move(toTime: time)
        case .stimulus(let wanted): try move(toEndOf: wanted)
        }
    }

    private func move(toTime time: UInt64) throws(MomentError) {
        // An event without a stamp has the time of the one before it, and threads are merged by time: times never fall.
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

    /// The beginning of the last such stimulus; moves the timeline to another position.
    package func stimulus(_ wanted: EventFilter.Stimulus) -> TraceEvent? {
        move(to: 0)
        var search = StimulusSearch(wanted)
        forward { event in
            search.take(event)
            return !search.isOver
        }
        return search.found?.event
    }
}
