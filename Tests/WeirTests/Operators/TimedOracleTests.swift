import Dispatch
import Testing
import Weir
import WeirTesting

/// The timed operators, compared with naive models that receive the whole timeline at once.
extension Everything {
    @MainActor @Suite struct TimedOracleTests {
        /// The events of a source, at times in milliseconds.
        struct Timeline {
            var values: [(time: Int, value: Int)] = []
            var end: (time: Int, isFailure: Bool)?

            init(_ generator: inout SeededGenerator) {
                var time = 0
                for value in 0..<Int.random(in: 0..<12, using: &generator) {
                    time += Int.random(in: 0..<6, using: &generator)
                    values.append((time, value))
                }
                time += Int.random(in: 0..<6, using: &generator)
                if Int.random(in: 0..<4, using: &generator) > 0 {
                    end = (time, Int.random(in: 0..<3, using: &generator) == 0)
                }
            }

            /// The time at which the source completes; no later than any other event.
            var completion: Int? { end.flatMap { $0.isFailure ? nil : $0.time } }
            var failure: Int? { end.flatMap { $0.isFailure ? $0.time : nil } }

            func with(_ all: [(time: Int, text: String)]) -> [String] {
                let ending = end.map { [(time: $0.time, text: $0.isFailure ? "#" : "|")] } ?? []
                return (all + ending).map { "\($0.time) \($0.text)" }
            }
        }

        static let wait = 4

        /// Each value with the time of the next one; `.max` for the last.
        static func followed(_ line: Timeline) -> [(time: Int, value: Int, next: Int)] {
            line.values.enumerated().map { index, entry in
                (entry.time, entry.value, index + 1 < line.values.count ? line.values[index + 1].time : .max)
            }
        }

        static func debounced(_ line: Timeline) -> [String] {
            line.with(
                followed(line).compactMap { time, value, next in
                    let due = time + wait
                    // At the same moment the source precedes the timer.
                    if next <= due { return nil }
                    if let end = line.end, end.time <= due { return end.isFailure ? nil : (end.time, "\(value)") }
                    return (due, "\(value)")
                })
        }

        static func throttled(_ line: Timeline) -> [String] {
            var all: [(Int, String)] = []
            var free = 0
            var held: Int?
            for moment in 0...200 {
                let isOver = line.end.map { $0.time <= moment } ?? false
                for (_, value) in line.values.filter({ $0.time == moment }) {
                    if held == nil, free <= moment {
                        all.append((moment, "\(value)"))
                        free = moment + wait
                    } else {
                        held = value
                    }
                }
                guard let value = held, isOver ? line.end?.time == moment : free <= moment else { continue }
                if line.failure != moment { all.append((moment, "\(value)")) }
                held = nil
                free = moment + wait
            }
            return line.with(all)
        }

        static func sampled(_ line: Timeline) -> [String] {
            line.with(
                followed(line).compactMap { time, value, next in
                    let due = max(1, (time + wait - 1) / wait) * wait
                    if next <= due { return nil }
                    if let end = line.end, end.time <= due { return nil }
                    return (due, "\(value)")
                })
        }

        static func buffered(_ line: Timeline) -> [String] {
            var all: [(Int, String)] = []
            var rest = line.values[...]
            while let first = rest.first {
                let due = first.time + wait
                let together = rest.prefix { $0.time <= due }
                rest = rest.dropFirst(together.count)
                let text = "\(together.map(\.value))"
                if let end = line.end, end.time <= due {
                    if !end.isFailure { all.append((end.time, text)) }
                } else {
                    all.append((due, text))
                }
            }
            return line.with(all)
        }

        static func delayed(_ line: Timeline) -> [String] {
            let all = line.values.filter { $0.time + wait < line.failure ?? .max }
                .map { "\($0.time + wait) \($0.value)" }
            return all + (line.completion.map { ["\($0 + wait) |"] } ?? line.failure.map { ["\($0) #"] } ?? [])
        }

        static func delivered(_ line: Timeline) -> [String] {
            line.with(line.values.map { ($0.time, "\($0.value)") })
        }

        static func timed(_ line: Timeline) -> [String] {
            var all: [String] = []
            var last = 0
            for (time, value) in line.values {
                if time > last + wait { return all + ["\(last + wait) #"] }
                all.append("\(time) \(value)")
                last = time
            }
            if let end = line.end, end.time <= last + wait { return all + ["\(end.time) \(end.isFailure ? "#" : "|")"] }
            return all + ["\(last + wait) #"]
        }

        @Test func `Each timed operator does on random timelines what its naive model says`() throws {
            let wait = DispatchTimeInterval.milliseconds(Self.wait)
            let cases:
                [(
                    name: String, real: (Signal<Int>, VirtualScheduler) -> Signal<String>,
                    model: (Timeline) -> [String]
                )] = [
                    ("debounce", { $0.debounce(wait, on: $1).map { "\($0)" } }, Self.debounced),
                    ("throttle", { $0.throttle(wait, on: $1).map { "\($0)" } }, Self.throttled),
                    ("sample", { $0.sample(every: wait, on: $1).map { "\($0)" } }, Self.sampled),
                    ("buffer", { $0.buffer(time: wait, on: $1).map { "\($0)" } }, Self.buffered),
                    ("delay", { $0.delay(wait, on: $1).map { "\($0)" } }, Self.delayed),
                    ("timeout", { $0.timeout(wait, on: $1).map { "\($0)" } }, Self.timed),
                    ("deliver", { $0.deliver(on: $1).map { "\($0)" } }, Self.delivered),
                ]
            for (name, real, model) in cases {
                var heard = 0
                for seed in 0..<300 as Range<UInt64> {
                    var generator = SeededGenerator(seed: seed)
                    let line = Timeline(&generator)
                    let expected = model(line)
                    let found = try run(line, real)
                    #expect(found == expected, "\(name), seed \(seed)")
                    heard += found.count
                }
                #expect(heard > 500, "\(name): hardly anything happens")
            }
        }

        func run(_ line: Timeline, _ apply: (Signal<Int>, VirtualScheduler) -> Signal<String>) throws -> [String] {
            let time = VirtualScheduler()
            let source = Emitter<Int>()
            var log: [String] = []
            // Scheduled first: at the same moment the source comes first.
            func schedule(_ moment: Int, _ action: @escaping () -> Void) throws {
                nonisolated(unsafe) let action = action
                _ = try time.schedule(after: .milliseconds(moment)) { action() }
            }
            for (moment, value) in line.values { try schedule(moment) { source.emit(value) } }
            if let end = line.end {
                try schedule(end.time) { end.isFailure ? source.fail(MarbleFailure()) : source.complete() }
            }
            apply(source, time).subscribeEvents { event in
                let moment = time.now / 1_000_000
                switch event {
                case .next(let text): log.append("\(moment) \(text)")
                case .failed: log.append("\(moment) #")
                case .completed: log.append("\(moment) |")
                }
            }
            time.runUntilIdle()
            return log
        }
    }
}
