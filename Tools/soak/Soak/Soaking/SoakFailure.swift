/// A run that has broken the contract.
package struct SoakFailure: Sendable {
    /// The seed of the random program and of its schedule.
    package var seed: UInt64
    package var program: SoakProgram
    /// Nil if threads ran freely.
    package var schedule: Schedule?
    package var outcome: Outcome
    package var violations: [Violation]

    package var rule: Violation.Rule { violations[0].rule }

    /// The broken rule, the program, and the schedule, as readable lines.
    package var description: String {
        var lines = violations.prefix(5).map { "violation: \($0)" }
        if violations.count > 5 { lines.append("and \(violations.count - 5) more") }
        lines.append("seed: \(seed)")
        lines.append(program.description)
        if schedule != nil {
            lines.append("schedule:")
            for one in outcome.switches { lines.append("    \(one)") }
        }
        lines.append("history:")
        lines += outcome.events.prefix(200).map { "    \(program.text($0))" }
        return lines.joined(separator: "\n")
    }
}

extension Schedule.Switch: CustomStringConvertible {
    package var description: String {
        step == 0
            ? "thread \(to) begins" : "step \(step), at \(point): thread \(to) goes on in place of thread \(from)"
    }
}

extension SoakProgram {
    /// An event as a readable line.
    func text(_ event: History.Event) -> String {
        // The program's threads have numbers from 1.
        let thread = event.thread == 0 ? "before" : event.thread > 999 ? "queue" : "thread \(Int(event.thread) - 1)"
        return switch event.kind {
        case .writeBegan: "\(thread): n\(event.subject) = \(event.a)"
        case .writeEnded: "\(thread): n\(event.subject) = \(event.a) returns"
        case .emitBegan: "\(thread): n\(event.subject).emit(\(event.a))"
        case .emitEnded: "\(thread): n\(event.subject).emit(\(event.a)) returns"
        case .completeBegan: "\(thread): n\(event.subject).complete()"
        case .completeEnded: "\(thread): n\(event.subject).complete() returns"
        case .readBegan: "\(thread): reads n\(event.subject)"
        case .readEnded: "\(thread): n\(event.subject) holds \(event.a)"
        case .evaluated: "\(thread): n\(event.subject) is computed of \(event.b), \(event.c): \(event.a)"
        case .batchBegan: "\(thread): batch begins"
        case .batchEnded: "\(thread): batch ends"
        case .callBegan: "\(thread): s\(event.subject) hears \(event.a)\(event.b == 0 ? "" : ", \(event.b)")"
        case .callEnded: "\(thread): s\(event.subject) has handled \(event.a)"
        case .subscribeBegan: "\(thread): s\(event.subject) subscribes"
        case .subscribeEnded: "\(thread): s\(event.subject) has subscribed"
        case .disposeBegan: "\(thread): s\(event.subject) is disposed"
        case .disposeEnded: "\(thread): s\(event.subject) has been disposed"
        case .ended: "\(thread): s\(event.subject) hears the end"
        }
    }
}
