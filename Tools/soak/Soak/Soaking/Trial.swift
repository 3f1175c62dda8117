/// Runs programs and judges them.
package struct Trial {
    private let history: History

    package init(_ history: History) { self.history = history }

    /// Performs one run; nil if it keeps the contract.
    package func failure(of program: SoakProgram, _ schedule: Schedule?, seed: UInt64) -> SoakFailure? {
        let outcome = schedule.map { program.run($0, history) } ?? program.runFreely(history)
        let violations = Judge.violations(of: program, in: outcome)
        if violations.isEmpty { return nil }
        return SoakFailure(
            seed: seed, program: program, schedule: schedule, outcome: outcome, violations: violations)
    }

    // MARK: Shrinking

    /// Finds the same failure with a shorter program and with fewer thread switches.
    package func shrunk(_ failure: SoakFailure, untilPassed isOver: () -> Bool) -> SoakFailure {
        var best = failure
        var hasChanged = true
        while hasChanged && !isOver() {
            hasChanged = false
            for candidate in best.program.simplified {
                if isOver() { break }
                guard let found = search(candidate, like: best) else { continue }
                best = found
                hasChanged = true
                break
            }
        }
        return best.schedule == nil ? best : withFewerSwitches(best, untilPassed: isOver)
    }

    /// A run of `program` that breaks the same rule, within some attempts.
    private func search(_ program: SoakProgram, like failure: SoakFailure) -> SoakFailure? {
        let attempts = failure.schedule == nil ? 400 : 40
        for attempt in 0..<attempts {
            var schedule = failure.schedule
            if attempt > 0, schedule != nil { schedule = Schedule.random(seed: failure.seed &+ UInt64(attempt)) }
            if let found = self.failure(of: program, schedule, seed: failure.seed), found.rule == failure.rule {
                return found
            }
        }
        return nil
    }

    private func withFewerSwitches(_ failure: SoakFailure, untilPassed isOver: () -> Bool) -> SoakFailure {
        func replay(_ switches: [Int: Int]) -> SoakFailure? {
            let schedule = Schedule(seed: failure.seed, .replay(switches))
            guard let found = self.failure(of: failure.program, schedule, seed: failure.seed) else { return nil }
            return found.rule == failure.rule ? found : nil
        }
        func table(_ failure: SoakFailure) -> [Int: Int] {
            Dictionary(failure.outcome.switches.map { ($0.step, $0.to) }) { $1 }
        }
        // Other schedules of the same program may need fewer switches from the start.
        var best = failure
        for attempt in 0..<200 where !isOver() {
            let schedule = Schedule.random(seed: failure.seed &+ UInt64(attempt))
            guard let found = self.failure(of: failure.program, schedule, seed: failure.seed),
                found.rule == failure.rule, found.outcome.switches.count < best.outcome.switches.count
            else { continue }
            best = found
        }
        guard let first = replay(table(best)) else { return best }
        best = first
        var hasChanged = true
        while hasChanged && !isOver() {
            hasChanged = false
            for step in table(best).keys.sorted(by: >) {
                var fewer = table(best)
                fewer[step] = nil
                guard let found = replay(fewer), found.outcome.switches.count < best.outcome.switches.count
                else { continue }
                best = found
                hasChanged = true
                break
            }
        }
        return best
    }
}

extension SoakProgram {
    /// Programs that do slightly less. Indexes stay: a listener that nothing subscribes is as good as none.
    fileprivate var simplified: [SoakProgram] {
        var all: [SoakProgram] = []
        func add(_ change: (inout SoakProgram) -> Void) {
            var copy = self
            change(&copy)
            if copy != self { all.append(copy) }
        }
        for thread in threads.indices where threads.count > 1 && !threads[thread].isEmpty {
            add { $0.threads.remove(at: thread) }
        }
        for listener in listeners.indices { add { $0.forget(listener) } }
        for listener in listeners.indices {
            for index in listeners[listener].reactions.indices {
                add { $0.listeners[listener].reactions.remove(at: index) }
            }
            for index in listeners[listener].operators.indices {
                add { $0.listeners[listener].operators.remove(at: index) }
            }
        }
        for thread in threads.indices {
            for index in threads[thread].indices {
                add { $0.threads[thread].remove(at: index) }
                if case .batch(let inner) = threads[thread][index] {
                    for place in inner.indices {
                        var fewer = inner
                        fewer.remove(at: place)
                        add { $0.threads[thread][index] = .batch(fewer) }
                    }
                    if let only = inner.first, inner.count == 1 { add { $0.threads[thread][index] = only } }
                }
            }
        }
        if usesText { add { $0.usesText = false } }
        return all
    }

    private mutating func forget(_ listener: Int) {
        listeners[listener] = Listener(source: listeners[listener].source, isEarly: false)
        for thread in threads.indices { threads[thread].removeAll { $0.concerns(listener) } }
        for other in listeners.indices {
            for reaction in listeners[other].reactions.indices {
                listeners[other].reactions[reaction].actions.removeAll { $0.concerns(listener) }
            }
        }
    }
}

extension SoakProgram.Action {
    fileprivate func concerns(_ listener: Int) -> Bool { self == .subscribe(listener) || self == .dispose(listener) }
}
