import Dispatch
import Testing
import Weir
import WeirTrace

extension Everything {
    @Suite struct CarriedCauseTests {
        private func causes(_ recording: Recording) -> [String: String] {
            var causes: [String: String] = [:]
            for event in recording.events where event.kind == .emitted {
                var cause = event.cause
                // A hop is in between.
                while let id = cause, let found = recording.events.first(where: { $0.id == id }) {
                    if found.kind == .emitted {
                        causes[recording.name(event.subject)] = recording.name(found.subject)
                        break
                    }
                    cause = found.cause
                }
            }
            return causes
        }

        @Test func `A completion handler on another thread is caused by what was being delivered`() throws {
            let recording = try record {
                let done = DispatchSemaphore(value: 0)
                withTracing("tap Search") {
                    let carried = Trace.carryingCause {
                        withTracing("results arrived") {}
                        done.signal()
                    }
                    DispatchQueue.global().async(execute: carried)
                    DispatchQueue.global().async {
                        withTracing("something else") {}
                        done.signal()
                    }
                    done.wait()
                    done.wait()
                }
            }
            #expect(causes(recording) == ["results arrived": "tap Search"])
            #expect(recording.damage.isEmpty)
        }

        @Test func `What is nearer is the cause, and twice is twice`() throws {
            let recording = try record {
                var carried: (@Sendable () -> Void)?
                withTracing("first") { carried = Trace.carryingCause { withTracing("later") {} } }
                carried?()
                withTracing("second") { carried?() }
            }
            let later = recording.events.filter { $0.kind == .emitted && recording.name($0.subject) == "later" }
            #expect(later.count == 2)
            let second = recording.events.first { $0.kind == .emitted && recording.name($0.subject) == "second" }
            #expect(later.last?.cause == second?.id)
            #expect(causes(recording)["later"] == "second")
        }

        @Test func `A recording that is over is no cause in the next one; nothing recorded, only the body runs`() throws
        {
            var carried: (() -> Void)?
            _ = try record { withTracing("before") { carried = Trace.carryingCause { withTracing("after") {} } } }
            let recording = try record { carried?() }
            #expect(recording.events.filter { $0.kind == .emitted }.map { recording.name($0.subject) } == ["after"])
            #expect(causes(recording).isEmpty && recording.damage.isEmpty)
            let runs = Locked(0)
            let plain = Trace.carryingCause { runs.change { $0 += 1 } }
            plain()
            plain()
            #expect(runs.value == 2)
        }
    }
}
