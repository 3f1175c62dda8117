import Weir

// A feed of prices over a socket: a stream that may fail, reconnects with growing waits, subscriptions to symbols, and alerts. The
// stream carries causes; the rest is async code and a model of observables.

private struct Quote: Equatable, Sendable {
    let symbol: String
    let cents: Int
}

private enum SocketMessage: Sendable {
    case quote(Quote)
    case heartbeat
}

private enum SocketError: Error { case closed, refused }

/// A socket as a system has it. The server refuses some connections, and closes others after a few messages.
@MainActor private final class Socket {
    var onMessage: ((SocketMessage) -> Void)?
    var onClose: ((any Error) -> Void)?
    private(set) var subscribed: Set<String> = []
    private var sending: Task<Void, Never>?

    static var connections = 0

    func connect() async throws {
        await wait(milliseconds: 5)
        Self.connections += 1
        if [2, 3].contains(Self.connections) { throw SocketError.refused }
        let isFirst = Self.connections == 1
        sending = Task { [weak self] in
            for step in 1...(isFirst ? 4 : 8) {
                await wait(milliseconds: 20)
                guard let self, !Task.isCancelled else { return }
                if step.isMultiple(of: 4) { onMessage?(.heartbeat) }
                for (index, symbol) in subscribed.sorted().enumerated() where (step + index).isMultiple(of: 2) {
                    onMessage?(.quote(Quote(symbol: symbol, cents: 10_000 + step * 35 + index * 1_000)))
                }
            }
            if isFirst { self?.onClose?(SocketError.closed) }
        }
    }

    func subscribe(_ symbols: Set<String>) { subscribed = symbols }

    func close() { sending?.cancel() }

    /// The messages until the socket is closed.
    func messages() -> TracedAsyncThrowingStream<SocketMessage> {
        AsyncThrowingStream<SocketMessage, any Error>.traced("Socket.messages") { continuation in
            onMessage = { continuation.yield($0) }
            onClose = { continuation.finish(throwing: $0) }
        }
    }
}

@MainActor private final class QuotesModel {
    enum Connection: Equatable, Sendable {
        case offline
        case connecting(attempt: Int)
        case online
    }

    let symbols = Observable<Set<String>>(["AAPL", "SONY"])
    let quotes = Observable<[String: Int]>([:])
    let connection = Observable(Connection.offline)
    let limits = Observable<[String: Int]>([:])
    let missedBeats = Observable(0)
    let alerts: ObservableArray<String> = ObservableArray()
    private var feed: Task<Void, Never>?
    private var socket: Socket?
    private let bag = DisposeBag()

    init() {
        symbols.subscribe { [weak self] symbols in
            guard let self else { return }
            socket?.subscribe(symbols)
            quotes.value = quotes.value.filter { symbols.contains($0.key) }
        }.disposed(by: bag)
        let exceeded: Combiner<Set<String>> = .combine(quotes, limits, strategy: .settled) { quotes, limits in
            Set(limits.filter { symbol, limit in quotes[symbol].map { $0 > limit } ?? false }.keys)
        }
        exceeded.subscribe { [weak self] symbols in
            for symbol in symbols.sorted() { self?.alerts.append("\(symbol) is above its limit") }
        }.disposed(by: bag)
    }

    func start() {
        feed = Trace.task { [weak self] in
            var failures = 0
            while !Task.isCancelled {
                self?.connection.value = .connecting(attempt: failures + 1)
                do {
                    let socket = Socket()
                    try await socket.connect()
                    failures = 0
                    try await self?.receive(from: socket)
                    return
                } catch is CancellationError {
                    return
                } catch {
                    failures += 1
                    self?.connection.value = .offline
                    await wait(milliseconds: min(10 << failures, 80))
                }
            }
        }
    }

    private func receive(from socket: Socket) async throws {
        self.socket = socket
        socket.subscribe(symbols.value)
        connection.value = .online
        defer { socket.close() }
        try await socket.messages().forEach { [weak self] message in
            switch message {
            case .quote(let quote): self?.quotes.value[quote.symbol] = quote.cents
            case .heartbeat: self?.missedBeats.value = 0
            }
        }
    }

    func stop() {
        feed?.cancel()
        feed = nil
        connection.value = .offline
    }
}

@MainActor private final class QuoteRow {
    let price = Label()
    let arrow = Label()
    private let bag = DisposeBag()

    init(_ symbol: String, _ model: QuotesModel) {
        let price = model.quotes.current.compactMap { $0[symbol] }.removeDuplicates().share()
        price.scan((0, 0)) { ($0.1, $1) }.map { $1 > $0 ? "▲" : "▼" }.removeDuplicates()
            .bind(to: arrow, \.text).disposed(by: bag)
        price.map { "\($0 / 100).\($0 % 100)" }.bind(to: self.price, \.text).disposed(by: bag)
    }
}

@MainActor private final class QuotesScreen {
    let banner = Label()
    let alert = Label()
    private(set) var rows: [String: QuoteRow] = [:]
    private let bag = DisposeBag()

    init(_ model: QuotesModel) {
        model.symbols.subscribe(initial: true) { [weak self, weak model] symbols in
            guard let self, let model else { return }
            rows = rows.filter { symbols.contains($0.key) }
            for symbol in symbols where rows[symbol] == nil { rows[symbol] = QuoteRow(symbol, model) }
        }.disposed(by: bag)
        model.connection.subscribe(initial: true) { [weak self] connection in
            self?.banner.isHidden = connection == .online
            switch connection {
            case .offline: self?.banner.text = "No connection"
            case .connecting(let attempt): self?.banner.text = attempt > 1 ? "Connecting, attempt \(attempt)" : ""
            case .online: self?.banner.text = ""
            }
        }.disposed(by: bag)
        model.alerts.subscribe { [weak self] in self?.alert.text = $0.last ?? "" }.disposed(by: bag)
    }
}

@MainActor func socket() async {
    let model = QuotesModel()
    Trace.adopt(model)
    var screen: QuotesScreen? = QuotesScreen(model)
    if let screen { Trace.track(screen) }

    Trace.stimulus("open") { model.start() }
    await wait(milliseconds: 60)
    Trace.stimulus("set a limit") { model.limits.value["SONY"] = 11_100 }
    await wait(milliseconds: 60)
    await reach(model.connection.value == .online && Socket.connections == 4)
    await reach(screen?.banner.isHidden == true)
    Trace.stimulus("add a symbol") { model.symbols.modify { $0.insert("NTDOY") } }
    await wait(milliseconds: 80)
    Trace.stimulus("remove a symbol") { model.symbols.modify { $0.remove("AAPL") } }
    await wait(milliseconds: 120)
    await reach(screen?.alert.text == "SONY is above its limit" && screen?.rows.count == 2)

    Trace.stimulus("close") {
        model.stop()
        if let screen { Trace.expectReleased(screen) }
        screen = nil
    }
    Trace.checkpoint("closed")
    await wait(milliseconds: 40)
}
