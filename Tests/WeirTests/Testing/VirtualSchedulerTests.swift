import Dispatch
import Testing
import Weir
import WeirTesting

extension Everything {
    @Suite struct VirtualSchedulerTests {
        /// Schedules work that logs its name and time.
        final class Log: @unchecked Sendable {
            let time = VirtualScheduler()
            var lines: [String] = []

            @discardableResult
            func note(_ text: String, after delay: DispatchTimeInterval) throws -> Disposable {
                try time.schedule(after: delay) { [unowned self] in lines.append("\(text) at \(time.now)") }
            }
        }

        @Test func `Work runs in the order of times, then of scheduling`() throws {
            let log = Log()
            try log.note("late", after: .nanoseconds(9))
            try log.note("first", after: .nanoseconds(5))
            try log.note("second", after: .nanoseconds(5))
            try log.note("now", after: .nanoseconds(-7))
            try log.note("never", after: .never)
            #expect(log.lines.isEmpty)
            log.time.advance(to: 5)
            #expect(log.lines == ["now at 0", "first at 5", "second at 5"])
            #expect(log.time.now == 5)
            log.time.advance(by: .nanoseconds(3))
            #expect(log.time.now == 8 && log.lines.count == 3)
            log.time.advance(to: 2)
            #expect(log.time.now == 8, "time goes back")
            #expect(log.time.runUntilIdle())
            #expect(log.lines.last == "late at 9" && log.lines.count == 4)
        }

        @Test func `Work that is disposed does not run, and what it holds is let go of`() throws {
            let log = Log()
            try log.note("never", after: .nanoseconds(5)).dispose()
            #expect(log.time.isIdle)
            log.time.advance(to: 10)
            #expect(log.lines.isEmpty)
        }

        @Test func `Work that schedules itself for ever is given up`() throws {
            let time = VirtualScheduler()
            @Sendable func again() { do { _ = try time.schedule { again() } } catch {} }
            again()
            #expect(!time.runUntilIdle(mostWork: 100))
            time.stop()
            #expect(time.isIdle)
        }

        @Test func `A stopped scheduler refuses work`() {
            let time = VirtualScheduler()
            time.stop()
            #expect(throws: SchedulerError.stopped) { try time.schedule {} }
            #expect("\(SchedulerError.stopped)".contains("stopped"))
        }
    }
}
