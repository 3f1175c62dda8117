import CWeir
import Foundation
import Testing
import Weir
import WeirTrace

/// A signal handler may emit on a thread that it interrupted inside the recorder. It waits for no lock and damages no record;
/// events that it cannot record are counted as lost.
extension Everything {
    @Suite struct SignalHandlerTests {
        @Test func `Events of a signal handler are recorded or counted as lost`() throws {
            // From now on events ask for the cause of their task, which counts no loss.
            weir_tasks_carry_from_now_on()
            let file = try TemporaryTrace()
            try Trace.start(writingTo: file.path, limit: .none, snapshots: .none)
            let own = Observable(-1, line: 4711)
            own.subscribe { _ in }
            let strikes = Strikes.during {
                for number in 0..<100_000 { own.value = number }
            }
            let lost = try #require(Trace.stop())
            let recording = try Recording(reading: file.path)
            #expect(recording.damage.isEmpty)
            #expect(recording.undefined == 0)
            let name = "observable SignalHandlerTests.swift:4711"
            let isWhole = recording.emissions(of: name) == (0..<100_000).map { .signed(Int64($0)) }
            #expect(isWhole)
            // An emission, the beginning of its delivery, its end; other tests may have left work on other threads.
            let names = [name, "emitter SignalHandlerTests.swift:4712"]
            let events = recording.events.count { event in
                let delivered = event.kind == .deliveryBegan ? event.subject : event.endedSubscription
                let node =
                    switch event.kind {
                    case .emitted: event.subject
                    case .deliveryBegan, .deliveryEnded: recording.definitions.subscriptions[delivered]?.source ?? 0
                    default: UInt32(0)
                    }
                return names.contains(recording.name(node))
            }
            #expect(UInt64(events) + lost == 3 * (100_000 + UInt64(strikes)))
            #expect(lost > 0, "of \(strikes) signals none interrupted the recorder")
        }

        @Test func `A signal handler may emit while names are defined anew`() throws {
            let file = try TemporaryTrace()
            try Trace.start(writingTo: file.path, limit: .bytes(1 << 20), snapshots: .none)
            let all = (0..<50).map { Observable("\($0)", line: UInt(4800 + $0)) }
            for one in all { one.subscribe { _ in } }
            Strikes.during {
                var round = 0
                while round < 20_000 || Strikes.count < 200 {
                    all[round % 50].value = round % 100 < 50 ? "up" : "down"
                    round += 1
                }
            }
            #expect(Trace.stop() != nil)
            let recording = try Recording(reading: file.path)
            #expect(recording.damage.isEmpty)
            #expect(recording.undefined == 0)
        }
    }
}

/// Signals to one thread while it runs; their handler emits.
private enum Strikes {
    nonisolated(unsafe) private static var emitter = Emitter<Int>()
    /// Written by the signal handler, also while the thread that it interrupts reads it.
    @exclusivity(unchecked) nonisolated(unsafe) private(set) static var count = 0

    private final class Struck: @unchecked Sendable {  // Written before `begun`, and `hasEnded` by the thread alone.
        var thread = pthread_self()
        var hasEnded: UInt32 = 0
        let begun = DispatchSemaphore(value: 0), released = DispatchSemaphore(value: 0)
    }

    /// Runs `body` on a thread of its own, which signals interrupt all the time. Returns how often the handler emitted.
    @discardableResult static func during(_ body: @escaping @Sendable () -> Void) -> Int {
        emitter = Emitter<Int>(line: 4712)
        emitter.subscribe { _ in }
        // Once outside of a handler, so that all of it has a name.
        count = 1
        emitter.emit(1)
        let before = signal(SIGUSR2) { _ in
            Strikes.count += 1
            Strikes.emitter.emit(Strikes.count)
        }
        defer { _ = signal(SIGUSR2, before) }
        let struck = Struck()
        Thread {
            struck.thread = pthread_self()
            // A test's own thread may have been started with all signals blocked.
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGUSR2)
            pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            struck.begun.signal()
            body()
            weir_store_release_u32(&struck.hasEnded, 1)
            struck.released.wait()
        }.start()
        struck.begun.wait()
        while weir_load_acquire_u32(&struck.hasEnded) == 0 {
            pthread_kill(struck.thread, SIGUSR2)
            usleep(20)
        }
        struck.released.signal()
        return count
    }
}
