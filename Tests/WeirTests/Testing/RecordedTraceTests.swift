import Foundation
import Testing
import Weir
import WeirTesting

extension Everything {
    @Suite struct RecordedTraceTests {
        private final class Form {
            let name = Observable("")
            let label = Observer<Int> { _ in }
            lazy var length = name.map(\.count)
            init() { label.subscribe(to: length) }
        }

        private func type(_ text: String, into form: Form) {
            Trace.adopt(form)
            Trace.stimulus("type \(text)") { form.name.value = text }
        }

        @Test func `Synchronous recordings of several threads wait for each other`() {
            let counts = Locked<[Int?]>([])
            DispatchQueue.concurrentPerform(iterations: 3) { _ in
                let form = Form()
                let trace = try? Trace.withRecording { type("a", into: form) }
                counts.change { $0.append(try? trace?.emissions(of: "Form.name")) }
            }
            #expect(counts.value == [1, 1, 1])
        }

        @Test func `A recording counts, and names causes`() throws {
            let form = Form()
            let trace = try Trace.withRecording {
                type("a", into: form)
                type("ab", into: form)
            }
            #expect(try trace.refreshes(of: "Form.label") == 2)
            #expect(try trace.emissions(of: "Form.name") == 2)
            #expect(try trace.causes(of: "Form.name").first == "type ab")
            trace.expectCause(of: "Form.name", is: "type ab")
            trace.expectNoRedundancy()
            #expect(throws: RecordedTraceError.self) { try trace.refreshes(of: "nothing") }
        }

        /// A search that waits, and an alert that a timer closes: each is seen for a second.
        @Test func `Virtual time separates refreshes, also in a recording with the system's clock`() throws {
            let (time, alert) = (VirtualScheduler(), Observable(""))
            let trace = try Trace.withRecording {
                Trace.adopt(alert, as: "alert")
                alert.subscribe { _ in }
                for text in ["Saved", "", "Sent", ""] {
                    alert.value = text
                    time.advance(by: .seconds(1))
                }
            }
            trace.expectNoRedundancy()
            let burst = try Trace.withRecording {
                Trace.adopt(alert, as: "alert")
                alert.subscribe { _ in }
                for text in ["Saved", ""] { alert.value = text }
            }
            withKnownIssue {
                burst.expectNoRedundancy()
            } matching: {
                $0.comments.contains { $0.rawValue.contains("burst") }
            }
        }

        @Test func `Expectations that fail say what happened`() throws {
            let form = Form()
            let trace = try Trace.withRecording {
                type("ab", into: form)
                type("cd", into: form)
            }
            withKnownIssue {
                trace.expectNoRedundancy()
            } matching: {
                $0.comments.contains { $0.rawValue.contains("repeated-value") }
            }
            withKnownIssue {
                trace.expectCause(of: "name", is: "tap")
            } matching: {
                $0.comments.contains { $0.rawValue.contains("was not caused by 'tap' but by: type cd → Form.name") }
            }
            withKnownIssue {
                trace.expectCause(of: "width", is: "tap")
            } matching: {
                $0.error is RecordedTraceError
            }
        }

        @Test func `An asynchronous body is recorded, and the file goes with the result`() async throws {
            let form = Form()
            var trace: RecordedTrace? = try await Trace.withRecording {
                await Task.yield()
                form.name.value = "a"
            }
            let path = try #require(trace?.path)
            #expect(FileManager.default.fileExists(atPath: path))
            trace = nil
            #expect(!FileManager.default.fileExists(atPath: path))
            #expect(!Trace.isRecording)
        }
    }
}
