import Observation
import Weir

// A list in pages with pull to refresh: an observable class with async functions. Rows are models of their own, which can be liked.

private struct Post: Sendable {
    let id: Int
    let text: String
    let likes: Int
}

private struct PostPage: Sendable {
    let posts: [Post]
    let next: Int?
}

private enum TimelineError: Error { case offline }

/// The server: newer posts arrive while the list is open, and one request fails.
private actor TimelineServer {
    private var newest = 40
    private var requests = 0

    func page(from start: Int?) async throws -> PostPage {
        requests += 1
        let number = requests
        try await Task.sleep(for: .milliseconds(20))
        if number == 3 { throw TimelineError.offline }
        let first = start ?? newest
        let ids = stride(from: first, to: max(0, first - 8), by: -1)
        return PostPage(
            posts: ids.map { Post(id: $0, text: "post \($0)", likes: $0 % 5) }, next: first > 24 ? first - 8 : nil)
    }

    func like(_ id: Int) async throws { try await Task.sleep(for: .milliseconds(20)) }

    func publish(_ count: Int) { newest += count }
}

@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
@Observable @MainActor private final class PostRow {
    let id: Int
    let text: String
    var likes: Int
    var isLiked = false

    init(_ post: Post) {
        id = post.id
        text = post.text
        likes = post.likes
    }
}

@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
@Observable @MainActor private final class TimelineModel {
    enum Phase: Equatable, Sendable { case idle, loading, refreshing, failed }

    private(set) var rows: [PostRow] = []
    private(set) var phase = Phase.idle
    private(set) var isAtEnd = false
    private var next: Int?
    @ObservationIgnored private let server: TimelineServer
    @ObservationIgnored private var loading: Task<Void, Never>?

    init(_ server: TimelineServer) { self.server = server }

    /// Loads the newest posts; rows that stay keep their models.
    func refresh() async {
        loading?.cancel()
        await load(.refreshing) { [server] in
            try await server.page(from: nil)
        } show: { page in
            let known = Dictionary(uniqueKeysWithValues: self.rows.map { ($0.id, $0) })
            self.rows = page.posts.map { known[$0.id] ?? PostRow($0) }
        }
    }

    /// Loads the next page when the last rows appear.
    func appear(_ row: PostRow) async {
        guard phase != .loading, phase != .refreshing, let next, rows.suffix(3).contains(where: { $0 === row }) else {
            return
        }
        await load(.loading) { [server] in
            try await server.page(from: next)
        } show: { page in
            self.rows += page.posts.map(PostRow.init)
        }
    }

    func toggleLike(_ row: PostRow) async {
        row.isLiked.toggle()
        row.likes += row.isLiked ? 1 : -1
        do {
            try await server.like(row.id)
        } catch {
            row.isLiked.toggle()
            row.likes += row.isLiked ? 1 : -1
        }
    }

    private func load(
        _ phase: Phase, _ page: @escaping @Sendable () async throws -> PostPage, show: @escaping (PostPage) -> Void
    ) async {
        self.phase = phase
        let task = Trace.task {
            do {
                let page = try await page()
                guard !Task.isCancelled else { return }
                show(page)
                self.next = page.next
                if self.isAtEnd != (page.next == nil) { self.isAtEnd = page.next == nil }
                self.phase = .idle
            } catch is CancellationError {
                // The load that has replaced this one sets the phase.
            } catch {
                self.phase = .failed
            }
        }
        loading = task
        await task.value
    }
}

@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
@MainActor private final class TimelineScreen {
    let list = Label()
    let footer = Label()
    let spinner = Label()
    private let model: TimelineModel
    private var body: [Disposable] = []
    private var cells: [Int: Disposable] = [:]
    private(set) var shownLikes: [Int: String] = [:]

    init(_ model: TimelineModel) {
        self.model = model
        body.append(
            Trace.render("List.body") { [weak self] in
                let rows = self?.model.rows ?? []
                self?.show(rows)
                return rows.map(\.id)
            })
        body.append(
            Trace.render("Footer.body") { [weak self, weak model] in
                guard let model else { return "" }
                let text =
                    switch model.phase {
                    case .loading: "Loading …"
                    case .failed: "No connection"
                    default: model.isAtEnd ? "That is all" : ""
                    }
                self?.footer.text = text
                return text
            })
    }

    private func show(_ rows: [PostRow]) {
        list.text = "\(rows.count) posts"
        let ids = Set(rows.map(\.id))
        for (id, cell) in cells where !ids.contains(id) {
            cell.dispose()
            cells[id] = nil
        }
        for row in rows where cells[row.id] == nil {
            cells[row.id] = Trace.render("PostCell.body") { [weak self, weak row] in
                guard let row else { return "" }
                let text = "\(row.text) \(row.isLiked ? "♥" : "♡") \(row.likes)"
                self?.shownLikes[row.id] = text
                return text
            }
        }
    }
}

@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
@MainActor func timeline() async {
    let server = TimelineServer()
    let model = TimelineModel(server)
    Trace.adopt(model)
    Trace.observe(model, \.rows, \.phase, \.isAtEnd)
    Trace.observe(PostRow.self, \.likes, \.isLiked)
    let screen = TimelineScreen(model)
    Window.screens = [screen]
    await wait(milliseconds: 30)

    func act(_ name: String, _ action: @escaping @MainActor () async -> Void) async {
        let task = Trace.stimulus(name) { Trace.task { await action() } }
        await task.value
        await wait(milliseconds: 40)
    }
    await act("open") { await model.refresh() }
    await act("scroll") { await model.appear(model.rows[6]) }
    await act("like") { await model.toggleLike(model.rows[2]) }
    await act("scroll") { await model.appear(model.rows[14]) }
    await reach(screen.footer.text == "No connection")
    await act("scroll") { await model.appear(model.rows[15]) }
    await server.publish(3)
    await act("pull to refresh") { await model.refresh() }
    while !model.isAtEnd { await act("scroll") { await model.appear(model.rows[model.rows.count - 1]) } }
    await act("unlike") { await model.toggleLike(model.rows[5]) }
    await reach(screen.footer.text == "That is all" && screen.shownLikes[38]?.contains("♡") == true)
}
