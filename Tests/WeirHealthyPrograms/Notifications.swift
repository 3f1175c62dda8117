import Observation
import Weir

// A feed of notifications: a stream of events from the server, a badge, a filter, reading and muting, also on another device. An
// observable class feeds bodies, as in SwiftUI; the stream is an async sequence.

private struct Entry: Equatable, Sendable {
    enum Kind: String, CaseIterable, Sendable { case mention, like, reply }

    let id: Int
    let kind: Kind
    let author: String
    var isRead = false
}

private enum ServerEvent: Sendable {
    case entry(Entry)
    case readElsewhere(Int)
    case connection(Bool)
}

@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
@Observable @MainActor private final class NotificationFeed {
    private(set) var entries: [Entry] = []
    private(set) var unread = 0
    private(set) var isOnline = false
    private(set) var visible: [Entry] = []
    var kind: Entry.Kind? { didSet { filter() } }
    private(set) var muted: Set<String> = []

    /// Follows the server until its stream ends.
    func follow(_ events: TracedAsyncStream<ServerEvent>) async {
        await events.forEach { [weak self] event in self?.take(event) }
    }

    private func take(_ event: ServerEvent) {
        switch event {
        case .entry(let entry):
            guard !muted.contains(entry.author) else { return }
            change { $0.insert(entry, at: 0) }
        case .readElsewhere(let id): markRead(id)
        case .connection(let isOnline): self.isOnline = isOnline
        }
    }

    func markRead(_ id: Int) {
        guard let place = entries.firstIndex(where: { $0.id == id && !$0.isRead }) else { return }
        change { $0[place].isRead = true }
    }

    func markAllRead() {
        guard unread > 0 else { return }
        change { entries in for place in entries.indices { entries[place].isRead = true } }
    }

    func mute(_ author: String) {
        muted.insert(author)
        change { $0.removeAll { $0.author == author } }
    }

    private func change(_ body: (inout [Entry]) -> Void) {
        body(&entries)
        let count = entries.count { !$0.isRead }
        if count != unread { unread = count }
        filter()
    }

    /// The visible ones change less often than all.
    private func filter() {
        let now = kind.map { kind in entries.filter { $0.kind == kind } } ?? entries
        if now != visible { visible = now }
    }
}

@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
@MainActor private final class FeedScreen {
    let badge = Label()
    let banner = Label()
    private(set) var rows: [String] = []
    let readAll = Button("Read all")
    private var bodies: [Disposable] = []

    init(_ feed: NotificationFeed) {
        bodies.append(
            Trace.render("Badge.body") { [weak feed, badge] in
                badge.text = feed.map { $0.unread > 9 ? "9+" : "\($0.unread)" } ?? ""
                return badge.text
            })
        bodies.append(
            Trace.render("Banner.body") { [weak feed, banner] in
                banner.text = feed?.isOnline == true ? "" : "Connecting …"
                return banner.text
            })
        bodies.append(
            Trace.render("Toolbar.body") { [weak feed, readAll] in
                readAll.isEnabled = feed.map { $0.unread > 0 } ?? false
                return readAll.isEnabled
            })
        bodies.append(
            Trace.render("Feed.body") { [weak self, weak feed] in
                let rows = (feed?.visible ?? []).map { "\($0.isRead ? "" : "• ")\($0.kind.rawValue) by \($0.author)" }
                self?.rows = rows
                return rows
            })
        readAll.onTap = { [weak feed] in feed?.markAllRead() }
    }

    func close() { for body in bodies { body.dispose() } }
}

@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
@MainActor func feed() async {
    let feed = NotificationFeed()
    Trace.adopt(feed)
    Trace.observe(feed, \.entries, \.unread, \.isOnline, \.visible, \.kind, \.muted)
    var screen: FeedScreen? = FeedScreen(feed)
    if let screen { Trace.track(screen) }
    let (events, server) = AsyncStream<ServerEvent>.makeTracedStream("Notifications.events")
    let following = Trace.stimulus("open") { Trace.task { await feed.follow(events) } }

    func send(_ event: ServerEvent) async {
        withTracing("server") { _ = server.yield(event) }
        await wait(milliseconds: 20)
    }
    func act(_ name: String, _ action: () -> Void) async {
        Trace.stimulus(name) { action() }
        await wait(milliseconds: 20)
    }
    await send(.connection(true))
    let authors = ["Tamae", "Kenta", "Hamaji", "Tamae", "Hamaji"]
    for (id, author) in authors.enumerated() {
        await send(.entry(Entry(id: id, kind: Entry.Kind.allCases[id % 3], author: author)))
    }
    await reach(screen?.badge.text == "5")
    await act("open an entry") { feed.markRead(1) }
    await send(.readElsewhere(0))
    await send(.readElsewhere(0))
    await act("only mentions") { feed.kind = .mention }
    await reach(screen?.rows == ["• mention by Tamae", "mention by Tamae"])
    await act("mute Hamaji") { feed.mute("Hamaji") }
    await send(.entry(Entry(id: 5, kind: .mention, author: "Hamaji")))
    await send(.entry(Entry(id: 6, kind: .mention, author: "Kenta")))
    await act("all kinds") { feed.kind = nil }
    screen?.readAll.tap()
    await wait(milliseconds: 20)
    await send(.connection(false))
    await reach(screen?.badge.text == "0" && screen?.rows.count == 4 && screen?.banner.text == "Connecting …")

    Trace.stimulus("close") {
        server.finish()
        screen?.close()
        if let screen { Trace.expectReleased(screen) }
        screen = nil
    }
    await following.value
    Trace.checkpoint("closed")
}
