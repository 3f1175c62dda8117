import Weir

// A download manager: at most two files at once, progress, pausing, a retry after a failure, and a total. Tasks do the work; the
// models are hand-written classes of observables, one for each file.

private enum DownloadError: Error { case interrupted }

/// A connection that fails once, in the middle of the third file.
private actor Connection {
    private var hasFailed = false

    func chunk(_ number: Int, of file: Int) async throws {
        try await Task.sleep(for: .milliseconds(24))
        if file == 3, number == 2, !hasFailed {
            hasFailed = true
            throw DownloadError.interrupted
        }
    }
}

@MainActor private final class Download: Equatable {
    enum State: Equatable, Sendable { case waiting, running, paused, failed, done }

    let file: Int
    let chunks: Int
    let state = Observable(State.waiting)
    let loaded = Observable(0)
    private var task: Task<Void, Never>?

    init(file: Int, chunks: Int) { (self.file, self.chunks) = (file, chunks) }

    nonisolated static func == (one: Download, other: Download) -> Bool { one === other }

    /// Goes on with the chunk after the last one that was loaded.
    func run(over connection: Connection, onEnd: @escaping @MainActor () -> Void) {
        state.value = .running
        task = Trace.task { [weak self] in
            do {
                while let next = self?.nextChunk, let file = self?.file {
                    try await connection.chunk(next, of: file)
                    self?.arrived(next)
                }
            } catch is CancellationError {
                return
            } catch {
                self?.state.value = .failed
            }
            onEnd()
        }
    }

    private var nextChunk: Int? { loaded.value < chunks ? loaded.value + 1 : nil }

    private func arrived(_ chunk: Int) {
        guard state.value == .running else { return }
        batch {
            loaded.value = chunk
            if chunk == chunks { state.value = .done }
        }
    }

    func pause() {
        task?.cancel()
        state.value = .paused
    }
}

@MainActor private final class DownloadManager {
    let downloads = ObservableArray<Download>()
    let running = Observable(0)
    private let connection = Connection()
    private static let most = 2

    func add(_ file: Int, chunks: Int) {
        downloads.append(Download(file: file, chunks: chunks))
        runNext()
    }

    func pause(_ download: Download) {
        guard download.state.value == .running else { return }
        batch {
            download.pause()
            runNext()
        }
    }

    func goOn(with download: Download) {
        guard [.paused, .failed].contains(download.state.value) else { return }
        batch {
            download.state.value = .waiting
            runNext()
        }
    }

    func removeFinished() { downloads.removeAll { $0.state.value == .done } }

    /// Runs those that wait longest, as long as there is room.
    private func runNext() {
        var count = downloads.value.count { $0.state.value == .running }
        for next in downloads.value where next.state.value == .waiting && count < Self.most {
            count += 1
            next.run(over: connection) { [weak self] in self?.runNext() }
        }
        running.value = count
    }
}

/// A cell with a bar and a button that pauses or goes on.
@MainActor private final class DownloadCell {
    let download: Download
    let bar = Label()
    let detail = Label()
    let button = Button("Pause")
    private let bag = DisposeBag()

    init(_ download: Download, _ manager: DownloadManager) {
        self.download = download
        download.loaded.current.map { [chunks = download.chunks] in "\($0 * 100 / chunks) %" }
            .bind(to: bar, \.text).disposed(by: bag)
        download.state.subscribe(initial: true) { [weak self] state in
            self?.detail.text = "\(state)"
            self?.button.title = state == .running ? "Pause" : state == .failed ? "Try again" : "Go on"
            self?.button.isHidden = state == .done || state == .waiting
        }.disposed(by: bag)
        button.onTap = { [weak manager, weak download] in
            guard let manager, let download else { return }
            if download.state.value == .running { manager.pause(download) } else { manager.goOn(with: download) }
        }
    }
}

@MainActor private final class DownloadsScreen {
    private(set) var cells: [DownloadCell] = []
    let badge = Label()
    private let bag = DisposeBag()

    init(_ manager: DownloadManager) {
        manager.downloads.subscribe(initial: true) { [weak self, weak manager] downloads in
            guard let self, let manager else { return }
            cells = downloads.map { download in
                cells.first { $0.download === download } ?? DownloadCell(download, manager)
            }
        }.disposed(by: bag)
        manager.running.current.map { $0 == 0 ? "" : "\($0)" }.removeDuplicates().bind(to: badge, \.text)
            .disposed(by: bag)
    }
}

@MainActor func downloads() async {
    let manager = DownloadManager()
    Trace.adopt(manager)
    let screen = DownloadsScreen(manager)
    Window.screens = [screen]

    for (file, chunks) in [(1, 3), (2, 6), (3, 3), (4, 2)] {
        Trace.stimulus("download") { manager.add(file, chunks: chunks) }
        await wait(milliseconds: 20)
    }
    let files = manager.downloads.value
    screen.cells[1].button.tap()
    await wait(milliseconds: 40)
    await reach(files[0].state.value == .done && files[1].state.value == .paused)
    await reach(files[2].state.value == .failed && files[3].state.value == .done)
    screen.cells[2].button.tap()
    await wait(milliseconds: 20)
    screen.cells[1].button.tap()
    await reach(files.allSatisfy { $0.state.value == .done })
    await wait(milliseconds: 20)
    Trace.stimulus("clear the list") { manager.removeFinished() }
    await wait(milliseconds: 20)
    await reach(screen.cells.isEmpty && screen.badge.text == "" && manager.running.value == 0)
}
