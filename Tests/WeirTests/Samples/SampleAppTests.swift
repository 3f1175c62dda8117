import Testing
import Weir
import WeirTesting
import WeirTrace

@testable import WeirDice
@testable import WeirLookup
@testable import WeirTravel

extension Everything {
    @MainActor @Suite struct SampleAppTests {
        /// Runs a sample's program with `WEIR_TRACE` set, and returns its output and its recording.
        private func run(_ name: String) throws -> (lines: [String], recording: Recording) {
            let file = try TemporaryTrace()
            let said = try BuiltProgram(name).output(environment: ["WEIR_TRACE": file.path])
            let lines = said.split(separator: "\n").map(String.init)
            return (lines, try Recording(reading: file.path))
        }

        /// The sample's output in virtual time.
        private func expected(_ name: String) -> [String] {
            let time = VirtualScheduler()
            var lines: [String] = []
            let wait: (() -> Bool) -> Void = { _ in time.runUntilIdle() }
            switch name {
            case "weir-dice": DiceDemo.use(on: .immediate) { lines.append($0) }
            case "weir-travel": TravelDemo.use(network: time, main: time, wait: wait) { lines.append($0) }
            default: LookupDemo.use(network: time, main: time, wait: wait) { lines.append($0) }
            }
            return lines
        }

        @Test(arguments: ["weir-dice", "weir-travel", "weir-lookup"])
        func `A program shows what it shows in virtual time, and leaves a whole trace`(name: String) throws {
            let (lines, recording) = try run(name)
            #expect(lines == expected(name))
            #expect(recording.header.isClosed)
            #expect(recording.header.program == name)
            #expect(recording.header.lostEvents == 0)
            #expect(recording.damage.isEmpty)
            #expect(recording.undefined == 0)
            #expect(recording.count(.stimulusBegan) == recording.count(.stimulusEnded))
            #expect(recording.count(.stimulusBegan) > 0)
            // A hop on another thread may still be open when the program exits, although its work is done.
            let openHops = recording.count(.hopBegan) - recording.count(.hopEnded)
            #expect((0..<Set(recording.events.map(\.id.thread)).count).contains(openHops))
            // All adopted objects are gone when the screen is closed.
            #expect(recording.count(.objectTracked) > 1)
            #expect(recording.count(.objectReleased) == recording.count(.objectTracked))
            #expect(recording.events.last { $0.kind == .checkpoint } != nil)
        }
    }
}
