import Weir

// A download manager: a queue of downloads over a transport, a delegate, and the screen that shows them. Three lines are
// changed for Weir.

/// A file to be downloaded.
struct DownloadRequest: Hashable, Sendable {
    let name: String
    let bytes: Int
}

/// A download, and how far it has come.
final class DownloadItem: CustomStringConvertible {
    enum State: Equatable {
        case waiting, running, paused, finished
        case failed(String)
    }

    let request: DownloadRequest
    fileprivate(set) var state = State.waiting
    fileprivate(set) var received = 0
    fileprivate(set) var attempts = 0

    init(_ request: DownloadRequest) { self.request = request }

    var description: String { "\(request.name) \(percent) %" }

    var percent: Int { request.bytes == 0 ? 100 : received * 100 / request.bytes }

    var isOver: Bool {
        switch state {
        case .finished, .failed: true
        case .waiting, .running, .paused: false
        }
    }
}

/// The network; it reports what arrives.
protocol DownloadTransport: AnyObject {
    var onBytes: ((String, Int) -> Void)? { get set }
    var onFailure: ((String, String) -> Void)? { get set }
    func begin(_ request: DownloadRequest, from offset: Int)
    func cancel(_ name: String)
}

/// A network whose packets arrive when they are sent.
final class DownloadSimulator: DownloadTransport {
    var onBytes: ((String, Int) -> Void)?
    var onFailure: ((String, String) -> Void)?
    private(set) var open: [String] = []

    func begin(_ request: DownloadRequest, from offset: Int) { open.append(request.name) }

    func cancel(_ name: String) { open.removeAll { $0 == name } }

    func send(_ count: Int, of name: String) {
        guard open.contains(name) else { return }
        withTracing("bytes", "\(name) \(count)") { onBytes?(name, count) }  // changed line
    }

    func breakDown(_ name: String) {
        guard open.contains(name) else { return }
        cancel(name)
        onFailure?(name, "The connection was lost.")
    }
}

/// Hears what becomes of downloads.
protocol DownloadManagerDelegate: AnyObject {
    func manager(_ manager: DownloadManager, didUpdate item: DownloadItem)
    func managerDidFinishAll(_ manager: DownloadManager)
}

/// Runs a few downloads at a time, and begins again what broke down.
final class DownloadManager {
    weak var delegate: (any DownloadManagerDelegate)?
    private(set) var items: [DownloadItem] = []
    private let transport: any DownloadTransport
    private let mostRunning: Int
    private let mostAttempts: Int

    init(transport: any DownloadTransport, mostRunning: Int = 2, mostAttempts: Int = 2) {
        self.transport = transport
        (self.mostRunning, self.mostAttempts) = (mostRunning, mostAttempts)
        transport.onBytes = { [weak self] name, count in self?.received(count, of: name) }
        // A fault: the transport holds this closure, and the manager holds the transport.
        transport.onFailure = { name, reason in self.failed(name, reason) }
    }

    // MARK: The queue

    func add(_ request: DownloadRequest) {
        guard item(request.name) == nil else { return }
        items.append(DownloadItem(request))
        beginNext()
    }

    func pause(_ name: String) {
        guard let item = item(name), item.state == .running else { return }
        transport.cancel(name)
        item.state = .paused
        notify(item)
        beginNext()
    }

    func resume(_ name: String) {
        guard let item = item(name), item.state == .paused else { return }
        item.state = .waiting
        beginNext()
    }

    func removeFinished() { items.removeAll { $0.state == .finished } }

    private func item(_ name: String) -> DownloadItem? { items.first { $0.request.name == name } }

    private func beginNext() {
        let running = items.count { $0.state == .running }
        for item in items.filter({ $0.state == .waiting }).prefix(max(0, mostRunning - running)) {
            item.state = .running
            item.attempts += 1
            transport.begin(item.request, from: item.received)
        }
    }

    // MARK: The transport

    private func received(_ count: Int, of name: String) {
        guard let item = item(name), item.state == .running else { return }
        item.received = min(item.request.bytes, item.received + count)
        notify(item)
        guard item.received == item.request.bytes else { return }
        transport.cancel(name)
        item.state = .finished
        // A fault: the delegate has just heard of the last byte.
        notify(item)
        beginNext()
        if items.allSatisfy(\.isOver) { delegate?.managerDidFinishAll(self) }
    }

    private func failed(_ name: String, _ reason: String) {
        guard let item = item(name), item.state == .running else { return }
        if item.attempts < mostAttempts {
            item.state = .waiting
            beginNext()
        } else {
            item.state = .failed(reason)
            notify(item)
            beginNext()
        }
    }

    private func notify(_ item: DownloadItem) {
        withTracing("didUpdate", "\(item)") { delegate?.manager(self, didUpdate: item) }  // changed line
    }
}

/// A row of the list.
struct DownloadRow: Equatable {
    var name: String
    var detail: String
}

/// The list of downloads, and a line that sums them up.
final class DownloadScreen: DownloadManagerDelegate {
    private(set) var rows: [DownloadRow] = []
    @Traced private(set) var summary = "Nothing to do"  // changed line
    private(set) var isDone = false
    private let manager: DownloadManager
    /// The sum of all bytes that the summary shows.
    private var summedUp = 0

    init(_ manager: DownloadManager) {
        self.manager = manager
        manager.delegate = self
    }

    func manager(_ manager: DownloadManager, didUpdate item: DownloadItem) {
        show(item)
        sumUp()
    }

    func managerDidFinishAll(_ manager: DownloadManager) { isDone = true }

    private func show(_ item: DownloadItem) {
        let row = DownloadRow(name: item.request.name, detail: Self.detail(of: item))
        if let index = rows.firstIndex(where: { $0.name == row.name }) {
            if rows[index] != row { rows[index] = row }
        } else {
            rows.append(row)
        }
    }

    private func sumUp() {
        let received = manager.items.reduce(0) { $0 + $1.received }
        // Small steps would make the line flicker.
        guard received - summedUp >= 1_000 || manager.items.allSatisfy(\.isOver) else { return }
        summedUp = received
        let total = manager.items.reduce(0) { $0 + $1.request.bytes }
        summary = "\(received / 1_000) of \(total / 1_000) kB"
    }

    private static func detail(of item: DownloadItem) -> String {
        switch item.state {
        case .waiting: "waiting"
        case .running: "\(item.percent) %"
        case .paused: "paused at \(item.percent) %"
        case .finished: "done"
        case .failed(let reason): reason
        }
    }
}
