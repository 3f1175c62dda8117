import Testing
import Weir
import WeirTrace

extension Everything {
    /// The building blocks of the signals of key-value observing and of controls, which cannot be compiled everywhere.
    @Suite struct NamedSourceTests {
        private final class Screen {
            let taps: Signal<Int>
            init(_ taps: Signal<Int>) { self.taps = taps }
        }

        private func source(_ name: String?, privacy: TracePrivacy = .public) -> Signal<Int> {
            Signal(named: name, privacy: privacy, file: "App/Screen.swift", line: 7) { subscriber in
                subscriber.next(3)
                return nil
            }
        }

        private func emissions(_ recording: Recording) -> [String] {
            recording.events.filter { $0.kind == .emitted }.map { "\(recording.name($0.subject)) = \($0.value)" }
        }

        @Test func `A trace knows it by its name, by its line, or by the property that holds it`() throws {
            let recording = try record {
                source("tap Login").subscribe { _ in }
                source(nil).subscribe { _ in }
                let screen = Screen(source("tap Login"))
                Trace.adopt(screen)
                screen.taps.subscribe { _ in }
            }
            #expect(emissions(recording) == ["tap Login = 3", "source Screen.swift:7 = 3", "Screen.taps = 3"])
        }

        @Test func `A private one tells no value`() throws {
            let recording = try record { source("typed password", privacy: .private).subscribe { _ in } }
            #expect(recording.emissions(of: "typed password") == [.withheld])
        }
    }
}
