import Testing
import WeirTesting

@testable import Weir

/// The transitions of an observed property's state.
struct PropertyStateTests {
    private let scheduler = VirtualScheduler()
    @available(macOS 14, *)
    private var note: PropertyState.Announcement { PropertyState.Announcement(cause: nil) }
    @available(macOS 14, *)
    private var stored: PropertyState.Source { .stored(as: \String.count) }
    @available(macOS 14, *)
    private var computed: PropertyState.Source { .computed(reads: [], cause: nil) }

    /// A property that was read from `source`, and is tracked.
    @available(macOS 14, *)
    private func tracked(_ source: PropertyState.Source) -> PropertyState {
        var state = PropertyState()
        _ = state.track(on: scheduler)
        state.hasBeenRead(from: source)
        return state
    }

    @available(macOS 14, *)
    private func text(_ reaction: PropertyState.Reaction) -> String {
        switch reaction {
        case .none: "none"
        case .sleep: "sleep"
        case .follow(former: nil): "follow"
        case .follow: "follow and record"
        case .computeLater: "compute later"
        }
    }

    @available(macOS 14, *)
    @Test func `A write is announced once, and recorded before the next`() throws {
        var state = tracked(stored)
        #expect(text(state.changeIsAnnounced(isRecording: true)) == "follow")
        #expect(state.willSettle(noting: note) === scheduler)
        #expect(text(state.changeIsAnnounced(isRecording: true)) == "follow and record")
        #expect(state.willSettle(noting: note) == nil, "the turn of the first write records the second")
        state.turnBegins()
        #expect(state.takeAnnouncement() != nil)
        #expect(!state.isAnnounced)
        #expect(state.willSettle(noting: note) === scheduler)
    }

    @available(macOS 14, *)
    @Test func `A refused turn is asked for again at the next change, unless the write is recorded before`() {
        var state = tracked(computed)
        #expect(text(state.changeIsAnnounced(isRecording: true)) == "compute later")
        #expect(state.willSettle(noting: note) != nil)
        state.turnIsRefused()
        #expect(state.isStale && state.isAnnounced)
        var other = state
        #expect(state.inputWillChange() == true)
        #expect(state.willSettle(noting: nil) != nil)
        #expect(state.inputWillChange() == false)
        #expect(other.takeAnnouncement() != nil)
        #expect(other.inputWillChange() == false)
    }

    @available(macOS 14, *)
    @Test func `Until it is tracked, a change only makes what it feeds stale`() {
        var state = PropertyState()
        state.willBeWatched()
        state.hasBeenRead(from: computed)
        #expect(text(state.changeIsAnnounced(isRecording: true)) == "none")
        #expect(state.isStale && !state.isTracked && state.scheduler == nil)
    }

    @available(macOS 14, *)
    @Test func `A property that was read is tracked without another read, unless it has changed since`() {
        var state = PropertyState()
        state.willBeWatched()
        #expect(state.isStale)
        state.hasBeenRead(from: stored)
        var changed = state
        _ = changed.changeIsAnnounced(isRecording: true)
        #expect([state.track(on: scheduler), state.track(on: scheduler)] == [.watched, .again])
        #expect(changed.track(on: scheduler) == .first)
    }

    @available(macOS 14, *)
    @Test func `A stored property sleeps while nothing is recorded, and wakes once`() {
        var state = tracked(stored)
        #expect(text(state.changeIsAnnounced(isRecording: false)) == "sleep")
        state.fallAsleep()
        #expect(state.isTracked && !state.isAnnounced)
        #expect(state.track(on: scheduler) == .again)
        #expect([state.wake(), state.wake(), state.isTracked] == [true, false, true])
        var other = tracked(computed)
        #expect(text(other.changeIsAnnounced(isRecording: false)) == "compute later")
    }

    @available(macOS 14, *)
    @Test func `Models are looked for after each change, and always in a property that is not tracked`() {
        var state = tracked(stored)
        #expect([state.looksForModels(), state.looksForModels()] == [true, false])
        state.modelsChange()
        #expect([state.looksForModels(), state.looksForModels()] == [true, false])
        _ = state.changeIsAnnounced(isRecording: true)
        #expect(state.looksForModels() == true)
        var untracked = PropertyState()
        #expect([untracked.looksForModels(), untracked.looksForModels()] == [true, true])
    }
}
