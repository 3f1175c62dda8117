import Dispatch
import Weir

// Objects that tasks and timers keep.

private protocol Busy: AnyObject, Sendable {
    var count: Int { get }
    func stop()
}

/// Opens a screen, lets its work begin, and closes it.
@MainActor private func closeAtWork<Screen: Busy>(_ open: () -> Screen) async {
    await closed(open())
    try? await Task.sleep(for: .milliseconds(200))
    Trace.checkpoint("closed")
}

@MainActor private func closed(_ screen: some Busy) async {
    Trace.track(screen)
    while screen.count == 0 { await Task.yield() }
    if isCured { screen.stop() }
    Trace.expectReleased(screen)
}

private final class Feed: Busy, @unchecked Sendable {
    var count = 0

    init() {
        if isCured {
            Task { @MainActor [weak self] in
                while !Task.isCancelled {
                    self?.count += 1
                    try? await Task.sleep(for: .seconds(60))
                }
            }
        } else {
            Task { @MainActor in  // leaks
                while !Task.isCancelled {
                    self.count += 1
                    try? await Task.sleep(for: .seconds(60))
                }
            }
        }
    }

    func stop() {}
}

@MainActor func refreshForever() async { await closeAtWork { Feed() } }

private final class Poller: Busy, @unchecked Sendable {
    var count = 0
    private var task: Task<Void, Never>?

    func start() {
        task = Task { await self.poll() }  // leaks
    }

    func poll() async {
        while !Task.isCancelled {
            count += 1
            try? await Task.sleep(for: .seconds(60))
        }
    }

    func stop() { task?.cancel() }
}

@MainActor func pollForever() async {
    await closeAtWork {
        let poller = Poller()
        poller.start()
        return poller
    }
}

private final class Ticker: Busy, @unchecked Sendable {
    var count = 0

    init(_ numbers: AsyncStream<Int>) {
        if isCured {
            Task { @MainActor [weak self] in for await number in numbers { self?.count = number } }
        } else {
            Task { @MainActor in for await number in numbers { self.count = number } }  // leaks
        }
    }

    func stop() {}
}

@MainActor func followStream() async {
    let (numbers, continuation) = AsyncStream.makeStream(of: Int.self)
    continuation.yield(1)
    await closeAtWork { Ticker(numbers) }
    Trace.stop()
    continuation.finish()
}

private final class Follower: Busy, @unchecked Sendable {
    var count = 0

    init(_ session: Session) {
        let positions = session.position.current.values
        if isCured {
            Task { @MainActor [weak self] in for try await position in positions { self?.count = position + 1 } }
        } else {
            Task { @MainActor in for try await position in positions { self.count = position + 1 } }  // leaks
        }
    }

    func stop() {}
}

@MainActor func followValues() async {
    let session = Session()
    Trace.adopt(session)
    await closeAtWork { Follower(session) }
    stop(holding: session)
}

private final class Listener: Busy, @unchecked Sendable {
    var count = 0
    private var task: Task<Void, Never>?

    func listen(to numbers: AsyncStream<Int>) {
        task = Task { @MainActor [weak self] in
            guard let self else { return }
            for await number in numbers { count = number }
        }
    }

    func stop() { task?.cancel() }
}

@MainActor func followInLoop() async {
    let (numbers, continuation) = AsyncStream.makeStream(of: Int.self)
    continuation.yield(1)
    await closeAtWork {
        let listener = Listener()
        listener.listen(to: numbers)
        return listener
    }
    Trace.stop()
    continuation.finish()
}

private final class Stopwatch: @unchecked Sendable {
    private var ticks = 0

    func start(_ timer: any DispatchSourceTimer) {
        if isCured {
            timer.setEventHandler { [weak self] in self?.ticks += 1 }
        } else {
            timer.setEventHandler { self.ticks += 1 }  // leaks
        }
        timer.schedule(deadline: .now() + .seconds(60))
        timer.activate()
    }
}

@MainActor func startTimer() async {
    let timer = DispatchSource.makeTimerSource(queue: .global())
    close {
        let watch = Stopwatch()
        watch.start(timer)
        return watch
    }
    if isCured { timer.cancel() }
    try? await Task.sleep(for: .milliseconds(200))
    Trace.checkpoint("closed")
    Trace.stop()
    if !isCured { timer.cancel() }
}
