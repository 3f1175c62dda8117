import Dispatch
import Weir

/// An object that should be gone and is not, for what holds it is nothing that the program would name.
@available(macOS 13, *)
enum LateObject: String {
    case heldByTimer, heldByClosureOfTask, heldByLoopOfTask

    func run() async {
        switch self {
        case .heldByTimer:
            let timer = DispatchSource.makeTimerSource(queue: .global())
            await beLate(afterTicks: 0) { $0.start(timer) }
            timer.cancel()
        case .heldByClosureOfTask: await whileElementsCome { $0.follow($1) }
        case .heldByLoopOfTask: await whileElementsCome { $0.followWeakly($1) }
        }
    }

    private func whileElementsCome(_ follow: (Stopwatch, AsyncStream<Int>) -> Void) async {
        let (numbers, continuation) = AsyncStream.makeStream(of: Int.self)
        continuation.yield(1)
        await beLate(afterTicks: 1) { follow($0, numbers) }
        continuation.finish()
    }

    private func beLate(afterTicks ticks: Int, _ start: (Stopwatch) -> Void) async {
        await started(start, ticks)
        // Until it waits for more.
        try? await Task.sleep(for: .milliseconds(200))
        Trace.checkpoint("closed")
        Trace.stop()
    }

    private func started(_ start: (Stopwatch) -> Void, _ ticks: Int) async {
        let watch = Stopwatch()
        Trace.track(watch)
        start(watch)
        while watch.ticks < ticks { await Task.yield() }
        Trace.expectReleased(watch)
    }
}

private final class Stopwatch: @unchecked Sendable {
    var ticks = 0

    func start(_ timer: any DispatchSourceTimer) {
        timer.setEventHandler { self.ticks += 1 }
        timer.schedule(deadline: .now() + .seconds(60))
        timer.activate()
    }

    func follow(_ numbers: AsyncStream<Int>) {
        Task { for await number in numbers { self.ticks = number } }
    }

    /// The closure holds it weakly, what runs in it does not.
    func followWeakly(_ numbers: AsyncStream<Int>) {
        Task { [weak self] in
            guard let self else { return }
            for await number in numbers { self.ticks = number }
        }
    }
}
