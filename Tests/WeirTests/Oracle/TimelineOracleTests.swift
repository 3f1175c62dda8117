import Testing
import WeirTestSupport
import WeirTrace

@testable import WeirAnalysis

extension OracleTests {
    @Test func `a timeline that is walked at random shows what a state played from the start shows`() async throws {
        var backward = 0
        for program in try await Self.programs() where !program.events.isEmpty {
            var walk = try RandomWalk(program)
            for step in 0..<12 {
                if let fault = walk.fault(ofNextStep: &backward) {
                    Issue.record("seed \(program.seed), step \(step): \(fault)")
                    return
                }
                walk.timeline.checkInvariants()
            }
        }
        #expect(backward > Repeats.count(130))
    }
}

/// A timeline with few and close checkpoints, and the states that it should show.
private struct RandomWalk {
    let timeline: Timeline
    private let events: [TraceEvent]
    /// The states at all positions.
    private var states: [TraceState]
    private var random: SeededGenerator

    init(_ program: RandomProgram) throws {
        random = SeededGenerator(seed: program.seed &* 131 &+ 17)
        events = program.events
        let spacing = UInt64.random(in: 1...24, using: &random)
        let limit = Int.random(in: 1...40, using: &random) * 8192
        timeline = try Timeline(program.reader, checkpointByteLimit: limit, checkpointSpacing: spacing)
        states = [TraceState(Topology(program.definitions), startTicks: program.reader.header.startTicks)]
        for event in events {
            var state = states[states.count - 1]
            state.take(event)
            states.append(state)
        }
    }

    /// Takes a random step; returns the fault after it, if any.
    mutating func fault(ofNextStep backward: inout Int) -> String? {
        switch Int.random(in: 0..<9, using: &random) {
        case 0, 1: return forward()
        case 2, 3:
            backward += 1
            return self.backward()
        case 4:
            let target = Int.random(in: 0...(events.count + 3), using: &random)
            let reached = timeline.move(to: UInt64(target))
            return differs(min(target, events.count), "move to \(target)") ?? (reached == timeline.position ? nil : "?")
        case 5:
            let target = Int.random(in: 0..<events.count, using: &random)
            guard timeline.move(to: events[target].id) else { return "no event \(events[target].id)" }
            return differs(target + 1, "move to event \(events[target].id)")
                ?? passDiffers(.event(events[target].id), target + 1)
        case 6:
            guard !timeline.move(to: EventID(thread: 1, sequence: 1 << 40)) else { return "an event that is not there" }
            return differs(events.count, "move to an event that is not there")
        case 7: return time()
        default: return stimulus()
        }
    }

    private mutating func forward() -> String? {
        let (start, count) = (Int(timeline.position), Int.random(in: 1...60, using: &random))
        var seen: [TraceEvent] = []
        var isInStep = true
        let stop = timeline.forward { event in
            seen.append(event)
            isInStep = isInStep && timeline.state.lastEvent == event.id
            return seen.count < count
        }
        let end = min(start + count, events.count)
        let isAtStop = start + count <= events.count
        if seen != Array(events[start..<end]) { return "forward by \(count) from \(start) shows other events" }
        if !isInStep { return "the state does not include the event" }
        if stop != (isAtStop ? events[end - 1] : nil) { return "forward by \(count) from \(start) stops elsewhere" }
        if !isAtStop, timeline.eventCount != UInt64(events.count) { return "the count of events is wrong" }
        return differs(end, "forward by \(count) from \(start)")
    }

    private mutating func backward() -> String? {
        let start = Int(timeline.position)
        let kinds: [EventKind] = [.emitted, .stimulusBegan, .nodeReleased, .hopBegan, .subscriptionStarted, .frame]
        let kind = kinds.randomElement(using: &random)!
        let parts = UInt64.random(in: 1...7, using: &random)
        let isMeant: (TraceEvent) -> Bool = { $0.kind == kind && $0.id.sequence % parts == 0 }
        let found = timeline.backward(to: isMeant)
        // The last event is the current one: the search looks for an earlier one.
        let expected = events[..<max(0, start - 1)].lastIndex(where: isMeant)
        if found != expected.map({ events[$0] }) {
            let wanted = expected.map { "\(events[$0].id)" } ?? "nothing"
            return "backward to \(kind) from \(start) finds \(found.map { "\($0.id)" } ?? "nothing"), not \(wanted)"
        }
        return differs(expected.map { $0 + 1 } ?? 0, "backward to \(kind) from \(start)")
    }

    private mutating func time() -> String? {
        let times = events.map { timeline.timeScale.nanosecondsSinceStart($0.ticks) }
        let time = times.randomElement(using: &random)! + UInt64.random(in: 0...1, using: &random)
        let last = times.max()!
        do {
            try timeline.move(to: .time(time))
        } catch {
            return time > last && error == .timeOutside(last: last) ? nil : "\(time): \(error)"
        }
        if time > last { return "\(time) is behind the end" }
        let position = times.count { $0 <= time }
        return differs(position, "move to the time \(time)") ?? passDiffers(.time(time), position)
    }

    private mutating func stimulus() -> String? {
        let stimuli = events.indices.filter { events[$0].kind == .stimulusBegan }
        let number = Int.random(in: 1...(stimuli.count + 1), using: &random)
        do {
            try timeline.move(to: .stimulus(.number(UInt64(number))))
        } catch {
            return number > stimuli.count && error == .noSuchStimulus ? nil : "stimulus \(number): \(error)"
        }
        guard number <= stimuli.count else { return "there is no stimulus \(number)" }
        let frames = FrameGrammar(events, thread: events[stimuli[number - 1]].id.thread).frames
        let end = frames.first { $0.opening == stimuli[number - 1] }!.closing
        let position = end == .max ? events.count : end + 1
        return differs(position, "move to the end of stimulus \(number)")
            ?? passDiffers(.stimulus(.number(UInt64(number))), position)
    }

    private func differs(_ position: Int, _ step: String) -> String? {
        guard timeline.position == UInt64(position) else { return "\(step): at \(timeline.position), not \(position)" }
        return isSame(timeline.state, states[position]) ? nil : "\(step): the state differs"
    }

    /// Whether a pass from the beginning gives a different result.
    private func passDiffers(_ moment: Moment, _ position: Int) -> String? {
        do {
            var pass = try MomentPass(timeline.reader, timeline.topology, to: moment)
            try pass.run()
            let isRight = pass.state.order == UInt64(position) && isSame(pass.state, states[position])
            return isRight ? nil : "a pass to \(moment) is at \(pass.state.order), not \(position)"
        } catch {
            return "a pass to \(moment): \(error)"
        }
    }

    private func isSame(_ found: TraceState, _ expected: TraceState) -> Bool {
        let threads = Set(events.map(\.id.thread))
        return found.nodes == expected.nodes && found.subscriptions == expected.subscriptions
            && found.ticks == expected.ticks && found.stimuli == expected.stimuli
            && found.lastEvent == expected.lastEvent
            && threads.allSatisfy { found.openFrames(ofThread: $0) == expected.openFrames(ofThread: $0) }
    }
}
