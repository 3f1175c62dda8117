import Dispatch
import Foundation
import Synchronization
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
    private var task: Task<Void, Never>?

    init() {
        if isCured {
            task = Task { @MainActor [weak self] in
                while !Task.isCancelled {
                    self?.count += 1
                    try? await Task.sleep(for: .seconds(60))
                }
            }
        } else {
            task = Task { @MainActor in  // leaks
                while !Task.isCancelled {
                    self.count += 1
                    try? await Task.sleep(for: .seconds(60))
                }
            }
        }
    }

    func stop() { task?.cancel() }
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
    private var task: Task<Void, Never>?

    init(_ numbers: AsyncStream<Int>) {
        if isCured {
            task = Task { @MainActor [weak self] in for await number in numbers { self?.count = number } }
        } else {
            task = Task { @MainActor in for await number in numbers { self.count = number } }  // leaks
        }
    }

    func stop() { task?.cancel() }
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
    private var task: Task<Void, any Error>?

    init(_ session: Session) {
        let positions = session.position.current.values
        if isCured {
            task = Task { @MainActor [weak self] in for try await position in positions { self?.count = position + 1 } }
        } else {
            task = Task { @MainActor in for try await position in positions { self.count = position + 1 } }  // leaks
        }
    }

    func stop() { task?.cancel() }
}

@MainActor func followValues() async {
    let session = Session()
    Trace.adopt(session)
    await closeAtWork { Follower(session) }
    stop(holding: session)
}

/// A screen that follows a property of its own.
@MainActor private final class Status {
    let status = Observable("idle")
    private(set) var shown = ""
    private var task: Task<Void, Never>?

    init() {
        if isCured {
            task = Task { [weak self, values = status.values] in
                do { for try await value in values { self?.shown = value } } catch {}
            }
        } else {
            task = Task { do { for try await value in self.status.values { self.shown = value } } catch {} }  // leaks
        }
    }

    func stop() { task?.cancel() }
}

@MainActor func followStatus() async {
    func shut() async {
        let status = Status()
        Trace.adopt(status)
        while status.shown.isEmpty {
            status.status.value += "."
            await Task.yield()
        }
        if isCured { status.stop() }
        Trace.expectReleased(status)
    }
    await shut()
    try? await Task.sleep(for: .milliseconds(200))
    Trace.checkpoint("closed")
}

private final class Request: Busy, @unchecked Sendable {
    var count = 0
    private var task: Task<Void, Never>?

    init() {
        count = 1
        if isCured {
            task = Task { @MainActor [weak self] in
                try? await Task.sleep(for: .seconds(60))
                guard let self else { return }
                count += 1
            }
        } else {
            task = Task { @MainActor in  // leaks
                try? await Task.sleep(for: .seconds(60))
                self.count += 1
            }
        }
    }

    func stop() { task?.cancel() }
}

@MainActor func requestOnce() async { await closeAtWork { Request() } }

private final class Listener: Busy, @unchecked Sendable {
    var count = 0
    private var task: Task<Void, Never>?

    func listen(to numbers: AsyncStream<Int>) {
        task = Task { @MainActor [weak self] in  // leaks
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

private final class Search: Busy, @unchecked Sendable {
    var count = 0
    private var pending: DispatchWorkItem?

    func type() {
        let work =
            isCured
            ? DispatchWorkItem { [weak self] in self?.count += 1 }
            : DispatchWorkItem { self.count += 1 }  // leaks
        pending = work
        DispatchQueue.main.async(execute: work)
    }

    func stop() {}
}

@MainActor func searchLater() async {
    await closeAtWork {
        let search = Search()
        search.type()
        return search
    }
}

private final class Picker: Busy, @unchecked Sendable {
    var count = 0
    private var continuation: CheckedContinuation<Int, Never>?

    func pick() async -> Int {
        await withCheckedContinuation {
            continuation = $0
            count += 1
        }
    }

    func show() {
        Task { @MainActor in _ = await self.pick() }  // leaks
    }

    func stop() {
        continuation?.resume(returning: 0)
        continuation = nil
    }
}

@MainActor func pickForever() async {
    await closeAtWork {
        let picker = Picker()
        picker.show()
        return picker
    }
}

private enum Grouping {
    case plain, throwing, discarding
}

/// A screen whose task adds another one to a group, which loops.
private final class Contacts: Busy, @unchecked Sendable {
    var count = 0
    private var task: Task<Void, any Error>?

    func load(_ changes: AsyncStream<Int>, _ grouping: Grouping) {
        if isCured {
            task = Task { [weak self] in
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { [weak self] in for await change in changes { self?.count = change } }
                }
            }
            return
        }
        switch grouping {
        case .plain:
            task = Task {  // leaks
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { for await change in changes { self.count = change } }
                }
            }
        case .throwing:
            task = Task {  // leaks
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { for await change in changes { self.count = change } }
                    group.addTask { while true { try await Task.sleep(for: .seconds(60)) } }
                    try await group.next()
                    group.cancelAll()
                }
            }
        case .discarding:
            task = Task {  // leaks
                await withDiscardingTaskGroup { group in group.addTask { await self.follow(changes) } }
            }
        }
    }

    func follow(_ changes: AsyncStream<Int>) async {
        for await change in changes { count = change }
    }

    func stop() { task?.cancel() }
}

@MainActor private func loadContacts(_ grouping: Grouping) async {
    let (changes, continuation) = AsyncStream.makeStream(of: Int.self)
    continuation.yield(1)
    await closeAtWork {
        let contacts = Contacts()
        contacts.load(changes, grouping)
        return contacts
    }
    Trace.stop()
    continuation.finish()
}

@MainActor func loadInGroup() async { await loadContacts(.plain) }
@MainActor func loadInThrowingGroup() async { await loadContacts(.throwing) }
@MainActor func loadInDiscardingGroup() async { await loadContacts(.discarding) }

/// A screen that loads two values at once, of which one never comes.
private final class Dashboard: Busy, @unchecked Sendable {
    var count = 0
    private var pulse = 0
    private var waiting: CheckedContinuation<Int, Never>?

    func load() {
        Task {
            async let steps = self.steps()
            async let pulse = self.measure()
            self.pulse = await steps + pulse
        }
    }

    private func steps() async -> Int {
        await Task.yield()
        return 1
    }

    private func measure() async -> Int {
        await withCheckedContinuation {
            waiting = $0
            count += 1
        }
    }

    func stop() {
        waiting?.resume(returning: 60)
        waiting = nil
    }
}

@MainActor func loadDashboard() async {
    await closeAtWork {
        let dashboard = Dashboard()
        dashboard.load()
        return dashboard
    }
}

/// A token that several requests share, each of which waits for the task that loads it.
private actor Tokens {
    private var loading: Task<Int, Never>?
    private var waiting: CheckedContinuation<Int, Never>?

    func token() async -> Int {
        let task = loading ?? Task { await load() }
        loading = task
        return await task.value
    }

    private func load() async -> Int {
        await withCheckedContinuation { waiting = $0 }
    }

    func answer() {
        waiting?.resume(returning: 1)
        waiting = nil
    }
}

private final class Profile: Busy, @unchecked Sendable {
    var count = 0
    private var token = 0

    init(_ tokens: Tokens) {
        Task { @MainActor in
            count += 1
            token = await tokens.token()
        }
    }

    func stop() {}
}

@MainActor func refreshToken() async {
    let tokens = Tokens()
    await closed(Profile(tokens))
    try? await Task.sleep(for: .milliseconds(200))
    if isCured {
        await tokens.answer()
        try? await Task.sleep(for: .milliseconds(200))
    }
    Trace.checkpoint("closed")
    Trace.stop()
    await tokens.answer()
}

/// A token whose renewal takes long, and which every screen shares.
private actor Renewal {
    private var renewing: Task<Int, any Error>?

    func token() async throws -> Int {
        if let renewing { return try await renewing.value }
        let task = Task { try await renew() }  // leaks
        renewing = task
        return try await task.value
    }

    private func renew() async throws -> Int {
        try await Task.sleep(for: .seconds(600))
        return 1
    }
}

private final class Inbox: Busy, @unchecked Sendable {
    var count = 0
    private let renewal: Renewal
    private var token = 0

    init(_ renewal: Renewal) { self.renewal = renewal }

    func load() {
        if isCured {
            Task { @MainActor [weak self, renewal] in
                self?.count += 1
                let token = try await renewal.token()
                self?.token = token
            }
        } else {
            Task { @MainActor in
                count += 1
                token = try await renewal.token()
            }
        }
    }

    func stop() {}
}

@MainActor func openInbox() async {
    let renewal = Renewal()
    await closeAtWork {
        let inbox = Inbox(renewal)
        inbox.load()
        return inbox
    }
    withExtendedLifetime(renewal) {}
}

/// A room whose stream ends with it: the loop holds it weakly.
private final class Room: Busy, @unchecked Sendable {
    var count = 0
    private var isOpen = true
    private var continuation: AsyncStream<Int>.Continuation?
    private var reader: Task<Void, Never>?

    func open() {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        if isCured {
            continuation.onTermination = { [weak self] _ in self?.isOpen = false }
        } else {
            continuation.onTermination = { _ in self.isOpen = false }  // leaks
        }
        self.continuation = continuation
        reader = Task { @MainActor [weak self] in
            for await number in stream { self?.count += number }
        }
        continuation.yield(1)
    }

    func stop() {}
    deinit { continuation?.finish() }
}

@MainActor func leaveRoom() async {
    await closeAtWork {
        let room = Room()
        room.open()
        return room
    }
}

private final class Clock: @unchecked Sendable {
    private var ticks = 0
    private weak var timer: Timer?

    func start() {
        if isCured {
            timer = .scheduledTimer(withTimeInterval: 60, repeats: true) { [weak self] _ in self?.ticks += 1 }
        } else {
            timer = .scheduledTimer(withTimeInterval: 60, repeats: true) { _ in self.ticks += 1 }  // leaks
        }
    }

    func stop() { timer?.invalidate() }
}

@MainActor func repeatTimer() {
    close {
        let clock = Clock()
        clock.start()
        if isCured { clock.stop() }
        return clock
    }
    Trace.checkpoint("closed")
    Trace.stop()
}

private final class Item: @unchecked Sendable {
    var text = "milk"
}

private final class UndoStack {
    var undos: [() -> Void] = []

    /// The compiler wraps what it appends.
    func register(_ undo: @escaping () -> Void) { undos.append(undo) }
}

@MainActor func undoRemoval() {
    let stack = UndoStack()
    Trace.track(stack)
    close {
        let item = Item()
        stack.undos.append { item.text = "" }  // leaks
        return item
    }
    if isCured { stack.undos.removeAll() }
    Trace.checkpoint("closed")
    stop(holding: stack)
}

@MainActor func registerUndo() {
    let stack = UndoStack()
    Trace.track(stack)
    close {
        let item = Item()
        stack.register { item.text = "" }  // leaks
        return item
    }
    if isCured { stack.undos.removeAll() }
    Trace.checkpoint("closed")
    stop(holding: stack)
}

private final class Numbers: @unchecked Sendable {
    private var last = 0
    private var stream: AsyncStream<Int>?

    init() {
        stream =
            isCured
            ? AsyncStream { [weak self] in self?.last }
            : AsyncStream { self.last }  // leaks
    }
}

@MainActor func unfoldNumbers() {
    close { Numbers() }
    Trace.checkpoint("closed")
}

private final class Places: @unchecked Sendable {
    private var isActive = false
    private var stream: AsyncStream<Int>?

    init() {
        stream = AsyncStream { continuation in
            if isCured {
                continuation.onTermination = { [weak self] _ in self?.isActive = false }
            } else {
                continuation.onTermination = { _ in self.isActive = false }  // leaks
            }
        }
    }
}

@MainActor func endPlaces() {
    close { Places() }
    Trace.checkpoint("closed")
}

/// A store whose saving goes on until the program allows it to end.
private actor Store {
    private var waiting: CheckedContinuation<Void, Never>?
    private var isAllowed = false

    func save() async {
        if !isAllowed { await withCheckedContinuation { waiting = $0 } }
    }

    func allow() {
        isAllowed = true
        waiting?.resume()
        waiting = nil
    }
}

private final class Document: @unchecked Sendable {
    private var isSaved = false

    func close(_ store: Store) -> Task<Void, Never> {
        Task {
            await store.save()
            self.isSaved = true
        }
    }
}

@MainActor func saveWhileClosing() async {
    let store = Store()
    func shut() -> Task<Void, Never> {
        let document = Document()
        Trace.expectReleased(document)
        return document.close(store)
    }
    let saving = shut()
    if isCured {
        await store.allow()
        await saving.value
    }
    Trace.checkpoint("closed")
    await store.allow()
    await saving.value
}

/// Work that ends only when it is asked to, without an await.
private final class Encoder: Busy, @unchecked Sendable {
    private let state = Mutex((count: 0, isStopped: false))
    var count: Int { state.withLock(\.count) }

    func enqueue(on queue: OperationQueue) {
        if isCured {
            queue.addOperation { [weak self] in while self?.encode() == true {} }
        } else {
            queue.addOperation { self.encodeAll() }  // leaks
        }
    }

    func start() {
        let thread =
            isCured
            ? Thread { [weak self] in while self?.encode() == true {} }
            : Thread { self.encodeAll() }  // leaks
        thread.start()
    }

    private func encodeAll() { while encode() {} }

    private func encode() -> Bool {
        Thread.sleep(forTimeInterval: 0.001)
        return state.withLock { state in
            state.count += 1
            return !state.isStopped
        }
    }

    func stop() { state.withLock { $0.isStopped = true } }
}

@MainActor func encodeInOperation() async {
    let queue = OperationQueue()
    await closeAtWork {
        let encoder = Encoder()
        encoder.enqueue(on: queue)
        return encoder
    }
}

@MainActor func encodeInThread() async {
    await closeAtWork {
        let encoder = Encoder()
        encoder.start()
        return encoder
    }
}

/// A screen that waits for one value.
@MainActor private final class Welcome {
    let ready = Emitter<Void>()
    private var text = ""
    private var task: Task<Void, any Error>?

    func wait() {
        if isCured {
            task = Task { [weak self, ready] in
                _ = try await ready.first
                self?.text = "ready"
            }
        } else {
            task = Task {  // leaks
                _ = try await ready.first
                text = "ready"
            }
        }
    }

    func stop() { task?.cancel() }
}

@MainActor func waitForFirst() async {
    func shut() async {
        let welcome = Welcome()
        Trace.adopt(welcome)
        welcome.wait()
        try? await Task.sleep(for: .milliseconds(100))
        if isCured { welcome.stop() }
        Trace.expectReleased(welcome)
    }
    await shut()
    try? await Task.sleep(for: .milliseconds(200))
    Trace.checkpoint("closed")
}

/// A screen that two tasks keep, each with a line of its own.
private final class Player: Busy, @unchecked Sendable {
    var count = 0
    private var tasks: [Task<Void, Never>] = []

    func play(_ sounds: AsyncStream<Int>, _ pictures: AsyncStream<Int>) {
        if isCured {
            tasks = [
                Task { @MainActor [weak self] in for await sound in sounds { self?.count += sound } },
                Task { @MainActor [weak self] in for await picture in pictures { self?.count += picture } },
            ]
        } else {
            let sound = Task { @MainActor in for await sound in sounds { self.count += sound } }  // leaks
            let picture = Task { @MainActor in for await picture in pictures { self.count += picture } }
            tasks = [sound, picture]
        }
    }

    func stop() { for task in tasks { task.cancel() } }
}

/// A screen whose group has two tasks that keep it.
private final class Gallery: Busy, @unchecked Sendable {
    var count = 0
    private var task: Task<Void, Never>?

    func load(_ photos: AsyncStream<Int>, _ albums: AsyncStream<Int>) {
        if isCured {
            task = Task { [weak self] in
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { [weak self] in for await photo in photos { self?.count += photo } }
                    group.addTask { [weak self] in for await album in albums { self?.count += album } }
                }
            }
        } else {
            task = Task {  // leaks
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { for await photo in photos { self.count += photo } }
                    group.addTask { for await album in albums { self.count += album } }
                }
            }
        }
    }

    func stop() { task?.cancel() }
}

@MainActor private func closeWithStreams<Screen: Busy>(
    _ open: (AsyncStream<Int>, AsyncStream<Int>) -> Screen
) async {
    let (one, first) = AsyncStream.makeStream(of: Int.self)
    let (two, second) = AsyncStream.makeStream(of: Int.self)
    first.yield(1)
    second.yield(1)
    await closeAtWork { open(one, two) }
    Trace.stop()
    first.finish()
    second.finish()
}

@MainActor func playInTwoTasks() async {
    await closeWithStreams {
        let player = Player()
        player.play($0, $1)
        return player
    }
}

@MainActor func loadInTwoChildren() async {
    await closeWithStreams {
        let gallery = Gallery()
        gallery.load($0, $1)
        return gallery
    }
}
